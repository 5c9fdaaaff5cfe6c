import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, FAKE_AGENT, newPlace, PATIENCE_MS, shell, start, userConfig, writeConfig } from './amux.ts';

const HELLO = 'Hello! I am the demo agent. Tell me to write a file, or to ask you a question.\n';
const options = { timeout: PATIENCE_MS };

describe('amux run', () => {
  it('puts the answer alone on stdout, and how to go on beside it', options, async () => {
    const { stdout, stderr } = await amux(newPlace(), ['run', '-a', 'demo', 'hello', 'there']);
    expect(stdout).toBe(HELLO);
    expect(stderr).toMatch(/✓ done · .* tokens · \$0\.\d+ · demo-1/);
    expect(stderr).toMatch(/amux run -a demo --resume [0-9a-f-]{36} "\.\.\."/);
  });

  it('says nothing else with --quiet', options, async () => {
    const done = await amux(newPlace(), ['run', '-a', 'demo', '-q', '--yolo', 'write a.txt']);
    expect(done).toEqual({ code: 0, stdout: 'Wrote agent-mux-demo/a.txt.\n', stderr: '' });
  });

  it('takes the agent from AMUX_AGENT', options, async () => {
    const { stdout } = await amux(newPlace(), ['run', 'hello'], { env: { AMUX_AGENT: 'demo' } });
    expect(stdout).toBe(HELLO);
  });

  it('shows a tool call on one line, with what came of it', options, async () => {
    const place = newPlace();
    const { stderr } = await amux(place, ['run', '-a', 'demo', '--yolo', 'write a.txt "one line"']);
    expect(stderr).toContain('● write_file agent-mux-demo/a.txt → 9 bytes written\n    + one line\n');
    expect(readFileSync(join(place.cwd, 'agent-mux-demo', 'a.txt'), 'utf8')).toBe('one line\n');
  });

  it('does not colour what no terminal shows, unless it is told to', options, async () => {
    const plain = await amux(newPlace(), ['run', '-a', 'demo', 'hello']);
    expect(plain.stderr).not.toContain('\x1b[');
    const forced = await amux(newPlace(), ['run', '-a', 'demo', 'hello'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toContain('\x1b[');
    expect(forced.stdout).toBe(HELLO);
  });
});

describe('the prompt', () => {
  it('comes through stdin where there is nothing else', options, async () => {
    const { stdout } = await amux(newPlace(), ['run', '-a', 'demo'], { stdin: 'hello\n' });
    expect(stdout).toBe(HELLO);
  });

  it('comes from a file', options, async () => {
    const place = newPlace();
    writeFileSync(join(place.cwd, 'task.md'), 'hello\n');
    expect((await amux(place, ['run', '-a', 'demo', '--file', 'task.md'])).stdout).toBe(HELLO);
    const missing = await amux(place, ['run', '-a', 'demo', '--file', 'other.md']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('--file: ENOENT') });
    const endless = await amux(place, ['run', '-a', 'demo', '--file', '/dev/zero']);
    expect(endless).toMatchObject({ code: 2, stderr: expect.stringContaining('--file: /dev/zero: it is a device') });
  });

  it('is words and stdin together where - asks for it', options, async () => {
    const { home, cwd } = newPlace();
    const place = { home, cwd };
    const first = await amux(place, ['run', '-a', 'demo', '--json', 'hello', 'there:', '-'], { stdin: 'a diff' });
    const { sessionId } = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '');
    const { stdout } = await amux(place, ['run', '-a', 'demo', '--resume', sessionId, 'what did I say before?']);
    expect(stdout).toContain('"hello there:\n\na diff"');
  });

  it('does not wait for a stdin that nobody asked for', options, async () => {
    const run = start(newPlace(), ['run', '-a', 'demo', 'hello']);
    expect(await run.finished).toMatchObject({ code: 0, stdout: HELLO });
  });

  it('may begin with a dash behind --', options, async () => {
    const place = newPlace();
    const { code, stdout } = await amux(place, ['run', '-a', 'demo', '--plan-it', 'hello']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const behind = await amux(place, ['run', '-a', 'demo', '--yolo', '--json', '--', '--json is a flag, hello']);
    expect(behind.code).toBe(0);
  });
});

describe('amux run --json', () => {
  it('prints one event per line in their order, and the result last', options, async () => {
    const { stdout } = await amux(newPlace(), ['run', '-a', 'demo', '--json', '--yolo', '--tag', 'x', 'write a.txt']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const result = lines.pop();
    expect(lines[0]).toMatchObject({ type: 'session_start', agent: 'demo', seq: 0 });
    expect(lines.at(-1)).toMatchObject({ type: 'session_end', reason: 'completed' });
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index));
    expect(result).toMatchObject({ type: 'run_result', agent: 'demo', exitReason: 'completed', tags: ['x'] });
    expect(result.text).toContain('Wrote agent-mux-demo/a.txt.');
    expect(result.usage.inputTokens).toBeGreaterThan(0);
  });

  it('carries the raw lines with --raw, which needs --json', options, async () => {
    const { stdout } = await amux(newPlace(), ['run', '-a', 'demo', '--json', '--raw', 'hello']);
    expect(stdout).toContain('"raw":"{');
    expect(await amux(newPlace(), ['run', '-a', 'demo', '--raw', 'hello'])).toMatchObject({ code: 2 });
  });

  it('tells of a failed run by its result, and a person on stderr', options, async () => {
    const { stdout, stderr } = await amux(newPlace(), ['run', '-a', 'demo', '--json', 'fail rate limit']);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'run_result',
      exitReason: 'rate_limited',
      error: { code: 'RATE_LIMITED' },
    });
    expect(stderr).toMatch(
      /^amux: Demo agent: the demo limit is reached\nhint: the limit is lifted in .*; try again then$/m,
    );
  });
});

describe('without a terminal', () => {
  it('denies at once what would be asked, says so, and does not end as if all was done', options, async () => {
    const place = newPlace();
    const { code, stdout, stderr } = await amux(place, ['run', '-a', 'demo', 'write a.txt']);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /^amux: Demo agent asked once, and there was no terminal to answer on\nhint: --approval-mode/m,
    );
    expect(stdout).toBe('Then I leave agent-mux-demo/a.txt alone.\n');
    expect(stderr).toContain('amux: denied, since there is no terminal to ask on: Write agent-mux-demo/a.txt');
    expect(existsSync(join(place.cwd, 'agent-mux-demo'))).toBe(false);
  });

  it('declines a question', options, async () => {
    const { code, stdout, stderr } = await amux(newPlace(), ['run', '-a', 'demo', 'ask me a question']);
    expect(code).toBe(7);
    expect(stdout).toBe('No answer is an answer too.\n');
    expect(stderr).toContain('not answered, since there is no terminal');
  });

  it('takes a turn from each line of stdin in an interactive run', options, async () => {
    const stdin = 'what did I say before?\n\n/exit\nhello\n';
    const { code, stdout } = await amux(newPlace(), ['run', '-a', 'demo', '-i', 'hello'], { stdin });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${HELLO}\nBefore this you said: "hello".\n` });
  });

  it('leaves quietly when the reader of its output does', options, async () => {
    const place = newPlace();
    const run = shell(
      place,
      `$AMUX run -a demo --json slow 2>err.txt | head -2 | wc -l; echo "code \${PIPESTATUS[0]}"`,
    );
    const { stdout } = await run.finished;
    expect(stdout).toMatch(/^\s*2\ncode 13\n$/);
    expect(readFileSync(join(place.cwd, 'err.txt'), 'utf8')).toBe('');
  });

  it('prints a list to a reader that leaves', options, async () => {
    const run = shell(newPlace(), `$AMUX capabilities | head -1; echo "code \${PIPESTATUS[0]}"`);
    expect((await run.finished).stdout).toMatch(/code 0\n$/);
  });
});

describe('agents of the configuration', () => {
  const job = (id: string, steps: unknown[]) => ({
    id,
    profile: 'generic-job',
    job: { command: process.execPath, args: [FAKE_AGENT, '--script', JSON.stringify(steps)] },
  });

  it('run like any other', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), {
      agents: [
        job('lines', [
          { do: 'line', text: 'one' },
          { do: 'line', text: 'two' },
        ]),
      ],
    });
    const done = await amux(place, ['run', '-a', 'lines', 'go']);
    expect(done).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
    expect(done.stderr).toContain('! lines cannot ask for approval');
  });

  it('fail with the code and the last words of their process', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), {
      agents: [
        job('says-no', [
          { do: 'line', text: 'no such thing', to: 'stderr' },
          { do: 'exit', code: 3 },
        ]),
        job('killed', [
          { do: 'line', text: 'oh', to: 'stderr' },
          { do: 'kill-self', signal: 'SIGKILL' },
        ]),
      ],
    });
    const no = await amux(place, ['run', '-a', 'says-no', 'go']);
    expect(no).toMatchObject({ code: 1, stderr: expect.stringContaining('says-no exited with code 3') });
    expect(no.stderr.match(/no such thing/g)).toHaveLength(1);
    expect(await amux(place, ['run', '-a', 'killed', 'go'])).toMatchObject({ code: 12 });
  });

  it('and profiles give options that flags stand over', options, async () => {
    const place = newPlace();
    writeConfig(userConfig(place), { profiles: { quick: { agent: 'demo', model: 'demo-mini', tags: ['p'] } } });
    const result = async (args: string[]) => {
      const { stdout } = await amux(place, ['run', '--json', '--profile', 'quick', ...args, 'hello']);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    expect(await result([])).toMatchObject({ agent: 'demo', model: 'demo-mini', tags: ['p'] });
    expect(await result(['-m', 'demo-1', '--tag', 'f'])).toMatchObject({ model: 'demo-1', tags: ['f'] });
    expect(await amux(place, ['run', '--profile', 'slow', 'hello'])).toMatchObject({ code: 2 });
  });
});
