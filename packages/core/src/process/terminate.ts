import { spawnSync } from 'node:child_process';
import {
  hasEnvironment,
  holdsStream,
  identityOf,
  listProcesses,
  listStandardStreams,
  type ProcessIdentity,
  type ProcessRow,
  stillAlive,
} from './process-table.ts';

export type { ProcessIdentity } from './process-table.ts';

/** Set for every process of a run, for people who inspect the processes of a machine. */
export const RUN_ID_VARIABLE = 'AGENT_MUX_RUN_ID';
/**
 * Marks every process of a launch, so that those that left its group and lost their parent are found too (with /proc).
 */
export const LAUNCH_VARIABLE = 'AGENT_MUX_LAUNCH';

/** How long each step of a termination may take before the next, harder one. */
const TERMINATE_GRACE_MS = 2000;
const POLL_MS = 20;

/** A process started by this host as a group leader. */
export interface Leader {
  pid: number;
  /** The `NAME=value` that its process tree carries in the environment. */
  mark: string;
  /** The mark is only a prefix of what they carry. */
  markIsPrefix?: boolean;
  /** It is known to be gone: its pid may belong to another process now. */
  exited: () => boolean;
  origin?: ProcessOrigin | undefined;
}

/** Facts about a leader from its start, which remain valid when it is gone. */
export interface ProcessOrigin {
  startTime: string;
  /** Its standard streams: a process that holds one has it from the leader. */
  streams: readonly string[];
}

/** Call right after the spawn. Undefined if the platform cannot report it. */
export function readProcessOrigin(pid: number): ProcessOrigin | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const identity = identityOf(pid);
    return identity && { startTime: identity.startTime, streams: listStandardStreams(pid) };
  } catch {
    // No descriptor is free: fewer facts are known.
    return undefined;
  }
}

/** The process, its group, its descendants, and carriers of its mark. Empty if none is alive. */
export function listProcessTree(leader: number, runId: string, leaderExited = false): ProcessIdentity[] {
  return familyOf({ pid: leader, mark: `${RUN_ID_VARIABLE}=${runId}`, exited: () => leaderExited });
}

/** The process, its group, its descendants, carriers of its mark, and holders of its streams. */
function familyOf({ pid: leader, mark, markIsPrefix = false, exited, origin }: Leader): ProcessIdentity[] {
  const rows = listProcesses();
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  // A pid is not reused while a group of that number lives: a stranger with this pid means that the group is gone.
  const isReused = exited() && rows.some((row) => row.pid === leader);
  const isOurs = (row: ProcessRow) => !isReused && (row.pid === leader || row.group === leader);
  const family = new Map<number, ProcessRow>();
  const visit = (row: ProcessRow) => {
    if (family.has(row.pid) || row.pid === process.pid) return;
    family.set(row.pid, row);
    for (const child of children.get(row.pid) ?? []) visit(child);
  };
  for (const row of rows) if (isOurs(row)) visit(row);
  // A descriptor can also be passed to an older service (the user's systemd), which is not a descendant.
  const holds = (row: ProcessRow) =>
    origin !== undefined && Number(row.startTime) >= Number(origin.startTime) && holdsStream(row.pid, origin.streams);
  for (const row of rows)
    if (!family.has(row.pid) && (hasEnvironment(row.pid, mark, markIsPrefix) || holds(row))) visit(row);
  return [...family.values()].map(({ pid, startTime }) => ({ pid, startTime }));
}

/** Signals those that are still the same process; returns whether any was left. */
export function signalProcesses(family: readonly ProcessIdentity[], signal: NodeJS.Signals): boolean {
  let someone = false;
  for (const { pid } of stillAlive(family)) {
    try {
      process.kill(pid, signal);
      someone = true;
    } catch {
      // It ended between the check and the signal.
    }
  }
  return someone;
}

/**
 * Ends a whole process tree: asks, and kills after the grace period. Children born meanwhile are found by looking
 * again. Resolves when none is alive, as far as that is known; never rejects.
 */
export async function terminateProcessTree(
  leader: Leader,
  options: { first?: NodeJS.Signals; graceMs?: number } = {},
): Promise<void> {
  const { first = 'SIGTERM', graceMs = TERMINATE_GRACE_MS } = options;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(leader.pid), '/t', '/f'], { windowsHide: true, stdio: 'ignore' });
    return;
  }
  try {
    await endFamily(leader, first, graceMs);
  } catch {
    await endGroup(leader, first, graceMs);
  }
}

/**
 * Ends the processes that a dead host has left, found only by the mark in their environment (`getHostToken`). For hosts
 * that were killed together with their reaper. Linux only; on other platforms nothing is found.
 */
export async function terminateHostProcesses(hostMark: string): Promise<void> {
  await terminateProcessTree({
    pid: NO_PROCESS,
    mark: `${LAUNCH_VARIABLE}=${hostMark}.`,
    markIsPrefix: true,
    exited: () => true,
  });
}

/** No process and no group has this id. */
const NO_PROCESS = -1;

async function endFamily(leader: Leader, first: NodeJS.Signals, graceMs: number): Promise<void> {
  const family = familyOf(leader);
  if (!signalProcesses(family, first) || (await waitUntilGone(leader, family, graceMs))) return;
  for (let i = 0; i < 50; i++) {
    const rest = familyOf(leader);
    if (!signalProcesses(rest, 'SIGKILL') || (await waitUntilGone(leader, rest, 200))) return;
  }
}

/**
 * Signals without the process table, which needs a descriptor. Once the leader is gone its group may be a stranger's.
 */
async function endGroup({ pid, exited }: Leader, first: NodeJS.Signals, graceMs: number): Promise<void> {
  for (const [signal, ms] of [
    [first, graceMs],
    ['SIGKILL', TERMINATE_GRACE_MS],
  ] as const) {
    if (exited()) return;
    try {
      process.kill(-pid, signal);
    } catch {
      return;
    }
    for (const end = performance.now() + ms; performance.now() < end && !exited(); )
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Checks the known processes, which is cheap, and all processes only when those are gone. */
async function waitUntilGone(leader: Leader, known: readonly ProcessIdentity[], withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  let watched = known;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    watched = stillAlive(watched);
    if (watched.length === 0) watched = familyOf(leader);
    if (watched.length === 0) return true;
  }
  return false;
}
