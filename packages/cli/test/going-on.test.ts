import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AMUX, amux, newPlace, PATIENCE_MS, type Place, shell, writeProgram } from './amux.ts';

const options = { timeout: PATIENCE_MS };
const RECALL = 'what did I say before?';

async function sessionOf(place: Place, prompt: string, flags: readonly string[] = []): Promise<string> {
  const { stdout } = await amux(place, ['run', '-a', 'demo', '--json', ...flags, prompt]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').sessionId;
}

describe('going on with a session', () => {
  it('works by the command that a run prints, also from another folder', options, async () => {
    const place = newPlace();
    const there = join(place.cwd, 'there');
    mkdirSync(there);
    const { stderr } = await amux(place, ['run', '-a', 'demo', '-C', 'there', 'hello']);
    const [, command = ''] = /go on: {2}amux (.*) "\.\.\."$/m.exec(stderr) ?? [];
    expect(command).toContain(`-C ${there}`);
    const again = await shell(place, `$AMUX ${command} "${RECALL}" </dev/null`).finished;
    expect(again).toMatchObject({ code: 0, stdout: 'Before this you said: "hello".\n' });
  });

  it('needs no agent and no whole id', options, async () => {
    const place = newPlace();
    const id = await sessionOf(place, 'hello');
    const done = await amux(place, ['run', '--resume', id.slice(0, 8), RECALL], { env: { AMUX_AGENT: 'claude' } });
    expect(done).toMatchObject({ code: 0, stdout: 'Before this you said: "hello".\n' });
    expect(done.stderr).toContain(`going on with demo session ${id}`);
    const fork = await amux(place, ['run', '--fork', id.slice(0, 8), '--json', RECALL]);
    const result = JSON.parse(fork.stdout.trim().split('\n').at(-1) ?? '');
    expect(result).toMatchObject({ agent: 'demo', text: expect.stringContaining('"hello"') });
    expect(result.sessionId).not.toBe(id);
  });

  it('is refused where the session is not there, or belongs to another agent', options, async () => {
    const place = newPlace();
    const id = await sessionOf(place, 'hello');
    const nowhere = await amux(place, ['run', '--resume', 'nope', 'go on']);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no session "nope"') });
    const other = await amux(place, ['run', '-a', 'claude', '--resume', id, 'go on']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`${id} is one of demo, not of claude`) });
  });

  it('resumes and forks the sessions of an agent that stores none on this machine', options, async () => {
    const place = newPlace();
    const bin = join(place.home, 'bin');
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
      const { stdout } = await amux(place, [...remote, ...flags], { env });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };
    const { sessionId } = await resultOf('hello');
    const recalled = { text: expect.stringContaining('"hello"') };
    expect(await resultOf('--resume', sessionId, RECALL)).toMatchObject({ sessionId, ...recalled });
    expect(await resultOf('--fork', sessionId, RECALL)).toMatchObject(recalled);
  });
});

describe('--continue', () => {
  it('goes on with the newest session of this folder, and says which', options, async () => {
    const place = newPlace();
    const below = join(place.cwd, 'below');
    mkdirSync(below);
    await sessionOf(place, 'hello one');
    const newest = await sessionOf(place, 'hello two');
    await sessionOf(place, 'hello below', ['-C', below]);
    const done = await amux(place, ['run', '--continue', RECALL]);
    expect(done).toMatchObject({ code: 0, stdout: 'Before this you said: "hello two".\n' });
    expect(done.stderr).toContain(`going on with demo session ${newest}`);
    expect(done.stderr).toContain('hello two');
  });

  it('is refused where there is none, and beside what contradicts it', options, async () => {
    const place = newPlace();
    const none = await amux(place, ['run', '-c', 'go on']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining(`there is no session in ${place.cwd}`) });
    expect(await amux(place, ['run', '-c', '--resume', 'x', 'go on'])).toMatchObject({ code: 2 });
  });
});
