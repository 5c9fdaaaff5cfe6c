import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, type Place } from './amux.ts';
import { FakeDaemon } from './fake-daemon.ts';

const options = { timeout: PATIENCE_MS };

let place: Place;
let daemon: FakeDaemon;
beforeEach(async () => {
  place = newPlace();
  daemon = new FakeDaemon(place);
  await daemon.listen();
});
afterEach(() => daemon.die());

const made = () => daemon.calls.filter(({ call }) => call === 'POST /schedules').map(({ body }) => body);

describe('amux schedule', () => {
  it('takes what amux new takes, with names of variables and no values', options, async () => {
    const flags = ['-a', 'demo', '-m', 'small', '--env', 'NOT_SET_HERE', '--title', 'Daily', '--worktree'];
    const wanted = ['new', ...flags, 'say', 'hello'];
    const { stdout, code, stderr } = await amux(place, ['schedule', '0 7 * * 1-5', '--missed', 'run', '--', ...wanted]);
    expect([code, stdout], stderr).toEqual([0, 'tday0\n']);
    expect(made()).toMatchObject([
      {
        cron: '0 7 * * 1-5',
        missed: 'run',
        session: { agent: 'demo', prompt: 'say hello', cwd: place.cwd, title: 'Daily', worktree: true },
        envNames: ['NOT_SET_HERE'],
      },
    ]);
    expect(JSON.stringify(made())).not.toMatch(/hostEnv|"env"|files/);
    expect((await amux(place, ['schedule'])).stdout).toContain('0 7 * * 1-5');
    expect((await amux(place, ['schedule', 'show', 'tday'])).stdout).toContain('at work');
  });

  it.each([
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--env', 'A=secret', 'hi'], 'a schedule stores no values'],
    [['0 7 * * *', '--', 'run', '-a', 'demo', 'hi'], '"run" cannot be scheduled'],
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--no-stdin'], 'needs a prompt'],
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--nonsense', 'hi'], 'unknown flag --nonsense'],
    [['0 7 * * *', '--missed', 'maybe', '--', 'new', '-a', 'demo', 'hi'], '--missed is one of run, skip'],
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--json', 'hi'], '--json belongs before --'],
    [['lst'], 'cannot "lst"'],
  ])('refuses %j', options, async (args, problem) => {
    const { code, stderr } = await amux(place, ['schedule', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(stderr).not.toContain('secret');
    expect(made()).toEqual([]);
  });
});

describe('amux notify', () => {
  it('shows who is told, and what came of it; a test says whether it worked', options, async () => {
    const { stdout } = await amux(place, ['notify']);
    expect(stdout).toMatch(/phone\s+webhook\s+example\.test/);
    expect(stdout).toMatch(/phone\s+sent\s+A test/);
    expect(await amux(place, ['notify', 'test', 'phone'])).toMatchObject({ code: 0, stdout: '✓  phone  was told\n' });
  });
});
