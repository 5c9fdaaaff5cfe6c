import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mountSmallDisk } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { createBlob, putBlob } from './blobs.ts';
import { openJournal } from './open-journal.ts';
import { readJournal } from './read-journal.ts';

const disk = mountSmallDisk(256);
afterAll(disk.remove);

describe.skipIf(!disk.isMounted)('full disk (needs root to mount one)', () => {
  it('leaves the journal intact and accepts the same lines once there is space', async () => {
    const journal = openJournal(join(disk.folder, 'journal'), { first: 0, segmentBytes: 64 * 1024 });
    const ballast = join(disk.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(100 * 1024));
    const line = (seq: number) => JSON.stringify({ seq, text: 'x'.repeat(5000) });
    let seq = 0;
    let refused = 0;
    while (refused < 3) {
      try {
        journal.append([line(seq), line(seq + 1)]);
        seq += 2;
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        expect(journal.lastSeq).toBe(seq - 1);
        refused += 1;
      }
    }
    rmSync(ballast);
    journal.append([line(seq), line(seq + 1)]);
    journal.close();
    const seqs: number[] = [];
    for await (const { lines, issues } of readJournal(join(disk.folder, 'journal'), -1)) {
      expect(issues).toEqual([]);
      seqs.push(...lines.map((one) => one.seq));
    }
    expect(seqs).toEqual(Array.from({ length: seq + 2 }, (_, i) => i));
    rmSync(join(disk.folder, 'journal'), { recursive: true });
  });

  it('leaves a blob complete or missing', () => {
    const folder = join(disk.folder, 'blobs');
    expect(() => putBlob(folder, createBlob('x'.repeat(1024 * 1024)), folder)).toThrow('ENOSPC');
    expect(readdirSync(folder, { recursive: true })).toEqual(['blobs']);
    rmSync(folder, { recursive: true });
  });
});
