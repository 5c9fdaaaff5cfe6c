import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linesOf, NOON } from '../suite/fixtures.ts';
import { openStore } from './sqlite-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Commits batches of many sizes forever and prints the last seq of each after its commit. */
const COMMITTING = `
  const [, path, storeUrl, madeUpUrl] = process.argv;
  const { openStore } = await import(storeUrl);
  const { createCommit, createSession, NOON } = await import(madeUpUrl);
  const store = await openStore(path, { now: () => NOON });
  const session = (await store.getSession('a')) ?? (await store.insertSession(createSession('a')));
  for (let next = session.lastSeq + 1, at = next; ; at += 1) {
    const to = next + [0, 0, 3, 0, 120, 1, 0, 900][at % 8];
    await store.commit([createCommit('a', next, to, { session: { title: 'up to ' + to } })]);
    if (at % 5 === 0) await store.sync();
    process.stdout.write(to + '\\n');
    next = to + 1;
  }
`;

describe('process killed while committing', () => {
  it('leaves a store with all commits in order, every time', async () => {
    const path = join(folder, 'store.sqlite');
    const urls = ['./sqlite-store.ts', '../suite/fixtures.ts'].map((file) => new URL(file, import.meta.url).href);
    let held = -1;
    for (const commits of [1, 40, 7, 150]) {
      const printed = await commitUntilKilled([path, ...urls], commits);
      expect(printed).toBeGreaterThan(held);
      const store = await openStore(path, { now: () => NOON, report: (problem) => expect.unreachable(problem) });
      const session = await store.getSession('a');
      held = session?.lastSeq ?? -1;
      expect(held).toBeGreaterThanOrEqual(printed);
      expect(session?.title).toBe(`up to ${held}`);
      const { lines } = await store.readEvents('a', -1, 1_000_000);
      expect(lines).toEqual(linesOf(0, held).map(({ line }) => line));
      expect(await store.stats()).toMatchObject({ events: held + 1 });
      await store.close();
    }
  });
});

/** The last seq that it printed. */
async function commitUntilKilled(options: readonly string[], commits: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=agent-mux-source',
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      COMMITTING,
      ...options,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  let printed = -1;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    // Anything printed after the kill was committed before it.
    if (/^\d+$/.test(line)) printed = Number(line);
    count += 1;
    if (count === commits) child.kill('SIGKILL');
  }
  const [, signal] = await exited;
  expect(signal).toBe('SIGKILL');
  return printed;
}
