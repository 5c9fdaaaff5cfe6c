import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TRACE_HIGH_WATER_BYTES, TRACE_SCHEMA, TraceWriter } from './trace.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trace-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = { runId: 'r1', agent: 'acme', now: () => 5 };
const linesOf = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('TraceWriter', () => {
  it('writes every chunk with its time and direction, in order', async () => {
    const file = join(folder, 'trace.jsonl');
    const trace = new TraceWriter(file, run);
    trace.write('in', 'hello\n');
    trace.write('stdout', Buffer.from('wörld'));
    trace.write('stderr', Buffer.from([0xc3]));
    await trace.close();
    expect(await linesOf(file)).toEqual([
      { schema: TRACE_SCHEMA, runId: 'r1', agent: 'acme', t: 5 },
      { t: 5, dir: 'in', data: 'hello\n' },
      { t: 5, dir: 'stdout', data: 'wörld' },
      { t: 5, dir: 'stderr', base64: Buffer.from([0xc3]).toString('base64') },
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('reproduces every byte of a stream that was cut anywhere', async () => {
    const file = join(folder, 'trace.jsonl');
    const bytes = Buffer.from('naïve — 漢字 🚀 '.repeat(500));
    const trace = new TraceWriter(file, run);
    for (let at = 0; at < bytes.length; at += 7) trace.write('stdout', bytes.subarray(at, at + 7));
    await trace.close();
    const chunks = (await linesOf(file))
      .slice(1)
      .map((line) => ('data' in line ? Buffer.from(line.data) : Buffer.from(line.base64, 'base64')));
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  it('contains no secret of the run, wherever a chunk was cut', async () => {
    const secret = 'pässwörd-1234';
    const bytes = Buffer.from(`naïve ${secret} päss ${secret}${secret} pässwörd-123`);
    for (let size = 1; size < 20; size += 1) {
      const file = join(folder, `trace-${size}.jsonl`);
      const trace = new TraceWriter(file, { ...run, secrets: [secret] });
      for (let at = 0; at < bytes.length; at += size) trace.write('stdout', bytes.subarray(at, at + size));
      await trace.close();
      const chunks = (await linesOf(file))
        .slice(1)
        .map((line) => ('data' in line ? Buffer.from(line.data) : Buffer.from(line.base64, 'base64')));
      expect(Buffer.concat(chunks).toString()).toBe('naïve [redacted] päss [redacted][redacted] pässwörd-123');
    }
  });

  it('rejects a file whose folder is missing, by the option name', () => {
    expect(() => new TraceWriter(join(folder, 'none', 'trace.jsonl'), run)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', issues: [expect.objectContaining({ field: 'tracePath' })] }),
    );
    expect(() => new TraceWriter(folder, run)).toThrow(/tracePath/);
  });

  it('makes its producer wait and loses no accepted data', async () => {
    const file = join(folder, 'trace.jsonl');
    const trace = new TraceWriter(file, run);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let waits = 0;
    for (let i = 0; i < 20; i += 1) {
      if (trace.write('stdout', chunk)) continue;
      waits += 1;
      await trace.waitForDrain();
    }
    await trace.close();
    expect(waits).toBeGreaterThan(0);
    expect(waits).toBeLessThanOrEqual((20 * chunk.length) / TRACE_HIGH_WATER_BYTES + 1);
    expect((await stat(file)).size).toBeGreaterThan(20 * chunk.length);
  });

  it('records how many bytes it dropped if the producer does not wait', async () => {
    const file = join(folder, 'trace.jsonl');
    const trace = new TraceWriter(file, { ...run, limitBytes: 1024 * 1024 });
    const chunk = Buffer.alloc(256 * 1024, 'x');
    const count = 6;
    for (let i = 0; i < count; i += 1) trace.write('stdout', chunk);
    await trace.close();
    const records = await linesOf(file);
    const stored = records.reduce((sum: number, record) => sum + (record.data?.length ?? 0), 0);
    const omitted = records.reduce((sum: number, record) => sum + (record.omittedBytes ?? 0), 0);
    expect(omitted).toBeGreaterThan(0);
    expect(stored + omitted).toBe(count * chunk.length);
  });

  it.skipIf(process.platform !== 'linux')('reports a full disk once without throwing', async () => {
    const issues: Error[] = [];
    const trace = new TraceWriter('/dev/full', { ...run, onError: (error) => issues.push(error) });
    for (let i = 0; i < 5; i += 1) {
      trace.write('stdout', 'lost');
      await trace.waitForDrain();
    }
    await trace.close();
    await trace.close();
    expect(issues.map((error) => error.message)).toEqual([expect.stringContaining('ENOSPC')]);
    expect(trace.write('stdout', 'after the end')).toBe(true);
  });
});
