import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { ModelCapabilities } from '../contract/capabilities.ts';
import { keepFile } from '../files/keep-file.ts';
import { cacheFolder } from '../files/paths.ts';
import { OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { ownNames } from '../native-config/config-env.ts';

/** A login, a subscription or a key may change what is offered without a trace that could be looked at. */
const MODELS_BELIEVED_MS = 60 * 60_000;

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

/** What agents have told, kept between processes: some take seconds to say it. Whatever is wrong here, the agent is asked. */
export class ModelCache {
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    const cache = cacheFolder(env);
    this.#folder = cache && join(cache, 'models');
  }

  /** The binary as it is now, what it is asked, and which of the agent's variables are set (never their values). */
  async keyOf(adapter: AgentAdapter, binary: string, asked: readonly string[]): Promise<string> {
    const file = await stat(binary).catch(() => undefined);
    const own = (await ownNames(adapter, this.#env)).map((name) => name.replace(/\*$/, ''));
    const set = Object.keys(this.#env).filter((name) => own.some((prefix) => prefix !== '' && name.startsWith(prefix)));
    return JSON.stringify([adapter.agent, binary, asked, file?.mtimeMs, file?.size, file?.ino, set.sort()]);
  }

  async read(key: string, now: number = Date.now()): Promise<ModelAnswer | null> {
    const path = this.#pathOf(key);
    if (path === undefined) return null;
    try {
      const answer = Answer.parse(
        JSON.parse((await readRegularFile(path, { limit: OWN_FILE_LIMIT })).toString('utf8')),
      );
      // A clock that was set back makes an answer of the future, which would be believed for ever.
      return Math.abs(now - answer.askedAt) < MODELS_BELIEVED_MS ? answer : null;
    } catch {
      return null;
    }
  }

  async write(key: string, answer: ModelAnswer): Promise<void> {
    const path = this.#pathOf(key);
    if (path !== undefined) await keepFile(path, JSON.stringify(answer));
  }

  #pathOf(key: string): string | undefined {
    return this.#folder && join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
