import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ODD_FILES } from '../../test/odd-files.ts';
import { useScratch } from '../../test/scratch.ts';
import { PREVIEW_CHARS, readJsonLines, readJsonLinesOf, SESSION_LINE_LIMIT } from './json-lines.ts';

const newScratch = useScratch();
const LIMIT = 256 * 1024 * 1024;

function written(text: string): string {
  return newScratch().write('session.jsonl', text);
}

describe('JSON lines file', () => {
  it('gives the same result in chunks as at once', async () => {
    // Longer than a chunk, shorter lines around its edges, and multi-byte characters across them.
    const long = [900, 100, 48, 1, 70, 300].map((kilobytes) => JSON.stringify({ text: 'é日'.repeat(kilobytes * 205) }));
    const text = [...long, '', ' ', 'no json', '[1]', '{"a":1}', '{"half":'].join('\n');
    const lines = await readJsonLinesOf(written(text), { limit: LIMIT });
    expect(lines).toEqual(readJsonLines(text));
    expect(lines.records).toHaveLength(7);
    expect(lines.warnings).toEqual(['line 9 is not JSON', 'line 10 is not an object']);
    expect(await readJsonLinesOf(written(''), { limit: LIMIT })).toEqual({ records: [], warnings: [] });
  });

  it('skips a line that is too long for memory and reports it', async () => {
    const text = `{"a":1}\n"${'x'.repeat(SESSION_LINE_LIMIT)}"\n{"b":2}\n`;
    const { records, warnings } = await readJsonLinesOf(written(text), { limit: LIMIT });
    expect(records).toEqual([{ a: 1 }, { b: 2 }]);
    expect(warnings).toEqual([`line 2 has more than ${SESSION_LINE_LIMIT} bytes and was skipped`]);
  });

  it('stores short texts for the index, and of long texts only what the index uses', async () => {
    const record = { cwd: '/p', message: { parts: [{ text: 'word '.repeat(200_000) }] } };
    const line = `${JSON.stringify(record)}\n`;
    const { records } = await readJsonLinesOf(written(line.repeat(20)), { limit: LIMIT, brief: true });
    expect(records).toHaveLength(20);
    expect(records[0]).toEqual(record);
    expect(records.at(-1)).toEqual({ cwd: '/p', message: { parts: [{ text: 'word '.repeat(8) }] } });
    expect(JSON.stringify(records).length).toBeLessThan(PREVIEW_CHARS * 1.1);
  });

  it.skipIf(process.platform === 'win32')('is not read if it is a pipe or above its limit', async () => {
    const pipe = join(newScratch().home, 'pipe');
    ODD_FILES['a named pipe'](pipe);
    await expect(readJsonLinesOf(pipe, { limit: LIMIT })).rejects.toThrow('it is a named pipe, not a file');
    await expect(readJsonLinesOf(written('{}\n{}\n'), { limit: 4 })).rejects.toThrow('more than 4 bytes');
  });
});
