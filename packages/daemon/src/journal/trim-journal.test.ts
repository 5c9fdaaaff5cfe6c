import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from './open-journal.ts';
import { trimJournal } from './trim-journal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'j-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(first: number, count: number): void {
  const journal = openJournal(folder, { first, segmentBytes: 100 });
  for (let seq = first; seq < first + count; seq++)
    journal.append([JSON.stringify({ type: 'text_delta', delta: 'xxxxxxxxxxxx', seq })]);
  journal.close();
}

describe('trimJournal', () => {
  it('keeps only the last line, which makes a late keeper fail', () => {
    write(0, 20);
    trimJournal(folder, 19);
    expect(readdirSync(folder)).toEqual(['000000000019.jsonl']);
    expect(() => openJournal(folder, { first: 5 })).toThrow(/up to 19/);
    write(20, 3);
    trimJournal(folder, 22);
    expect(readdirSync(folder)).toEqual(['000000000022.jsonl']);
  });

  it('keeps a journal that is not completely stored', () => {
    write(0, 20);
    const before = readdirSync(folder);
    trimJournal(folder, 18);
    expect(readdirSync(folder)).toEqual(before);
  });
});
