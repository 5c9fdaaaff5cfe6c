import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be confused with a later one that got the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque; equal only for the same process. */
  startTime: string;
}

interface ProcessRow extends ProcessIdentity {
  parent: number;
  group: number;
}

/** Every process carries it, so that those that left the group and lost their parent are found too (Linux). */
export const RUN_ID_VARIABLE = 'AGENT_MUX_RUN_ID';

/** How long each step of an ending may take before the next, harder one. */
export const TERMINATE_GRACE_MS = 2000;
const POLL_MS = 20;

/** The process itself, its group, its descendants, and whoever carries its run id. Empty when nothing of it lives. */
export function processFamily(leader: number, runId: string): ProcessIdentity[] {
  const rows = listProcesses();
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  const family = new Map<number, ProcessRow>();
  const visit = (row: ProcessRow) => {
    if (family.has(row.pid) || row.pid === process.pid) return;
    family.set(row.pid, row);
    for (const child of children.get(row.pid) ?? []) visit(child);
  };
  for (const row of rows) {
    if (row.pid === leader || row.group === leader || carriesRunId(row.pid, runId)) visit(row);
  }
  return [...family.values()].map(({ pid, startTime }) => ({ pid, startTime }));
}

/** Sends the signal to those that are still the same process; says whether anybody was left. */
export function signalProcesses(family: readonly ProcessIdentity[], signal: NodeJS.Signals): boolean {
  let someone = false;
  for (const member of family) {
    if (startTimeOf(member.pid) !== member.startTime) continue;
    try {
      process.kill(member.pid, signal);
      someone = true;
    } catch {
      // It ended between the look and the signal.
    }
  }
  return someone;
}

/**
 * Ends the whole family of a process: asks, and after the grace period kills. Children that are born while it asks are
 * found by looking again. Resolves when nothing of it lives.
 */
export async function terminateFamily(
  leader: number,
  runId: string,
  options: { first?: NodeJS.Signals; graceMs?: number } = {},
): Promise<void> {
  const { first = 'SIGTERM', graceMs = TERMINATE_GRACE_MS } = options;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(leader), '/t', '/f'], { windowsHide: true, stdio: 'ignore' });
    return;
  }
  if (signalProcesses(processFamily(leader, runId), first) && (await gone(leader, runId, graceMs))) return;
  for (let i = 0; i < 50; i++) {
    if (!signalProcesses(processFamily(leader, runId), 'SIGKILL')) return;
    if (await gone(leader, runId, 200)) return;
  }
}

async function gone(leader: number, runId: string, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (processFamily(leader, runId).length === 0) return true;
  }
  return false;
}

function listProcesses(): ProcessRow[] {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
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

/** Zombies count as gone: they only wait for their parent. */
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

function startTimeOf(pid: number): string | undefined {
  if (process.platform === 'linux') return readStat(pid)?.startTime;
  return listFromPs().find((row) => row.pid === pid)?.startTime;
}

function carriesRunId(pid: number, runId: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${RUN_ID_VARIABLE}=${runId}\0`);
  } catch {
    return false;
  }
}
