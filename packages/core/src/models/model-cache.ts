import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { ModelCapabilities } from '../contract/capabilities.ts';
import { cacheFolder } from '../files/paths.ts';
import { OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { writePrivateFile } from '../files/write-private-file.ts';
import { declaredNames } from '../native-config/config-env.ts';

/** A login, a subscription or a key may change the models without a detectable trace. */
const MAX_AGE_MS = 60 * 60_000;

const Price = z.number().nonnegative();
const Model = z.object({
  id: z.string().min(1),
  displayName: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  contextWindow: z.number().nullable(),
  maxOutputTokens: z.number().nullable(),
  supportsThinking: z.boolean(),
  supportsImageInput: z.boolean(),
  pricing: z
    .object({ input: Price, output: Price, cacheRead: Price.optional(), cacheCreation: Price.optional() })
    .optional(),
});
const Answer = z.object({ askedAt: z.number(), models: z.array(Model) });

export interface ModelAnswer {
  askedAt: number;
  models: ModelCapabilities[];
}

/**
 * Models reported by agents, cached between processes, since some take seconds. On any problem the agent is queried.
 */
export class ModelCache {
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    const cache = cacheFolder(env);
    this.#folder = cache && join(cache, 'models');
  }

  /** Identifies the binary, the query, and which of the agent's variables are set (never their values). */
  async keyOf(adapter: AgentAdapter, binary: string, query: readonly string[]): Promise<string> {
    const file = await stat(binary).catch(() => undefined);
    const own = (await declaredNames(adapter, this.#env)).map((name) => name.replace(/\*$/, ''));
    const set = Object.keys(this.#env).filter((name) => own.some((prefix) => prefix !== '' && name.startsWith(prefix)));
    return JSON.stringify([adapter.agent, binary, query, file?.mtimeMs, file?.size, file?.ino, set.sort()]);
  }

  async read(key: string, now: number = Date.now()): Promise<ModelAnswer | null> {
    const path = this.#pathOf(key);
    if (path === undefined) return null;
    try {
      const answer = Answer.parse(
        JSON.parse((await readRegularFile(path, { limit: OWN_FILE_LIMIT })).toString('utf8')),
      );
      // After a clock was set back, an answer from the future would be valid forever.
      return Math.abs(now - answer.askedAt) < MAX_AGE_MS ? answer : null;
    } catch {
      return null;
    }
  }

  async write(key: string, answer: ModelAnswer): Promise<void> {
    const path = this.#pathOf(key);
    if (path !== undefined) await writePrivateFile(path, JSON.stringify(answer));
  }

  #pathOf(key: string): string | undefined {
    return this.#folder && join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
