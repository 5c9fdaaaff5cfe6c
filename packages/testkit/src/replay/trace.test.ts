import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, TRACE_SCHEMA } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { FakeAdapter } from '../fake-agent/adapter.ts';
import { parseRecording, readRecording } from './recording.ts';

const trace = (...records: object[]) =>
  [{ schema: TRACE_SCHEMA, runId: 'r', agent: 'a', t: 0 }, ...records]
    .map((record) => JSON.stringify(record))
    .join('\n');

describe('trace as a recording', () => {
  it('has its chunks split into lines again, also within a character, and no stderr', () => {
    const [first, second] = [Buffer.from('grü').subarray(0, 3), Buffer.from('grü\nle').subarray(3)];
    const content = trace(
      { t: 1, dir: 'in', data: '{"prompt":"hi"}\n' },
      { t: 2, dir: 'stdout', base64: first.toString('base64') },
      { t: 3, dir: 'stderr', data: 'a warning\n' },
      { t: 4, dir: 'stdout', base64: second.toString('base64') },
      { t: 5, dir: 'in', data: 'more\n' },
      { t: 6, dir: 'stdout', data: 'ft' },
    );
    expect(parseRecording(content)).toEqual([
      { direction: 'out', line: '{"prompt":"hi"}' },
      { direction: 'in', line: 'grü' },
      { direction: 'out', line: 'more' },
      { direction: 'in', line: 'left' },
    ]);
  });

  it('contains the input and output of a real agent run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-mux-trace-'));
    const said = { type: 'text_delta', delta: 'hello' } as const;
    const client = createClient({
      adapters: [new FakeAdapter({ steps: [{ do: 'event', event: said }] })],
      runIndex: false,
    });
    try {
      const tracePath = join(folder, 'run.trace');
      await client.run({ agent: 'fake', prompt: 'say it\n', mode: 'oneshot', cwd: folder, tracePath });
      expect(await readRecording(tracePath)).toEqual([
        { direction: 'out', line: 'say it' },
        { direction: 'in', line: JSON.stringify(said) },
      ]);
    } finally {
      await client.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
