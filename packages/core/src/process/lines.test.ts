import { assertEventOrder, type Step } from '@agent-mux/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, sessionStart, text, turnEnd, typed, useBench } from '../../test/engine.ts';
import { LineSplitter, MAX_LINE_BYTES } from './lines.ts';

const bench = useBench();
const MB = 1024 * 1024;

function split(
  bytes: Buffer,
  cuts: readonly number[],
  max?: number,
): { lines: string[]; cut: number[]; bytes: number } {
  const result = { lines: [] as string[], cut: [] as number[], bytes: 0 };
  const splitter = new LineSplitter(
    (lines, size) => {
      result.lines.push(...lines);
      result.bytes += size;
    },
    (total) => result.cut.push(total),
    max,
  );
  let from = 0;
  for (const at of [...cuts].sort((a, b) => a - b)) {
    splitter.push(bytes.subarray(from, at));
    from = at;
  }
  splitter.push(bytes.subarray(from));
  splitter.end();
  return result;
}

describe('lines', () => {
  it('are the same wherever the bytes are cut into chunks', () => {
    const piece = fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', '\r', '\0', '{"x":1}', 'long '.repeat(20));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(400), { maxLength: 20 }), (pieces, cuts) => {
        const whole = pieces.join('');
        const bytes = Buffer.from(whole);
        const expected = whole.split('\n');
        if (expected.at(-1) === '') expected.pop();
        const { lines } = split(
          bytes,
          cuts.map((cut) => Math.min(cut, bytes.length)),
        );
        expect(lines).toEqual(expected.map((line) => line.replace(/\r$/, '')));
      }),
      { numRuns: 2000 },
    );
  });

  it('are cut at the limit, wherever chunks end, and report their length', () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 10 });
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }), cuts, (lengths, at) => {
        const bytes = Buffer.from(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''));
        const outcome = split(
          bytes,
          at.map((cut) => Math.min(cut, bytes.length)),
          8,
        );
        expect(outcome.lines).toEqual(lengths.map((length) => 'x'.repeat(Math.min(length, 8))));
        expect(outcome.cut).toEqual(lengths.filter((length) => length > 8));
      }),
    );
  });

  it('count their bytes even if they came in many chunks', () => {
    const line = Buffer.from(`${'x'.repeat(1000)}\n`);
    expect(split(line, [100, 500, 700]).bytes).toBe(1000);
  });
});

describe('lines of a process', () => {
  const textOf = async (...steps: Step[]) => (await bench.fake([sessionStart, ...steps]).run()).text;

  it('are complete when written byte by byte, within characters', async () => {
    const line = JSON.stringify({ type: 'text_delta', delta: 'é漢😀' });
    expect(await textOf({ do: 'chunks', text: line, size: 1, delayMs: 1 })).toBe('é漢😀');
  });

  it('may end in CRLF or not at all', async () => {
    const crlf: Step = { do: 'event', event: { type: 'text_delta', delta: 'one ' }, ending: 'crlf' };
    const none: Step = { do: 'event', event: { type: 'text_delta', delta: 'two' }, ending: 'none' };
    expect(await textOf(crlf, none)).toBe('one two');
  });

  it('may contain NUL bytes and invalid UTF-8', async () => {
    const odd = Buffer.concat([Buffer.from('\0\0 noise '), Buffer.from([0xff, 0xfe, 0x0a])]);
    const nul: Step = { do: 'line', text: '{"type":"text_delta","delta":"a\\u0000b"}' };
    expect(await textOf({ do: 'bytes', base64: odd.toString('base64') }, nul)).toBe('a\0b');
  });

  it('may break off within JSON: other output is logged with debug', async () => {
    const half: Step = { do: 'half-event', event: { type: 'text_delta', delta: 'never seen' }, exitCode: 0 };
    const handle = bench.fake([sessionStart, text('seen'), half]).run({ debug: true });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'log').map(({ line }) => line)).toEqual([expect.stringMatching(/^\{"type":"text_delta"/)]);
    expect(await handle).toMatchObject({ text: 'seen', exitReason: 'completed' });
  });

  it('of 64 MB are cut with an event, and the run continues', async () => {
    const before = process.memoryUsage().rss;
    const handle = bench.fake([sessionStart, { do: 'huge-line', bytes: 64 * MB }, text('after'), turnEnd]).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'debug')).toMatchObject([
      { code: 'line_truncated', data: { source: 'stdout', totalBytes: 64 * MB, keptBytes: MAX_LINE_BYTES } },
    ]);
    expect(await handle).toMatchObject({ text: 'after', exitReason: 'completed' });
    expect(process.memoryUsage().rss - before).toBeLessThan(160 * MB);
  });

  it('are complete if long but within the limit', async () => {
    const result = await bench.fake([sessionStart, { do: 'huge-line', bytes: 8 * MB }]).run();
    expect(result.text.length).toBeGreaterThan(8 * MB - 100);
  });

  it('are stored in `raw` only on request', async () => {
    const { run } = bench.fake([sessionStart, event({ type: 'title', title: 't' }), turnEnd]);
    const raws = (await eventsOf(run({ includeRaw: true }))).map(({ type, raw }) => [
      type,
      raw && JSON.parse(raw).type,
    ]);
    expect(raws).toContainEqual(['title', 'title']);
    expect(raws).toContainEqual(['turn_end', 'turn_end']);
    expect((await eventsOf(run())).filter((each) => 'raw' in each)).toEqual([]);
  });
});
