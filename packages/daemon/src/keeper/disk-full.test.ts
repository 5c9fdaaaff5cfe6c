import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mountSmallDisk } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { journalBytes } from '../../test/journal-bytes.ts';
import { expectDense, live, message, ofType, PATIENT, say, sees, useKeepers } from '../../test/keepers.ts';

const disk = mountSmallDisk(4096);
const { home, start } = useKeepers();
afterAll(disk.remove);

describe.skipIf(!disk.isMounted)('keeper on a full disk (needs root to mount one)', () => {
  it('holds the agent back, refuses messages, and loses nothing', async () => {
    const lines = 3000;
    const { launch } = home(live([say('ready')], [{ do: 'flood', lines, bytes: 1000 }]));
    const folder = join(disk.folder, 'sessions/s1');
    const ballast = join(disk.folder, 'ballast');
    const daemon = await start({ ...launch(), folder });
    await sees(daemon, 'turn_end');
    writeFileSync(ballast, Buffer.alloc(2_500_000));
    await daemon.connection.order({ type: 'send', sessionId: 's1', message: message('m2') });
    await expect.poll(() => daemon.problems.at(-1), PATIENT).toContain('ENOSPC');
    const send = () => daemon.connection.order({ type: 'send', sessionId: 's1', message: message('m3') });
    await expect(send()).rejects.toMatchObject({ code: 'DISK_FULL' });
    const written = journalBytes(folder);
    expect(ofType(daemon, 'text_delta').length).toBeLessThan(lines);

    rmSync(ballast);
    await expect.poll(() => daemon.problems.at(-1), PATIENT).toBeNull();
    // Acknowledged events free space for the rest.
    await expect
      .poll(() => {
        daemon.connection.acknowledge('s1', daemon.last());
        return ofType(daemon, 'turn_end').length;
      }, PATIENT)
      .toBe(2);
    expect(journalBytes(folder)).toBeGreaterThan(written);
    expectDense(daemon.events());
    expect(ofType(daemon, 'text_delta')).toHaveLength(1 + lines);
    await expect(send()).resolves.toEqual({ repeated: false });
  });
});
