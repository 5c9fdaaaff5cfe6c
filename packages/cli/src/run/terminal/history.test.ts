import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addToHistory, readHistory } from './history.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'amux-history-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('prompt history', () => {
  it('is readable by its owner only, keeps line breaks and skips repeats', () => {
    const file = join(folder, 'state', 'history.jsonl');
    for (const prompt of ['one', 'two\nrows', 'two\nrows', '  ']) addToHistory(prompt, file);
    expect(readHistory(file)).toEqual(['one', 'two\nrows']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'state'))).toEqual(['history.jsonl']);
  });

  it('is limited', () => {
    const file = join(folder, 'history.jsonl');
    for (let at = 0; at < 520; at += 1) addToHistory(`prompt ${at}`, file);
    expect(readHistory(file)).toHaveLength(500);
    expect(readHistory(file).at(-1)).toBe('prompt 519');
    addToHistory('x'.repeat(20_000), file);
    expect(readFileSync(file, 'utf8').length).toBeLessThan(20_000);
  });

  it('works without a readable or writable file', () => {
    const file = join(folder, 'history.jsonl');
    writeFileSync(file, '"good"\n{"not":"text"}\nnonsense\n');
    expect(readHistory(file)).toEqual(['good']);
    const taken = join(folder, 'folder.jsonl');
    mkdirSync(taken);
    addToHistory('lost', taken);
    expect(readHistory(taken)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['folder.jsonl', 'history.jsonl']);
  });
});
