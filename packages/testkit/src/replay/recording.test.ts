import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseRecording, type RecordedLine, readRecording } from './recording.ts';

const recordings = fileURLToPath(new URL('./recordings/', import.meta.url));
const directions = (recorded: RecordedLine[]): Record<string, number> => ({
  in: recorded.filter(({ direction }) => direction === 'in').length,
  out: recorded.filter(({ direction }) => direction === 'out').length,
});

describe('readRecording', () => {
  it('reads raw output as lines from the agent, byte for byte', async () => {
    const recorded = await readRecording(`${recordings}raw.jsonl`);
    expect(directions(recorded)).toEqual({ in: 12, out: 0 });
    const text = await readFile(`${recordings}raw.jsonl`, 'utf8');
    expect(recorded.map(({ line }) => `${line}\n`).join('')).toBe(text);
  });

  it('reads a conversation with arrows', async () => {
    const recorded = await readRecording(`${recordings}arrows.txt`);
    expect(directions(recorded)).toEqual({ in: 26, out: 2 });
    expect(recorded.slice(0, 2).map(({ direction, line }) => [direction, JSON.parse(line).type])).toEqual([
      ['out', 'user'],
      ['in', 'system'],
    ]);
  });

  it('reads a conversation of records and leaves the marks out', async () => {
    const recorded = await readRecording(`${recordings}records.jsonl`);
    expect(directions(recorded)).toEqual({ in: 12, out: 13 });
    expect(recorded[0]?.direction).toBe('out');
    expect(JSON.parse(recorded[0]?.line ?? '')).toMatchObject({ jsonrpc: '2.0', id: 0, method: 'initialize' });
    expect(JSON.parse(recorded[1]?.line ?? '')).toMatchObject({ id: 0, result: {} });
  });

  it.each([
    ['client->agent', 'agent->client', 'msg'],
    ['host->agent', 'agent->host', 'msg'],
    ['out', 'in', 'msg'],
    ['>', '<', 'frame'],
  ])('recognizes the directions %s and %s', (out, into, key) => {
    const lines = [
      { dir: out, [key]: { a: 1 } },
      { dir: into, [key]: 'not JSON' },
      { t: 3, dir: 'note', msg: 'x' },
      { t: 4, mark: 'exit', code: 0 },
      { closed: 1005, reason: '' },
    ];
    expect(parseRecording(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      { direction: 'out', line: '{"a":1}' },
      { direction: 'in', line: 'not JSON' },
    ]);
  });

  it('reads anything else as raw output, even if it looks similar in places', () => {
    expect(parseRecording('> quoted\nplain').map(({ line }) => line)).toEqual(['> quoted', 'plain']);
    expect(parseRecording('{"dir":"src","msg":1}\n')).toEqual([{ direction: 'in', line: '{"dir":"src","msg":1}' }]);
    expect(parseRecording('a\r\n\n\0b')).toEqual(['a', '', '\0b'].map((line) => ({ direction: 'in', line })));
    expect(parseRecording('')).toEqual([]);
  });
});
