import { availableParallelism, loadavg } from 'node:os';

/** What a measurement depends on, without a word of whose machine it is. */
export interface Machine {
  node: string;
  cores: number;
  /** The load average of the last minute. */
  loadBefore: number;
  loadAfter: number;
}

/** To be called when the measuring begins; the returned function when it is over. */
export function watchMachine(): () => Machine {
  const loadBefore = load();
  return () => ({ node: process.versions.node, cores: availableParallelism(), loadBefore, loadAfter: load() });
}

function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}
