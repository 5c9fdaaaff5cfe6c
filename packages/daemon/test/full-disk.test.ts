import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDaemonClient, createHttp, type DaemonClient } from '@agent-mux/api';
import { fillDisk, mountDiskAt } from '@agent-mux/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Places, placesIn } from '../src/places.ts';
import { ensureDaemon } from '../src/start/ensure.ts';
import type { FoundDaemon } from '../src/start/find.ts';
import { stopDaemon } from '../src/start/stop.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });
const PATIENT = { timeout: 60_000, interval: 100 };
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

let root: string;
let ballast: string;
let places: Places;
let env: Record<string, string>;
let unmount: () => void;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'full-')));
  mkdirSync(join(root, 'home'));
  if (canMount) unmount = mountDiskAt(join(root, 'state'), 16 * 1024);
  ballast = join(root, 'state', 'ballast');
  places = placesIn(join(root, 'state', 'agent-mux', 'daemon'));
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

describe.skipIf(!canMount)('a background daemon whose disk is full (needs a mount: only root can)', () => {
  it('keeps answering, refuses writes clearly, and recovers with its log when there is room', async () => {
    const daemon = await ensureDaemon(env);
    await withClient(daemon, async (client) => {
      const schedule = { cron: '0 0 1 1 *', session: { agent: 'demo', cwd: root, prompt: 'hello' } };
      await client.schedules.create(schedule);
      fillDisk(ballast);
      const refusal = { problem: 'DISK_FULL', hint: expect.stringContaining('make room') };
      // Each of them is a line in a log that cannot be written.
      for (let round = 0; round < 80; round += 1)
        await expect(client.schedules.create(schedule)).rejects.toMatchObject(refusal);
      expect(await client.schedules.list()).toHaveLength(1);
      await expect(client.ready()).rejects.toThrow(/no room on the disk/);
      expect((await ensureDaemon(env)).pid).toBe(daemon.pid);

      rmSync(ballast);
      await expect.poll(() => client.ready().then(({ ready }) => ready, String), PATIENT).toBe(true);
      await client.schedules.create(schedule);
      expect(await client.schedules.list()).toHaveLength(2);
      await expect.poll(() => readFileSync(places.log, 'utf8'), PATIENT).toMatch(/the log could not be written/);
      expect(readFileSync(places.log, 'utf8')).toMatch(
        /the store cannot be written: .*no room[\s\S]*can be written again/,
      );
    });
  });

  it('is not started, for a reason that is given, and starts when there is room', async () => {
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
