import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/folders.ts';
import { RunningFakeAgent, startFakeAgent } from './running.ts';
import { fakeAgent, fakeAgentPath } from './spawn.ts';
import type { Step } from './steps.ts';

/** All output of a script, once it has ended. */
async function outputOf(...steps: Step[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const agent = startFakeAgent(steps);
  const { code } = await agent.ended;
  return { stdout: agent.stdout.toString(), stderr: agent.stderr, code };
}

const delta = (text: string): { type: 'text_delta'; delta: string } => ({ type: 'text_delta', delta: text });

describe('script', () => {
  it('is read from the command line, from a file, or from the environment', async () => {
    const folder = newFolder();
    const file = join(folder, 'script.json');
    const script = JSON.stringify([{ do: 'line', text: 'here' }]);
    await writeFile(file, script);
    const node = process.execPath;
    const agents = [
      new RunningFakeAgent(node, [fakeAgentPath(), '--script', script]),
      new RunningFakeAgent(node, [fakeAgentPath(), '--script-file', file]),
      new RunningFakeAgent(node, [fakeAgentPath()], { env: { ...process.env, FAKE_AGENT_SCRIPT: script } }),
    ];
    for (const agent of agents) {
      expect(await agent.ended).toEqual({ code: 0, signal: null });
      expect(agent.stdout.toString()).toBe('here\n');
      expect(agent.stderr).toBe('');
    }
  });

  it('is rejected if it is missing or a step is unknown', async () => {
    const none = new RunningFakeAgent(process.execPath, [fakeAgentPath()]);
    const unknown = new RunningFakeAgent(process.execPath, [fakeAgentPath(), '--script', '[{"do":"dance"}]']);
    expect((await none.ended).code).toBe(64);
    expect((await unknown.ended).code).toBe(64);
    expect(unknown.stderr).toContain('dance');
  });

  it('is rejected by the builder if it is too long for a command line', () => {
    expect(() => fakeAgent([{ do: 'line', text: 'x'.repeat(200_000) }])).toThrow(RangeError);
  });

  it('fills in placeholders, escaped inside JSON', async () => {
    const agent = startFakeAgent(
      [
        { do: 'line', text: 'a {{name}} {{unknown}}' },
        { do: 'event', event: delta('{{name}}') },
      ],
      { vars: { name: 'q"=1' } },
    );
    await agent.ended;
    expect(agent.lines()).toEqual(['a q"=1 {{unknown}}', JSON.stringify(delta('q"=1'))]);
  });

  it('repeats steps and counts', async () => {
    const { stdout } = await outputOf({ do: 'repeat', times: 3, steps: [{ do: 'line', text: '{{i}}' }] });
    expect(stdout).toBe('0\n1\n2\n');
  });

  it('does something else at each attempt, and repeats the last', async () => {
    const counterFile = join(newFolder(), 'attempts');
    const attempts: Step[][] = [[{ do: 'exit', code: 5 }], [{ do: 'line', text: 'fine' }]];
    const outputs = [];
    for (let i = 0; i < 3; i++) outputs.push(await outputOf({ do: 'by-attempt', counterFile, attempts }));
    expect(outputs.map(({ code, stdout }) => [code, stdout])).toEqual([
      [5, ''],
      [0, 'fine\n'],
      [0, 'fine\n'],
    ]);
  });

  it('appends to a file', async () => {
    const path = join(newFolder(), 'log');
    await outputOf({ do: 'append', path, text: 'one ' }, { do: 'append', path, text: 'two' });
    expect(await readFile(path, 'utf8')).toBe('one two');
  });

  it('waits', async () => {
    const started = performance.now();
    await outputOf({ do: 'wait', ms: 300 });
    expect(performance.now() - started).toBeGreaterThanOrEqual(300);
  });
});

describe('output', () => {
  it('goes to stdout or stderr, with the requested ending', async () => {
    const output = await outputOf(
      { do: 'line', text: 'a' },
      { do: 'line', text: 'b', ending: 'crlf' },
      { do: 'line', text: 'e', to: 'stderr' },
      { do: 'event', event: delta('z'), to: 'stderr', ending: 'crlf' },
      { do: 'line', text: 'c', ending: 'none' },
    );
    expect(output).toEqual({ stdout: 'a\nb\r\nc', stderr: 'e\n{"type":"text_delta","delta":"z"}\r\n', code: 0 });
  });

  it('may hold NUL bytes', async () => {
    const { stdout } = await outputOf({ do: 'line', text: 'a\0b' });
    expect(stdout).toBe('a\0b\n');
  });

  it('is raw bytes on request, even invalid UTF-8', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xe2, 0x82]);
    const agent = startFakeAgent([{ do: 'bytes', base64: bytes.toString('base64') }]);
    await agent.ended;
    expect(agent.stdout).toEqual(bytes);
  });

  it('splits inside UTF-8 sequences when written in chunks', async () => {
    const started = performance.now();
    const agent = startFakeAgent([{ do: 'chunks', text: '€uro', size: 2, delayMs: 100 }]);
    await agent.ended;
    expect(performance.now() - started).toBeGreaterThan(290);
    expect(agent.stdout.toString()).toBe('€uro\n');
    expect(agent.chunks.length).toBeGreaterThan(1);
    expect(agent.chunks[0]).toEqual(Buffer.from('€').subarray(0, 2));
  });

  it('is one huge line of exactly this many bytes', async () => {
    const bytes = 64 * 1024 * 1024;
    const agent = startFakeAgent([{ do: 'huge-line', bytes }]);
    await agent.ended;
    const { stdout } = agent;
    expect(stdout.length).toBe(bytes + 1);
    expect(stdout.indexOf('\n')).toBe(bytes);
    expect(stdout.subarray(0, 40).toString()).toMatch(/^\{"type":"text_delta","delta":"x+$/);
    expect(stdout.subarray(-4).toString()).toBe('x"}\n');
  });

  it('ends in the middle of a JSON line', async () => {
    const { stdout, code } = await outputOf(
      { do: 'event', event: delta('whole') },
      { do: 'half-event', event: delta('cut here'), exitCode: 4 },
    );
    expect(code).toBe(4);
    const [whole, half] = stdout.split('\n');
    expect(JSON.parse(whole ?? '')).toEqual(delta('whole'));
    expect(half).toMatch(/^\{"type"/);
    expect(() => JSON.parse(half ?? '')).toThrow();
  });

  it.each(['stdout', 'stderr'] as const)('floods %s with numbered lines of one size', async (to) => {
    const agent = startFakeAgent([{ do: 'flood', lines: 20_000, bytes: 80, to }]);
    await agent.ended;
    const lines = (to === 'stdout' ? agent.stdout.toString() : agent.stderr).trimEnd().split('\n');
    expect(lines).toHaveLength(20_000);
    expect(lines.every((line) => line.length === 80)).toBe(true);
    expect(lines.map((line) => Number.parseInt(JSON.parse(line).delta, 10))).toEqual(lines.map((_, n) => n));
  });

  it.runIf(process.platform === 'linux')('stops without a reader, with bounded memory, and loses nothing', async () => {
    const agent = startFakeAgent(
      [
        { do: 'line', text: 'before', to: 'stderr' },
        { do: 'flood', lines: 200_000, bytes: 1000 },
        { do: 'line', text: 'after', to: 'stderr' },
      ],
      { paused: true },
    );
    await untilIdle(agent);
    expect(agent.stderr).toBe('before\n');
    expect(await peakMemory(agent.pid)).toBeLessThan(90 * 1024 * 1024);
    let bytes = 0;
    agent.child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await agent.ended;
    expect(bytes).toBe(200_000 * 1001);
    expect(agent.stderr).toBe('before\nafter\n');
  });
});

/** Until the process has started its script and then used no CPU time over several samples. */
async function untilIdle(agent: RunningFakeAgent): Promise<void> {
  let last = '';
  for (let same = 0; same < 6; ) {
    await new Promise((done) => setTimeout(done, 40));
    const stat = await readFile(`/proc/${agent.pid}/stat`, 'utf8');
    const used = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).join(' ');
    same = used === last && agent.stderr !== '' ? same + 1 : 0;
    last = used;
  }
}

async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
