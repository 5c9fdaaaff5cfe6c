import { availableParallelism, loadavg } from 'node:os';

/** What a measurement depends on, without identifying the machine. */
export interface Machine {
  node: string;
  cores: number;
  /** The load average of the last minute. */
  loadBefore: number;
  loadAfter: number;
}

/** Call when measuring starts; call the returned function when it ends. */
export function watchMachine(): () => Machine {
  const loadBefore = load();
  return () => ({ node: process.versions.node, cores: availableParallelism(), loadBefore, loadAfter: load() });
}

function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}
