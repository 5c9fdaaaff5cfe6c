/** How long a thing takes, and how two things compare. */
import { spawn, spawnSync } from 'node:child_process';

/** Warm-up runs, until the code is compiled. */
const WARM_UP = 3;

/** Milliseconds: on the clock, and of this process's own work, which a busy machine changes less. */
export interface Cost {
  wall: number;
  cpu: number;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  return (await costOf(work)).wall;
}

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1000 };
}

/**
 * Measured in turns, and each of them first in every other round, so that what else the machine does, and what the other
 * has left behind, falls on both. Nothing is collected or thrown away in between: their medians.
 */
export async function pair(
  rounds: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
  warmUp = WARM_UP,
): Promise<[Cost, Cost]> {
  const ones: Cost[] = [];
  const others: Cost[] = [];
  for (let round = -warmUp; round < rounds; round += 1) {
    const isOneFirst = round % 2 === 0;
    const first = await costOf(isOneFirst ? one : other);
    const second = await costOf(isOneFirst ? other : one);
    if (round < 0) continue;
    ones.push(isOneFirst ? first : second);
    others.push(isOneFirst ? second : first);
  }
  return [medianCost(ones), medianCost(others)];
}

export function medianCost(costs: readonly Cost[]): Cost {
  return { wall: median(costs.map(({ wall }) => wall)), cpu: median(costs.map(({ cpu }) => cpu)) };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A command from its start to its end. */
export function runCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(command, args, { stdio: 'ignore', env });
  return new Promise<void>((resolve) => child.on('close', () => resolve()));
}

/** The same with something to read, as an agent starts its hooks. */
export function runWithInput(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input: string) {
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], env });
  // A program that reads nothing may be gone before it was written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise<void>((resolve) => child.on('close', () => resolve()));
}

/** Runs a bench script in a fresh node; it prints JSON. */
export function inFreshProcess(script: string, ...args: string[]): unknown {
  return inProcess(process.execArgv, script, args);
}

/** The same, with what is built instead of the sources. */
export function inBuiltProcess(script: string, ...args: string[]): unknown {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--conditions'));
  return inProcess(flags, script, args);
}

function inProcess(flags: readonly string[], script: string, args: readonly string[]): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, script, ...args], { encoding: 'utf8' });
  if (!stdout) throw new Error(`${script} printed nothing: ${stderr}`);
  return JSON.parse(stdout);
}
