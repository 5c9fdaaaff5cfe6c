import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournalAheadError, openJournal } from './open-journal.ts';
import { type JournalCorruption, readJournal } from './read-journal.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'journal-')), 'journal');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const line = (seq: number, text = '') => JSON.stringify({ type: 'text_delta', delta: text, seq });
const lines = (from: number, count: number, text?: string) =>
  Array.from({ length: count }, (_, i) => line(from + i, text));

async function readAll(after = -1, chunkBytes?: number) {
  const seqs: number[] = [];
  const issues: JournalCorruption[] = [];
  let largest = 0;
  for await (const piece of readJournal(folder, after, chunkBytes === undefined ? {} : { chunkBytes })) {
    seqs.push(...piece.lines.map(({ seq }) => seq));
    issues.push(...piece.issues);
    largest = Math.max(largest, piece.lines.length);
  }
  return { seqs, issues, largest };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

describe('journal', () => {
  it('appends lines, reads from any seq, and is accessible to its owner only', async () => {
    const journal = openJournal(folder, { first: 5 });
    journal.append([line(5), line(6)]);
    journal.append([line(7)]);
    journal.sync();
    expect(journal.lastSeq).toBe(7);
    expect(await readAll()).toMatchObject({ seqs: [5, 6, 7], issues: [{ kind: 'gap' }] });
    expect(await readAll(5)).toMatchObject({ seqs: [6, 7], issues: [] });
    expect(journal.read(5, 1000)).toEqual({ from: 6, lines: [line(6), line(7)] });
    expect(journal.read(7, 1000).lines).toEqual([]);
    journal.close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, '000000000005.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('starts a new segment when one is full and deletes fully acknowledged ones', async () => {
    const journal = openJournal(folder, { first: 0, segmentBytes: 500 });
    for (let seq = 0; seq < 100; seq += 10) journal.append(lines(seq, 10, 'x'.repeat(50)));
    expect(readdirSync(folder)).toHaveLength(10);
    journal.acknowledge(14);
    expect(readdirSync(folder)).toHaveLength(9);
    expect((await readAll(14)).seqs).toEqual(range(15, 99));
    expect(journal.read(2, 100).from).toBe(10);
    journal.acknowledge(1000);
    expect(readdirSync(folder)).toEqual(['000000000090.jsonl']);
    journal.append([line(100)]);
    expect((await readAll(99)).seqs).toEqual([100]);
    journal.close();
  });

  it.each([100, 3000, 1_000_000])(
    'is read again in pieces of %i bytes, whatever was appended meanwhile',
    (maxBytes) => {
      const journal = openJournal(folder, { first: 0, segmentBytes: 2000 });
      const seen: string[] = [];
      for (let seq = 0; seq < 200; seq += 1) {
        journal.append([line(seq, 'ö'.repeat(seq % 90))]);
        if (seq % 7 !== 0) continue;
        const { from, lines: some } = journal.read(seen.length - 1, maxBytes);
        expect(from).toBe(seen.length);
        seen.push(...some);
      }
      for (let some = journal.read(seen.length - 1, maxBytes); some.lines.length > 0; ) {
        seen.push(...some.lines);
        some = journal.read(seen.length - 1, maxBytes);
      }
      expect(seen).toEqual(Array.from({ length: 200 }, (_, seq) => line(seq, 'ö'.repeat(seq % 90))));
      journal.close();
    },
  );

  it('drops only the torn last line after a kill', async () => {
    const first = openJournal(folder, { first: 0 });
    first.append(lines(0, 3));
    first.close();
    appendFileSync(join(folder, '000000000000.jsonl'), '{"type":"text_de');
    expect(await readAll()).toMatchObject({ seqs: [0, 1, 2], issues: [] });
    const next = openJournal(folder, { first: 3 });
    next.append([line(3)]);
    next.close();
    expect(await readAll()).toMatchObject({ seqs: [0, 1, 2, 3], issues: [] });
    expect(readFileSync(join(folder, '000000000000.jsonl'), 'utf8')).toBe(`${lines(0, 3).join('\n')}\n`);
  });

  it('refuses to start at a seq that it already has', () => {
    const first = openJournal(folder, { first: 0 });
    first.append(lines(0, 3));
    first.close();
    expect(() => openJournal(folder, { first: 2 })).toThrow(JournalAheadError);
  });

  it('deletes segments of earlier launches once they are acknowledged', () => {
    const first = openJournal(folder, { first: 0 });
    first.append(lines(0, 3));
    first.close();
    const second = openJournal(folder, { first: 4 });
    second.acknowledge(2);
    expect(readdirSync(folder)).toHaveLength(1);
    second.acknowledge(3);
    expect(readdirSync(folder)).toEqual([]);
    second.append([line(4)]);
    second.close();
  });
});

describe('readJournal', () => {
  it('skips garbage and reports its position', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '000000000000.jsonl'), `${line(0)}\n\0\0\0\n[]\n${line(1)}\n${line(1)}\n`);
    writeFileSync(join(folder, '000000000002.jsonl'), `${line(2)}\n{"half`);
    writeFileSync(join(folder, '000000000003.jsonl'), `${line(4)}\n`);
    writeFileSync(join(folder, 'other.jsonl'), `${line(99)}\n`);
    const { seqs, issues } = await readAll();
    expect(seqs).toEqual([0, 1, 2, 4]);
    expect(issues.map(({ kind, offset }) => [kind, offset])).toEqual([
      ['garbage', line(0).length + 1],
      ['garbage', line(0).length + 5],
      ['garbage', line(2).length + 1],
      ['gap', 0],
    ]);
  });

  it('yields nothing if the folder is missing', async () => {
    expect((await readAll()).seqs).toEqual([]);
  });

  it('reads in bounded chunks, including lines longer than a chunk', async () => {
    const journal = openJournal(folder, { first: 0 });
    journal.append([...lines(0, 1000, 'x'.repeat(100)), line(1000, 'y'.repeat(50_000)), line(1001)]);
    journal.close();
    const { seqs, largest } = await readAll(-1, 4096);
    expect(seqs).toEqual(range(0, 1001));
    expect(largest).toBeLessThan(50);
  });

  it('does not follow a link to a segment', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'target'), `${line(0)}\n`);
    symlinkSync(join(folder, 'target'), join(folder, '000000000000.jsonl'));
    await expect(readAll()).rejects.toThrow('ELOOP');
  });
});
