import { describe, expect, it } from 'vitest';
import { amux, createTestHome, start, TIMEOUT_MS } from './amux.ts';

const testHome = createTestHome();

describe('exit code of amux', () => {
  it.each([
    [0, 'a run that went well', ['run', '-a', 'demo', 'hello']],
    [1, 'an unknown session', ['run', '-a', 'demo', '--resume', 'nope', 'hello']],
    [2, 'an unknown flag', ['run', '-a', 'demo', '--modle', 'x', 'hello']],
    [2, 'a value that is none', ['run', '-a', 'demo', '--timeout', 'soon', 'hello']],
    [2, 'an option that no agent knows', ['run', '-a', 'demo', '--effort', 'huge', 'hello']],
    [2, 'no agent', ['run', 'hello']],
    [2, 'no prompt', ['run', '-a', 'demo']],
    [2, 'an unknown command', ['rn']],
    [3, 'an unknown agent', ['run', '-a', 'dmo', 'hello']],
    [4, 'an agent that is not installed', ['run', '-a', 'claude', 'hello']],
    [4, 'the detection of one', ['detect', 'claude']],
    [5, 'a login that fails', ['run', '-a', 'demo', 'fail auth']],
    [6, 'what the agent cannot', ['run', '-a', 'demo', '--max-turns', '3', 'hello']],
    [7, 'a request without a terminal', ['run', '-a', 'demo', 'write a.txt']],
    [11, 'a run that takes too long', ['run', '-a', 'demo', '--timeout', '1s', 'hang']],
    [11, 'an agent that falls silent', ['run', '-a', 'demo', '--inactivity-timeout', '500ms', 'hang']],
    [12, 'an agent that crashes', ['run', '-a', 'demo', 'fail crash']],
    [14, 'a limit', ['run', '-a', 'demo', 'fail rate limit']],
    [15, 'a full context', ['run', '-a', 'demo', 'fail context']],
  ] as const)('is %i for %s', { timeout: TIMEOUT_MS }, async (code, _, args) => {
    const done = await amux(testHome, args);
    expect({ code: done.code, output: done.stdout + done.stderr }).toMatchObject({ code });
    if (code === 0) expect(done.stderr).not.toContain('amux:');
    else if (args[0] !== 'detect') expect(done.stderr).toMatch(/^amux: \S.+$/m);
  });

  it('is 13 for an interrupted turn, and the session can be resumed', { timeout: TIMEOUT_MS }, async () => {
    const run = start(testHome, ['run', '-a', 'demo', '--json', 'hang']);
    await run.until('"me.');
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.finished;
    expect(code).toBe(13);
    expect(stderr).toContain('Ctrl-C again aborts');
    const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(result).toMatchObject({ type: 'run_result', exitReason: 'interrupted' });
    const again = await amux(testHome, ['run', '-a', 'demo', '--resume', result.sessionId, 'what did I say before?']);
    expect(again.stdout).toContain('"hang"');
  });

  it('is 13 for a run aborted by a second Ctrl-C', { timeout: TIMEOUT_MS }, async () => {
    const run = start(testHome, ['run', '-a', 'demo', '--json', 'hang hard']);
    await run.until('"me.');
    run.child.kill('SIGINT');
    await run.until('Ctrl-C again aborts');
    run.child.kill('SIGINT');
    const { code, stdout } = await run.finished;
    expect(code).toBe(13);
    expect(stdout).toContain('"exitReason":"aborted"');
  });

  it('is 13 when amux is terminated, and the agent ends with it', { timeout: TIMEOUT_MS }, async () => {
    const run = start(testHome, ['run', '-a', 'demo', '--json', 'hang']);
    await run.until('"me.');
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.finished;
    expect(code).toBe(13);
    expect(stdout.trim().split('\n').at(-1)).toContain('"exitReason":"aborted"');
  });
});

describe('error', () => {
  it('is printed as a message and a hint', { timeout: TIMEOUT_MS }, async () => {
    const { stdout, stderr } = await amux(testHome, ['run', '-a', 'dmo', 'hello']);
    expect(stderr).toBe('amux: unknown agent "dmo"\nhint: did you mean demo?\n');
    expect(stdout).toBe('');
  });

  it('is printed as one JSON line on stdout with --json', { timeout: TIMEOUT_MS }, async () => {
    const { stdout, stderr } = await amux(testHome, ['run', '-a', 'demo', '--json', '--max-turns', '3', 'hello']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', code: 'CAPABILITY_ERROR', agent: 'demo', exitCode: 6 });
    expect(stderr).toContain('(--max-turns)');
  });

  it('names the flag instead of the option', { timeout: TIMEOUT_MS }, async () => {
    const { stderr } = await amux(testHome, ['run', '-a', 'demo', '--effort', 'huge', 'hello']);
    expect(stderr).toContain('--effort: ');
    expect(stderr).not.toContain('thinkingEffort');
  });

  it('suggests similar flags and commands', { timeout: TIMEOUT_MS }, async () => {
    expect((await amux(testHome, ['run', '--approval-mod', 'yolo'])).stderr).toContain('did you mean --approval-mode?');
    expect((await amux(testHome, ['agent'])).stderr).toContain('did you mean "amux agents"?');
  });
});
