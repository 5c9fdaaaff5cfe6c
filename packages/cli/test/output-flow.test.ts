import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  AMUX,
  environment,
  FAKE_AGENT,
  newPlace,
  PATIENCE_MS,
  type Place,
  shell,
  userConfig,
  writeConfig,
} from './amux.ts';

const options = { timeout: PATIENCE_MS };
/** Far above what a run needs, and far below what the agent prints. */
const MOST_RSS_MB = 400;
const places: Place[] = [];
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const { home } of places.splice(0)) rmSync(home, { recursive: true, force: true });
});

function placeWith(steps: readonly unknown[] = []): Place {
  const place = newPlace();
  places.push(place);
  const job = { command: process.execPath, args: [FAKE_AGENT, '--script', JSON.stringify(steps)] };
  writeConfig(userConfig(place), { agents: [{ id: 'job', profile: 'generic-job', job }] });
  return place;
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

/** Nobody reads its stdout; what it says on stderr is kept. */
function stalled(place: Place, args: readonly string[]): { child: ChildProcess; pid: number; ended: Promise<number> } {
  const [command = '', ...before] = AMUX;
  const child = spawn(command, [...before, ...args], {
    cwd: place.cwd,
    env: environment(place, {}),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  return { child, pid: child.pid ?? 0, ended };
}

/** The process does nothing more: it has used no time of the processor for a while. */
async function untilStill(pid: number): Promise<void> {
  let last = '';
  for (let still = 0; still < 10; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const used = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(13, 15).join(' ');
    still = used === last && rssMb(pid) > 60 ? still + 1 : 0;
    last = used;
  }
}

/** An agent that prints without end, and has a child. */
function placeWithFamily(): { place: Place; family: () => number[] } {
  const place = placeWith();
  const pids = join(place.cwd, 'pids');
  const agent = `
    const { spawn } = require('child_process');
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    require('fs').writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
    const line = 'x'.repeat(1000) + '\\n';
    const go = () => { while (process.stdout.write(line)); process.stdout.once('drain', go); };
    go();
  `;
  const job = { command: process.execPath, args: ['-e', agent] };
  writeConfig(userConfig(place), { agents: [{ id: 'job', profile: 'generic-job', job }] });
  return { place, family: () => (existsSync(pids) ? readFileSync(pids, 'utf8').split(' ').map(Number) : []) };
}

const FLOOD = { do: 'flood', lines: 500_000, bytes: 1000 };

describe.runIf(existsSync('/dev/full'))('a full disk under stdout', () => {
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
    expect(stdout).toMatch(/^code 1\namux: the output cannot be written: ENOSPC: no space left on device, write\n$/);
  });

  it.each(['', '--json'])('ends the agent and what it started too %s', options, async (flag) => {
    const { place, family } = placeWithFamily();
    const { stdout } = await shell(place, `$AMUX run -a job ${flag} go 2>err.txt >/dev/full; echo "code $?"`).finished;
    expect(stdout).toBe('code 1\n');
    expect(readFileSync(join(place.cwd, 'err.txt'), 'utf8')).toMatch(
      /^amux: the output cannot be written: ENOSPC.*\n$/m,
    );
    await until(() => !family().some(alive));
  });
});

describe.runIf(existsSync('/proc/self/stat'))('a reader that stalls', () => {
  const script = [{ do: 'grandchild' }, FLOOD];

  it.each([
    ['text', []],
    ['--json', ['--json']],
    ['--json --raw', ['--json', '--raw']],
  ])('makes the agent wait instead of filling the memory: %s', options, async (_, flags) => {
    const place = placeWith(script);
    const run = stalled(place, ['run', '-a', 'job', ...flags, 'go']);
    await untilStill(run.pid);
    expect(peakMb(run.pid)).toBeLessThan(MOST_RSS_MB);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(13);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    'does not keep %s from ending amux and its whole family',
    options,
    async (signal) => {
      const { place, family } = placeWithFamily();
      const run = stalled(place, ['run', '-a', 'job', '--json', 'go']);
      await until(() => family().length === 2);
      // Nothing of it is left to write when amux has stopped to take it.
      await untilStill(run.pid);
      expect(family().every(alive)).toBe(true);
      const told = Date.now();
      run.child.kill(signal);
      expect(await run.ended).toBe(13);
      expect(Date.now() - told).toBeLessThan(15_000);
      await until(() => !family().some(alive));
    },
  );
});

describe('what a program reads', () => {
  it('gets text without escape sequences through a pipe', options, async () => {
    const place = placeWith([{ do: 'line', text: 'a\x1b[31mb\x1b]0;title\x07c\u009b2Jd\x1b]8;; rest' }]);
    const { stdout } = await shell(place, '$AMUX run -a job go 2>/dev/null').finished;
    expect(stdout).toBe('abcd]8;; rest\n');
  });
});
