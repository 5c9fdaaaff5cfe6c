import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be confused with a later one that got the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque; equal only for the same process. */
  startTime: string;
}

export interface ProcessRow extends ProcessIdentity {
  parent: number;
  group: number;
}

/** Every living process; zombies count as gone, for they only wait for their parent. */
export function listProcesses(): ProcessRow[] {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

/** Undefined: there is no such process, or the platform does not tell. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const row = process.platform === 'linux' ? readStat(pid) : listFromPs().find((one) => one.pid === pid);
  return row && { pid, startTime: row.startTime };
}

/** Those of them that are still the same process. */
export function stillAlive(known: readonly ProcessIdentity[]): ProcessIdentity[] {
  if (process.platform === 'linux') return known.filter(({ pid, startTime }) => readStat(pid)?.startTime === startTime);
  const now = new Map(listFromPs().map(({ pid, startTime }) => [pid, startTime]));
  return known.filter(({ pid, startTime }) => now.get(pid) === startTime);
}

/** Whether it was started with this entry in its environment; only Linux tells. */
export function hasEnvironment(pid: number, entry: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${entry}\0`);
  } catch {
    return false;
  }
}

function listFromProc(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readStat(pid);
    if (row) rows.push(row);
  }
  return rows;
}

function readStat(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name may hold spaces and parentheses: fields are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, parent: Number(fields[1]), group: Number(fields[2]), startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function listFromPs(): ProcessRow[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8' });
  const rows: ProcessRow[] = [];
  for (const line of (stdout ?? '').split('\n')) {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (!pid || state?.startsWith('Z')) continue;
    rows.push({ pid: Number(pid), parent: Number(parent), group: Number(group), startTime: started.join(' ') });
  }
  return rows;
}
