import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDaemonClient, createHttp, type DaemonClient } from '@agent-mux/api';
import { fillDisk, mountDiskAt } from '@agent-mux/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DaemonPaths, daemonPathsIn } from '../src/paths.ts';
import { ensureDaemon } from '../src/start/ensure.ts';
import type { FoundDaemon } from '../src/start/find.ts';
import { stopDaemon } from '../src/start/stop.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });
const PATIENT = { timeout: 60_000, interval: 100 };
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

let root: string;
let ballast: string;
let paths: DaemonPaths;
let env: Record<string, string>;
let unmount: () => void;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'full-')));
  mkdirSync(join(root, 'home'));
  if (canMount) unmount = mountDiskAt(join(root, 'state'), 16 * 1024);
  ballast = join(root, 'state', 'ballast');
  paths = daemonPathsIn(join(root, 'state', 'agent-mux', 'daemon'));
  env = {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    TMPDIR: tmpdir(),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CACHE_HOME: join(root, 'cache'),
    AGENT_MUX_PORT: '0',
  };
});
afterEach(async () => {
  rmSync(ballast, { force: true });
  await stopDaemon(env);
  unmount?.();
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

async function withClient<Result>({ url, token }: FoundDaemon, work: (client: DaemonClient) => Promise<Result>) {
  const http = createHttp(async () => ({ url, token }));
  try {
    return await work(createDaemonClient(http));
  } finally {
    http.close();
  }
}

describe.skipIf(!canMount)('background daemon on a full disk (needs root to mount)', () => {
  it('keeps answering, refuses writes and recovers when space is free', async () => {
    const daemon = await ensureDaemon(env);
    await withClient(daemon, async (client) => {
      const schedule = { cron: '0 0 1 1 *', session: { agent: 'demo', cwd: root, prompt: 'hello' } };
      await client.schedules.create(schedule);
      fillDisk(ballast);
      const refusal = { problem: 'DISK_FULL', hint: expect.stringContaining('free some') };
      // Each refusal is a line in a log that cannot be written.
      for (let round = 0; round < 80; round += 1)
        await expect(client.schedules.create(schedule)).rejects.toMatchObject(refusal);
      expect(await client.schedules.list()).toHaveLength(1);
      await expect(client.ready()).rejects.toThrow(/the disk of the store .* is full/);
      expect((await ensureDaemon(env)).pid).toBe(daemon.pid);

      rmSync(ballast);
      await expect.poll(() => client.ready().then(({ ready }) => ready, String), PATIENT).toBe(true);
      await client.schedules.create(schedule);
      expect(await client.schedules.list()).toHaveLength(2);
      await expect.poll(() => readFileSync(paths.log, 'utf8'), PATIENT).toMatch(/the log could not be written/);
      expect(readFileSync(paths.log, 'utf8')).toMatch(
        /the store cannot be written: .*is full[\s\S]*can be written again/,
      );
    });
  });

  it('reports why it cannot start and starts when space is free', async () => {
    await ensureDaemon(env);
    await stopDaemon(env);
    fillDisk(ballast);
    await expect(ensureDaemon(env)).rejects.toMatchObject({
      code: 'STORAGE_ERROR',
      message: expect.stringMatching(/the daemon cannot start: cannot write .*no space left on the disk \(ENOSPC\)/),
      hint: expect.stringContaining('free some disk space'),
    });
    rmSync(ballast);
    await expect(ensureDaemon(env)).resolves.toMatchObject({ pid: expect.any(Number) });
  });
});
