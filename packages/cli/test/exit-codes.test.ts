import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, start } from './amux.ts';

const place = newPlace();

describe('the exit code of amux', () => {
  it.each([
    [0, 'a run that went well', ['run', '-a', 'demo', 'hello']],
    [1, 'a session that is not there', ['run', '-a', 'demo', '--resume', 'nope', 'hello']],
    [2, 'an unknown flag', ['run', '-a', 'demo', '--modle', 'x', 'hello']],
    [2, 'a value that is none', ['run', '-a', 'demo', '--timeout', 'soon', 'hello']],
    [2, 'an option that no agent knows', ['run', '-a', 'demo', '--effort', 'huge', 'hello']],
    [2, 'no agent', ['run', 'hello']],
    [2, 'no prompt', ['run', '-a', 'demo']],
    [2, 'an unknown command', ['rn']],
    [3, 'an agent that nobody knows', ['run', '-a', 'dmo', 'hello']],
    [4, 'an agent that is not installed', ['run', '-a', 'claude', 'hello']],
    [4, 'the detection of one', ['detect', 'claude']],
    [5, 'a login that fails', ['run', '-a', 'demo', 'fail auth']],
    [6, 'what the agent cannot', ['run', '-a', 'demo', '--max-turns', '3', 'hello']],
    [7, 'a request that nobody could be asked about', ['run', '-a', 'demo', 'write a.txt']],
    [11, 'a run that takes too long', ['run', '-a', 'demo', '--timeout', '1s', 'hang']],
    [11, 'an agent that falls silent', ['run', '-a', 'demo', '--inactivity-timeout', '500ms', 'hang']],
    [12, 'an agent that crashes', ['run', '-a', 'demo', 'fail crash']],
    [14, 'a limit', ['run', '-a', 'demo', 'fail rate limit']],
    [15, 'a full context', ['run', '-a', 'demo', 'fail context']],
  ] as const)('is %i for %s', { timeout: PATIENCE_MS }, async (code, _, args) => {
    const done = await amux(place, args);
    expect({ code: done.code, output: done.stdout + done.stderr }).toMatchObject({ code });
    if (code === 0) expect(done.stderr).not.toContain('amux:');
    else if (args[0] !== 'detect') expect(done.stderr).toMatch(/^amux: \S.+$/m);
  });

  it('is 13 for a turn that was interrupted, and the session can go on', { timeout: PATIENCE_MS }, async () => {
    const run = start(place, ['run', '-a', 'demo', '--json', 'hang']);
    await run.until('"me.');
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.finished;
    expect(code).toBe(13);
    expect(stderr).toContain('Ctrl-C again aborts');
    const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(result).toMatchObject({ type: 'run_result', exitReason: 'interrupted' });
    const again = await amux(place, ['run', '-a', 'demo', '--resume', result.sessionId, 'what did I say before?']);
    expect(again.stdout).toContain('"hang"');
  });

  it('is 13 for a run that is aborted by a second Ctrl-C', { timeout: PATIENCE_MS }, async () => {
    const run = start(place, ['run', '-a', 'demo', '--json', 'hang hard']);
    await run.until('"me.');
    run.child.kill('SIGINT');
    await run.until('Ctrl-C again aborts');
    run.child.kill('SIGINT');
    const { code, stdout } = await run.finished;
    expect(code).toBe(13);
    expect(stdout).toContain('"exitReason":"aborted"');
  });

  it('is 13 when amux is told to end, and the agent ends with it', { timeout: PATIENCE_MS }, async () => {
    const run = start(place, ['run', '-a', 'demo', '--json', 'hang']);
    await run.until('"me.');
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.finished;
    expect(code).toBe(13);
    expect(stdout.trim().split('\n').at(-1)).toContain('"exitReason":"aborted"');
  });
});

describe('an error', () => {
  it('is one line that says what, and one that says what to do', { timeout: PATIENCE_MS }, async () => {
    const { stdout, stderr } = await amux(place, ['run', '-a', 'dmo', 'hello']);
    expect(stderr).toBe('amux: There is no agent "dmo"\nhint: Did you mean demo?\n');
    expect(stdout).toBe('');
  });

  it('is also one line of JSON on stdout where JSON was asked for', { timeout: PATIENCE_MS }, async () => {
    const { stdout, stderr } = await amux(place, ['run', '-a', 'demo', '--json', '--max-turns', '3', 'hello']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', code: 'CAPABILITY_ERROR', agent: 'demo', exitCode: 6 });
    expect(stderr).toContain('(--max-turns)');
  });

  it('names the flag and not the option behind it', { timeout: PATIENCE_MS }, async () => {
    const { stderr } = await amux(place, ['run', '-a', 'demo', '--effort', 'huge', 'hello']);
    expect(stderr).toContain('--effort: ');
    expect(stderr).not.toContain('thinkingEffort');
  });

  it('knows near names of flags and commands', { timeout: PATIENCE_MS }, async () => {
    expect((await amux(place, ['run', '--approval-mod', 'yolo'])).stderr).toContain('did you mean --approval-mode?');
    expect((await amux(place, ['agent'])).stderr).toContain('did you mean "amux agents"?');
  });
});
