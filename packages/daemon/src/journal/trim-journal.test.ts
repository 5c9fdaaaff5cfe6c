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

describe('a journal that nobody writes any more', () => {
  it('keeps its last line alone, by which a keeper that comes late is refused', () => {
    write(0, 20);
    trimJournal(folder, 19);
    expect(readdirSync(folder)).toEqual(['000000000019.jsonl']);
    expect(() => openJournal(folder, { first: 5 })).toThrow(/up to 19/);
    write(20, 3);
    trimJournal(folder, 22);
    expect(readdirSync(folder)).toEqual(['000000000022.jsonl']);
  });

  it('is left as it is where something of it is not safe elsewhere', () => {
    write(0, 20);
    const before = readdirSync(folder);
    trimJournal(folder, 18);
    expect(readdirSync(folder)).toEqual(before);
  });
});
