import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { amux, createTestHome, FAKE_AGENT, shell, start, TIMEOUT_MS, userConfig, writeConfig } from './amux.ts';

const HELLO = 'Hello! I am the demo agent. Ask me to write a file, or to ask you a question.\n';
const options = { timeout: TIMEOUT_MS };

describe('amux run', () => {
  it('prints only the answer on stdout, and how to resume on stderr', options, async () => {
    const { stdout, stderr } = await amux(createTestHome(), ['run', '-a', 'demo', 'hello', 'there']);
    expect(stdout).toBe(HELLO);
    expect(stderr).toMatch(/✓ done · .* tokens · \$0\.\d+ · demo-1/);
    expect(stderr).toMatch(/amux run -a demo --resume [0-9a-f-]{36} "\.\.\."/);
  });

  it('prints nothing else with --quiet', options, async () => {
    const done = await amux(createTestHome(), ['run', '-a', 'demo', '-q', '--yolo', 'write a.txt']);
    expect(done).toEqual({ code: 0, stdout: 'Wrote agent-mux-demo/a.txt.\n', stderr: '' });
  });

  it('takes the agent from AMUX_AGENT', options, async () => {
    const { stdout } = await amux(createTestHome(), ['run', 'hello'], { env: { AMUX_AGENT: 'demo' } });
    expect(stdout).toBe(HELLO);
  });

  it('shows a tool call and its result on one line', options, async () => {
    const testHome = createTestHome();
    const { stderr } = await amux(testHome, ['run', '-a', 'demo', '--yolo', 'write a.txt "one line"']);
    expect(stderr).toContain('● write_file agent-mux-demo/a.txt → 9 bytes written\n    + one line\n');
    expect(readFileSync(join(testHome.cwd, 'agent-mux-demo', 'a.txt'), 'utf8')).toBe('one line\n');
  });

  it('uses color only on a terminal or with FORCE_COLOR', options, async () => {
    const plain = await amux(createTestHome(), ['run', '-a', 'demo', 'hello']);
    expect(plain.stderr).not.toContain('\x1b[');
    const forced = await amux(createTestHome(), ['run', '-a', 'demo', 'hello'], { env: { FORCE_COLOR: '1' } });
    expect(forced.stderr).toContain('\x1b[');
    expect(forced.stdout).toBe(HELLO);
  });
});

describe('prompt', () => {
  it('is read from stdin by default', options, async () => {
    const { stdout } = await amux(createTestHome(), ['run', '-a', 'demo'], { stdin: 'hello\n' });
    expect(stdout).toBe(HELLO);
  });

  it('is read from a file', options, async () => {
    const testHome = createTestHome();
    writeFileSync(join(testHome.cwd, 'task.md'), 'hello\n');
    expect((await amux(testHome, ['run', '-a', 'demo', '--file', 'task.md'])).stdout).toBe(HELLO);
    const missing = await amux(testHome, ['run', '-a', 'demo', '--file', 'other.md']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('--file: ENOENT') });
    const endless = await amux(testHome, ['run', '-a', 'demo', '--file', '/dev/zero']);
    expect(endless).toMatchObject({ code: 2, stderr: expect.stringContaining('--file: /dev/zero: it is a device') });
  });

  it('combines arguments and stdin with -', options, async () => {
    const { home, cwd } = createTestHome();
    const testHome = { home, cwd };
    const first = await amux(testHome, ['run', '-a', 'demo', '--json', 'hello', 'there:', '-'], { stdin: 'a diff' });
    const { sessionId } = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '');
    const { stdout } = await amux(testHome, ['run', '-a', 'demo', '--resume', sessionId, 'what did I say before?']);
    expect(stdout).toContain('"hello there:\n\na diff"');
  });

  it('does not wait for unrequested stdin', options, async () => {
    const run = start(createTestHome(), ['run', '-a', 'demo', 'hello']);
    expect(await run.finished).toMatchObject({ code: 0, stdout: HELLO });
  });

  it('may start with a dash after --', options, async () => {
    const testHome = createTestHome();
    const { code, stdout } = await amux(testHome, ['run', '-a', 'demo', '--plan-it', 'hello']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const behind = await amux(testHome, ['run', '-a', 'demo', '--yolo', '--json', '--', '--json is a flag, hello']);
    expect(behind.code).toBe(0);
  });
});

describe('amux run --json', () => {
  it('prints one event per line in order, and the result last', options, async () => {
    const { stdout } = await amux(createTestHome(), [
      'run',
      '-a',
      'demo',
      '--json',
      '--yolo',
      '--tag',
      'x',
      'write a.txt',
    ]);
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

  it('includes the raw lines with --raw, which requires --json', options, async () => {
    const { stdout } = await amux(createTestHome(), ['run', '-a', 'demo', '--json', '--raw', 'hello']);
    expect(stdout).toContain('"raw":"{');
    expect(await amux(createTestHome(), ['run', '-a', 'demo', '--raw', 'hello'])).toMatchObject({ code: 2 });
  });

  it('reports a failed run in its result and on stderr', options, async () => {
    const { stdout, stderr } = await amux(createTestHome(), ['run', '-a', 'demo', '--json', 'fail rate limit']);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'run_result',
      exitReason: 'rate_limited',
      error: { code: 'RATE_LIMITED' },
    });
    expect(stderr).toMatch(
      /^amux: Demo agent: the demo limit is reached\nhint: the limit resets in .*; try again then$/m,
    );
  });
});

describe('amux run without a terminal', () => {
  it('denies requests at once, reports them and exits with 7', options, async () => {
    const testHome = createTestHome();
    const { code, stdout, stderr } = await amux(testHome, ['run', '-a', 'demo', 'write a.txt']);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /^amux: Demo agent asked once, but there was no terminal to answer on\nhint: use --approval-mode/m,
    );
    expect(stdout).toBe('Then I leave agent-mux-demo/a.txt alone.\n');
    expect(stderr).toContain('amux: denied, no terminal to ask on: Write agent-mux-demo/a.txt');
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo'))).toBe(false);
  });

  it('declines a question', options, async () => {
    const { code, stdout, stderr } = await amux(createTestHome(), ['run', '-a', 'demo', 'ask me a question']);
    expect(code).toBe(7);
    expect(stdout).toBe('No answer is an answer too.\n');
    expect(stderr).toContain('not answered, no terminal');
  });

  it('takes one turn per line of stdin in an interactive run', options, async () => {
    const stdin = 'what did I say before?\n\n/exit\nhello\n';
    const { code, stdout } = await amux(createTestHome(), ['run', '-a', 'demo', '-i', 'hello'], { stdin });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${HELLO}\nBefore this you said: "hello".\n` });
  });

  it('exits silently when the reader of its output does', options, async () => {
    const testHome = createTestHome();
    const run = shell(
      testHome,
      `$AMUX run -a demo --json slow 2>err.txt | head -2 | wc -l; echo "code \${PIPESTATUS[0]}"`,
    );
    const { stdout } = await run.finished;
    expect(stdout).toMatch(/^\s*2\ncode 13\n$/);
    expect(readFileSync(join(testHome.cwd, 'err.txt'), 'utf8')).toBe('');
  });

  it('prints a list to a reader that exits', options, async () => {
    const run = shell(createTestHome(), `$AMUX capabilities | head -1; echo "code \${PIPESTATUS[0]}"`);
    expect((await run.finished).stdout).toMatch(/code 0\n$/);
  });
});

describe('configured agents', () => {
  const job = (id: string, steps: unknown[]) => ({
    id,
    profile: 'generic-job',
    job: { command: process.execPath, args: [FAKE_AGENT, '--script', JSON.stringify(steps)] },
  });

  it('run like built-in ones', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), {
      agents: [
        job('lines', [
          { do: 'line', text: 'one' },
          { do: 'line', text: 'two' },
        ]),
      ],
    });
    const done = await amux(testHome, ['run', '-a', 'lines', 'go']);
    expect(done).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
    expect(done.stderr).toContain('! lines cannot ask for approval');
  });

  it('fail with the exit code and the last output of their process', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), {
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
    const no = await amux(testHome, ['run', '-a', 'says-no', 'go']);
    expect(no).toMatchObject({ code: 1, stderr: expect.stringContaining('says-no exited with code 3') });
    expect(no.stderr.match(/no such thing/g)).toHaveLength(1);
    expect(await amux(testHome, ['run', '-a', 'killed', 'go'])).toMatchObject({ code: 12 });
  });

  it('take options from profiles, below the flags', options, async () => {
    const testHome = createTestHome();
    writeConfig(userConfig(testHome), { profiles: { quick: { agent: 'demo', model: 'demo-mini', tags: ['p'] } } });
    const result = async (args: string[]) => {
      const { stdout } = await amux(testHome, ['run', '--json', '--profile', 'quick', ...args, 'hello']);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    expect(await result([])).toMatchObject({ agent: 'demo', model: 'demo-mini', tags: ['p'] });
    expect(await result(['-m', 'demo-1', '--tag', 'f'])).toMatchObject({ model: 'demo-1', tags: ['f'] });
    expect(await amux(testHome, ['run', '--profile', 'slow', 'hello'])).toMatchObject({ code: 2 });
  });
});
