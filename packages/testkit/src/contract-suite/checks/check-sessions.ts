import { AssertionError, deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { AgentMuxError, type SessionRef, type SessionStore } from '@agent-mux/core';
import { z } from 'zod';
import { awaitWithin, describeValue } from '../assert-returned.ts';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { callMember } from '../checked-decoder.ts';
import { contentsOf, inSandbox } from '../sandbox.ts';
import type { Subject } from '../subject.ts';
import { parse } from './check-preparations.ts';

const PathsSchema = z.array(z.string().refine(isAbsolute, 'must be absolute'));
const RefSchema = z.strictObject({
  path: z.string().refine(isAbsolute, 'must be absolute'),
  key: z.string().optional(),
  stamp: z.string(),
}) satisfies z.ZodType<SessionRef>;

/** Stored conversations of an agent, on a machine without any. */
export function sessionChecks({ adapter, fixtures }: Subject): ContractCheck[] {
  const limit = fixtures.settleMs;
  const list = (cwd?: string) => awaitWithin('listSessionFiles', () => adapter.listSessionFiles(cwd), limit);
  const isRefused = (path: string, problem: string) =>
    rejects(
      async () => awaitWithin('parseSessionFile', () => adapter.parseSessionFile(path), limit),
      (error) => error instanceof Error && !(error instanceof AssertionError) && !isLate(error),
      problem,
    );
  return aboutTopic('its stored sessions', (show) => {
    show('are in a known folder, or report that it is unknown', () =>
      inSandbox(({ cwd }) => {
        try {
          for (const dir of [adapter.sessionDir(), adapter.sessionDir(cwd)]) isPath(dir, 'sessionDir');
        } catch (error) {
          if (error instanceof AssertionError) throw error;
          ok(error instanceof AgentMuxError, `sessionDir failed with ${error}`);
        }
      }),
    );
    show('are none if the folder is missing', () =>
      inSandbox(async (place) => {
        const before = contentsOf(place);
        deepStrictEqual(parse(PathsSchema, await list(), 'listSessionFiles'), []);
        deepStrictEqual(parse(PathsSchema, await list(place.cwd), 'listSessionFiles'), []);
        deepStrictEqual(contentsOf(place), before, 'listSessionFiles has changed files');
      }),
    );
    show('are not invented from a missing or invalid file', () =>
      inSandbox(async ({ root }) => {
        await isRefused(join(root, 'no-such-session.jsonl'), 'a missing file was taken for a session');
        const path = join(root, 'garbage.jsonl');
        writeFileSync(path, '\0 not a session\n{"half":');
        await isRefused(path, 'garbage was taken for a session');
      }),
    );
    const store = adapter.sessionStore;
    if (!store) return;
    show('are found in the given environment, as paths with a stamp', () =>
      inSandbox(async ({ env, root, notes }) => {
        const kept = callMember('sessionStore.root', undefined, () => store.root(env));
        isPath(kept, 'sessionStore.root');
        ok(
          kept.startsWith(root),
          `sessionStore.root: ${kept} is not in the home folder of the environment it was given`,
        );
        const refs = await awaitWithin('sessionStore.find', () => store.find(env), limit);
        deepStrictEqual(parse(z.array(RefSchema), refs, 'sessionStore.find'), []);
        const unreadable = { ...env, HOME: notes, USERPROFILE: notes };
        parse(z.array(RefSchema), await awaitWithin('sessionStore.find', () => store.find(unreadable), limit), 'find');
      }),
    );
    show('are removed one by one: removing a missing one deletes nothing else', () =>
      inSandbox(({ env }) => removesNothingElse(store, env, limit)),
    );
  });
}

async function removesNothingElse(store: SessionStore, env: NodeJS.ProcessEnv, limit?: number): Promise<void> {
  if (!store.remove) return;
  const root = store.root(env);
  // A root with an extension is a database, and its neighbors are files next to it.
  const folder = /\.\w+$/.test(root) ? join(root, '..') : root;
  mkdirSync(folder, { recursive: true });
  const other = join(folder, 'contract-other.txt');
  writeFileSync(other, 'keep this');
  // Deep enough for agents that store a session in its own folders.
  const missing = { path: join(folder, 'contract-a', 'contract-b', 'contract-missing.jsonl'), stamp: '' };
  try {
    await awaitWithin('sessionStore.remove', async () => store.remove?.(missing), limit);
  } catch (error) {
    ok(error instanceof Error && !isLate(error), `sessionStore.remove: ${error}`);
  }
  ok(existsSync(other), 'sessionStore.remove has removed a file that is not part of the session');
}

function isPath(path: unknown, what: string): asserts path is string {
  strictEqual(typeof path, 'string', `${what} must return a path, and gave ${describeValue(path)}`);
  ok(isAbsolute(String(path)), `${what}: ${path} is not absolute`);
}

function isLate(error: Error): boolean {
  return error.message.includes('has not settled');
}
