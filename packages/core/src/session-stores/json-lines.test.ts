import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ODD_FILES } from '../../test/odd-files.ts';
import { useScratch } from '../../test/scratch.ts';
import { BRIEF_CHARACTERS, readJsonLines, readJsonLinesOf, SESSION_LINE_LIMIT } from './json-lines.ts';

const newPlace = useScratch();
const LIMIT = 256 * 1024 * 1024;

function written(text: string): string {
  return newPlace().write('session.jsonl', text);
}

describe('a file of JSON lines', () => {
  it('gives the same piece by piece as at once', async () => {
    // Longer than a piece, shorter ones around its edges, and characters of several bytes across them.
    const long = [900, 100, 48, 1, 70, 300].map((kilobytes) => JSON.stringify({ text: 'é日'.repeat(kilobytes * 205) }));
    const text = [...long, '', ' ', 'no json', '[1]', '{"a":1}', '{"half":'].join('\n');
    const lines = await readJsonLinesOf(written(text), { limit: LIMIT });
    expect(lines).toEqual(readJsonLines(text));
    expect(lines.records).toHaveLength(7);
    expect(lines.faults).toEqual(['line 9 is not JSON', 'line 10 is no object']);
    expect(await readJsonLinesOf(written(''), { limit: LIMIT })).toEqual({ records: [], faults: [] });
  });

  it('is read without a line that is too long for memory, and says so', async () => {
    const text = `{"a":1}\n"${'x'.repeat(SESSION_LINE_LIMIT)}"\n{"b":2}\n`;
    const { records, faults } = await readJsonLinesOf(written(text), { limit: LIMIT });
    expect(records).toEqual([{ a: 1 }, { b: 2 }]);
    expect(faults).toEqual([`line 2 has more than ${SESSION_LINE_LIMIT} bytes and was left out`]);
  });

  it('keeps for the index what is short, and of long texts as many as the index can use', async () => {
    const record = { cwd: '/p', message: { parts: [{ text: 'word '.repeat(200_000) }] } };
    const line = `${JSON.stringify(record)}\n`;
    const { records } = await readJsonLinesOf(written(line.repeat(20)), { limit: LIMIT, brief: true });
    expect(records).toHaveLength(20);
    expect(records[0]).toEqual(record);
    expect(records.at(-1)).toEqual({ cwd: '/p', message: { parts: [{ text: 'word '.repeat(8) }] } });
    expect(JSON.stringify(records).length).toBeLessThan(BRIEF_CHARACTERS * 1.1);
  });

  it.skipIf(process.platform === 'win32')('is not waited for when it is a pipe, nor read above its limit', async () => {
    const pipe = join(newPlace().home, 'pipe');
    ODD_FILES['a named pipe'](pipe);
    await expect(readJsonLinesOf(pipe, { limit: LIMIT })).rejects.toThrow('it is a named pipe, not a file');
    await expect(readJsonLinesOf(written('{}\n{}\n'), { limit: 4 })).rejects.toThrow('more than 4 bytes');
  });
});
