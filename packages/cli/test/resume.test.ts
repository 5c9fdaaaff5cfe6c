import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AMUX, amux, createTestHome, shell, type TestHome, TIMEOUT_MS, writeProgram } from './amux.ts';

const options = { timeout: TIMEOUT_MS };
const RECALL = 'what did I say before?';

async function sessionOf(testHome: TestHome, prompt: string, flags: readonly string[] = []): Promise<string> {
  const { stdout } = await amux(testHome, ['run', '-a', 'demo', '--json', ...flags, prompt]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').sessionId;
}

describe('resuming a session', () => {
  it('works with the printed command, also from another folder', options, async () => {
    const testHome = createTestHome();
    const there = join(testHome.cwd, 'there');
    mkdirSync(there);
    const { stderr } = await amux(testHome, ['run', '-a', 'demo', '-C', 'there', 'hello']);
    const [, command = ''] = /resume: {2}amux (.*) "\.\.\."$/m.exec(stderr) ?? [];
    expect(command).toContain(`-C ${there}`);
    const again = await shell(testHome, `$AMUX ${command} "${RECALL}" </dev/null`).finished;
    expect(again).toMatchObject({ code: 0, stdout: 'Before this you said: "hello".\n' });
  });

  it('needs neither the agent nor the full id', options, async () => {
    const testHome = createTestHome();
    const id = await sessionOf(testHome, 'hello');
    const done = await amux(testHome, ['run', '--resume', id.slice(0, 8), RECALL], { env: { AMUX_AGENT: 'claude' } });
    expect(done).toMatchObject({ code: 0, stdout: 'Before this you said: "hello".\n' });
    expect(done.stderr).toContain(`resuming demo session ${id}`);
    const fork = await amux(testHome, ['run', '--fork', id.slice(0, 8), '--json', RECALL]);
    const result = JSON.parse(fork.stdout.trim().split('\n').at(-1) ?? '');
    expect(result).toMatchObject({ agent: 'demo', text: expect.stringContaining('"hello"') });
    expect(result.sessionId).not.toBe(id);
  });

  it('fails if the session does not exist or belongs to another agent', options, async () => {
    const testHome = createTestHome();
    const id = await sessionOf(testHome, 'hello');
    const nowhere = await amux(testHome, ['run', '--resume', 'nope', 'continue']);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('session "nope" not found') });
    const other = await amux(testHome, ['run', '-a', 'claude', '--resume', id, 'continue']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`${id} belongs to demo, not to claude`) });
  });

  it('resumes and forks sessions of an agent that stores none on this machine', options, async () => {
    const testHome = createTestHome();
    const bin = join(testHome.home, 'bin');
    writeProgram(bin, 'amux', `exec ${AMUX.map((word) => `'${word}'`).join(' ')} "$@"`);
    const env = { PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
    const remote = [
      'run',
      '-a',
      'agent-mux-remote',
      '--approval-mode',
      'deny',
      '--json',
      '--env',
      'AMUX_REMOTE_AGENT=demo',
    ];
    const resultOf = async (...flags: string[]) => {
      const { stdout } = await amux(testHome, [...remote, ...flags], { env });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    const { sessionId } = await resultOf('hello');
    const recalled = { text: expect.stringContaining('"hello"') };
    expect(await resultOf('--resume', sessionId, RECALL)).toMatchObject({ sessionId, ...recalled });
    expect(await resultOf('--fork', sessionId, RECALL)).toMatchObject(recalled);
  });
});

describe('--continue', () => {
  it('resumes the newest session of this folder and names it', options, async () => {
    const testHome = createTestHome();
    const below = join(testHome.cwd, 'below');
    mkdirSync(below);
    await sessionOf(testHome, 'hello one');
    const newest = await sessionOf(testHome, 'hello two');
    await sessionOf(testHome, 'hello below', ['-C', below]);
    const done = await amux(testHome, ['run', '--continue', RECALL]);
    expect(done).toMatchObject({ code: 0, stdout: 'Before this you said: "hello two".\n' });
    expect(done.stderr).toContain(`resuming demo session ${newest}`);
    expect(done.stderr).toContain('hello two');
  });

  it('fails if there is none, or with conflicting flags', options, async () => {
    const testHome = createTestHome();
    const none = await amux(testHome, ['run', '-c', 'continue']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining(`no session in ${testHome.cwd}`) });
    expect(await amux(testHome, ['run', '-c', '--resume', 'x', 'continue'])).toMatchObject({ code: 2 });
  });
});
