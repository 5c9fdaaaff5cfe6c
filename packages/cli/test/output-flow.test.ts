import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AMUX,
  createTestHome,
  environment,
  FAKE_AGENT,
  shell,
  type TestHome,
  TIMEOUT_MS,
  userConfig,
  writeConfig,
} from './amux.ts';

const options = { timeout: TIMEOUT_MS };
/** Far above what a run needs, and far below what the agent prints. */
const MAX_RSS_MB = 400;
const paths: TestHome[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const { home } of paths.splice(0)) rmSync(home, { recursive: true, force: true });
});

function placeWith(steps: readonly unknown[] = []): TestHome {
  const testHome = createTestHome();
  paths.push(testHome);
  const job = { command: process.execPath, args: [FAKE_AGENT, '--script', JSON.stringify(steps)] };
  writeConfig(userConfig(testHome), { agents: [{ id: 'job', profile: 'generic-job', job }] });
  return testHome;
}

const alive = (pid: number) => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(statusOf(pid));
const statusOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};
const rssMb = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1] ?? 0) / 1024;
const peakMb = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(statusOf(pid))?.[1] ?? 0) / 1024;

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** Its stdout is never read; its stderr is collected. */
function stalled(
  testHome: TestHome,
  args: readonly string[],
): { child: ChildProcess; pid: number; ended: Promise<number> } {
  const [command = '', ...before] = AMUX;
  const child = spawn(command, [...before, ...args], {
    cwd: testHome.cwd,
    env: environment(testHome, {}),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  return { child, pid: child.pid ?? 0, ended };
}

/** Waits until the process has used no CPU time for a while. */
async function untilStill(pid: number): Promise<void> {
  let last = '';
  for (let still = 0; still < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const used = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
    still = used === last && rssMb(pid) > 60 ? still + 1 : 0;
    last = used;
  }
}

/** An agent that prints without end and has a child. */
function placeWithFamily(): { testHome: TestHome; family: () => number[] } {
  const testHome = placeWith();
  const pids = join(testHome.cwd, 'pids');
  const agent = `
    const { spawn } = require('child_process');
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    require('fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
    const line = 'x'.repeat(1000) + '\\n';
    const go = () => { while (process.stdout.write(line)); process.stdout.once('drain', go); };
    go();
  `;
  const job = { command: process.execPath, args: ['-e', agent] };
  writeConfig(userConfig(testHome), { agents: [{ id: 'job', profile: 'generic-job', job }] });
  return { testHome, family: () => (existsSync(pids) ? readFileSync(pids, 'utf8').split(' ').map(Number) : []) };
}

const FLOOD = { do: 'flood', lines: 500_000, bytes: 1000 };

describe.runIf(existsSync('/dev/full'))('full disk on stdout', () => {
  it.each([
    'run -a demo hello',
    'run -a demo --json hello',
    'sessions --all',
    'agents --json',
    'doctor',
    'help',
    '--version',
  ])('ends amux %s with code 1 and one line', options, async (args) => {
    const { stdout } = await shell(placeWith(), `$AMUX ${args} 2>err.txt >/dev/full; echo "code $?"; cat err.txt`)
      .finished;
    expect(stdout).toMatch(/^code 1\namux: cannot write output: ENOSPC: no space left on device, write\n$/);
  });

  it.each(['', '--json'])('ends the agent and its process tree, too %s', options, async (flag) => {
    const { testHome, family } = placeWithFamily();
    const { stdout } = await shell(testHome, `$AMUX run -a job ${flag} go 2>err.txt >/dev/full; echo "code $?"`)
      .finished;
    expect(stdout).toBe('code 1\n');
    expect(readFileSync(join(testHome.cwd, 'err.txt'), 'utf8')).toMatch(/^amux: cannot write output: ENOSPC.*\n$/m);
    await until(() => !family().some(alive));
  });
});

describe.runIf(existsSync('/proc/self/stat'))('stalled reader', () => {
  const script = [{ do: 'grandchild' }, FLOOD];

  it.each([
    ['text', []],
    ['--json', ['--json']],
    ['--json --raw', ['--json', '--raw']],
  ])('makes the agent wait instead of filling the memory: %s', options, async (_, flags) => {
    const testHome = placeWith(script);
    const run = stalled(testHome, ['run', '-a', 'job', ...flags, 'go']);
    await untilStill(run.pid);
    expect(peakMb(run.pid)).toBeLessThan(MAX_RSS_MB);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(13);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    'does not keep %s from ending amux and its process tree',
    options,
    async (signal) => {
      const { testHome, family } = placeWithFamily();
      const run = stalled(testHome, ['run', '-a', 'job', '--json', 'go']);
      await until(() => family().length === 2);
      // Nothing is left to write once amux stops reading.
      await untilStill(run.pid);
      expect(family().every(alive)).toBe(true);
      const signaled = Date.now();
      run.child.kill(signal);
      expect(await run.ended).toBe(13);
      expect(Date.now() - signaled).toBeLessThan(15_000);
      await until(() => !family().some(alive));
    },
  );
});

describe('program that reads the output', () => {
  it('gets text without escape sequences through a pipe', options, async () => {
    const testHome = placeWith([{ do: 'line', text: 'a\x1b[31mb\x1b]0;title\x07c\u009b2Jd\x1b]8;; rest' }]);
    const { stdout } = await shell(testHome, '$AMUX run -a job go 2>/dev/null').finished;
    expect(stdout).toBe('abcd]8;; rest\n');
  });
});
