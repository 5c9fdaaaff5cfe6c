/** How long a thing takes, and how two things compare. */
import { spawn, spawnSync } from 'node:child_process';

/** So often is each of them done before it counts: until then it is compiled while it runs. */
const WARM_UP = 3;

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Measured in turns, so that what else the machine does falls on both; their medians. */
export async function pair(
  rounds: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  warmUp = WARM_UP,
): Promise<[number, number]> {
  const ones: number[] = [];
  const others: number[] = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    const [first, second] = [await timed(one), await timed(other)];
    if (round < 0) continue;
    ones.push(first);
    others.push(second);
  }
  return [median(ones), median(others)];
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A command from its start to its end. */
export function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(command, args, { stdio: 'ignore', env });
  return new Promise<void>((resolve) => child.on('close', () => resolve()));
}

/** A script of the bench in a node of its own, which has run nothing else; what it prints is JSON. */
export function inFreshProcess(script: string, ...args: string[]): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, script, ...args], { encoding: 'utf8' });
  if (!stdout) throw new Error(`${script} printed nothing: ${stderr}`);
  return JSON.parse(stdout);
}
