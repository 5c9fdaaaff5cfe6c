import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, type TestHome, TIMEOUT_MS } from './amux.ts';
import { FakeDaemon } from './fake-daemon.ts';

const options = { timeout: TIMEOUT_MS };

let testHome: TestHome;
let daemon: FakeDaemon;
beforeEach(async () => {
  testHome = createTestHome();
  daemon = new FakeDaemon(testHome);
  await daemon.listen();
});
afterEach(() => daemon.die());

const made = () => daemon.calls.filter(({ call }) => call === 'POST /schedules').map(({ body }) => body);

describe('amux schedule', () => {
  it('accepts the arguments of amux new, with variable names but no values', options, async () => {
    const flags = ['-a', 'demo', '-m', 'small', '--env', 'NOT_SET_HERE', '--title', 'Daily', '--worktree'];
    const wanted = ['new', ...flags, 'say', 'hello'];
    const { stdout, code, stderr } = await amux(testHome, [
      'schedule',
      '0 7 * * 1-5',
      '--missed',
      'run',
      '--',
      ...wanted,
    ]);
    expect([code, stdout], stderr).toEqual([0, 'tday0\n']);
    expect(made()).toMatchObject([
      {
        cron: '0 7 * * 1-5',
        missed: 'run',
        session: { agent: 'demo', prompt: 'say hello', cwd: testHome.cwd, title: 'Daily', worktree: true },
        envNames: ['NOT_SET_HERE'],
      },
    ]);
    expect(JSON.stringify(made())).not.toMatch(/hostEnv|"env"|files/);
    expect((await amux(testHome, ['schedule'])).stdout).toContain('0 7 * * 1-5');
    expect((await amux(testHome, ['schedule', 'show', 'tday'])).stdout).toContain('running');
  });

  it.each([
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--env', 'A=secret', 'hi'], 'schedules do not store values'],
    [['0 7 * * *', '--', 'run', '-a', 'demo', 'hi'], '"run" cannot be scheduled'],
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--no-stdin'], 'needs a prompt'],
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--nonsense', 'hi'], 'unknown flag --nonsense'],
    [['0 7 * * *', '--missed', 'maybe', '--', 'new', '-a', 'demo', 'hi'], '--missed: invalid value "maybe"'],
    [['0 7 * * *', '--', 'new', '-a', 'demo', '--json', 'hi'], '--json must come before --'],
    [['lst'], 'unknown command "amux schedule lst"'],
  ])('rejects %j', options, async (args, problem) => {
    const { code, stderr } = await amux(testHome, ['schedule', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(stderr).not.toContain('secret');
    expect(made()).toEqual([]);
  });
});

describe('amux notify', () => {
  it('lists targets and deliveries; a test reports whether it worked', options, async () => {
    const { stdout } = await amux(testHome, ['notify']);
    expect(stdout).toMatch(/phone\s+webhook\s+example\.test/);
    expect(stdout).toMatch(/phone\s+sent\s+A test/);
    expect(await amux(testHome, ['notify', 'test', 'phone'])).toMatchObject({
      code: 0,
      stdout: '✓  phone  sent\n',
    });
  });
});
