import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be confused with a later one of the same pid. */
export interface Seen {
  pid: number;
  startTime: string;
  parent: number;
  command: string;
  /** From agent-mux's own marker in its environment; undefined: it was not launched as an agent. */
  runId: string | undefined;
}

/** Every process of this world, identified by an inherited environment variable. Linux only. */
export function processesOf(world: string): Seen[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    const seen = Number.isInteger(pid) && pid !== process.pid ? lookAt(pid) : undefined;
    return seen?.environment.includes(`HOME=${world}`) ? [seen] : [];
  });
}

function lookAt(pid: number): (Seen & { environment: readonly string[] }) | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').trim().slice(0, 160);
    const runId = environment.find((one) => one.startsWith('AGENT_MUX_RUN_ID='))?.slice('AGENT_MUX_RUN_ID='.length);
    return { pid, parent: Number(fields[1]), startTime: fields[19] ?? '', command, runId, environment };
  } catch {
    // It ended in between.
    return undefined;
  }
}

/** Processes that a keeper itself has launched, without their children. */
export function agentsOf(keeperPid: number, all: readonly Seen[]): Seen[] {
  return all.filter(({ parent, runId }) => parent === keeperPid && runId !== undefined);
}

export function isAlive({ pid, startTime }: Pick<Seen, 'pid' | 'startTime'>): boolean {
  return lookAt(pid)?.startTime === startTime;
}

/** False: it was gone already. */
export function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
