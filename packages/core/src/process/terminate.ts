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

/** Every process of a run carries it, for whoever looks at the processes of a machine. */
export const RUN_ID_VARIABLE = 'AGENT_MUX_RUN_ID';
/** Marks every process of a launch, so that those that left its group and lost their parent are found too (where there is a /proc). */
export const LAUNCH_VARIABLE = 'AGENT_MUX_LAUNCH';

/** How long each step of an ending may take before the next, harder one. */
const TERMINATE_GRACE_MS = 2000;
const POLL_MS = 20;

/** A process that was started here, as the first of a group of its own. */
export interface Leader {
  pid: number;
  /** What its family carries in the environment, as `NAME=value`. */
  mark: string;
  /** The mark is only the beginning of what they carry. */
  markIsPrefix?: boolean;
  /** It is known to be gone: whoever has its pid now is somebody else. */
  exited: () => boolean;
  origin?: Origin | undefined;
}

/** What is known of a leader from its beginning, and lasts when it is gone. */
export interface Origin {
  startTime: string;
  /** The streams that it was given: whoever holds one of them has it from the leader. */
  streams: readonly string[];
}

/** Looked at right after the spawn. Undefined: the platform does not tell. */
export function readOrigin(pid: number): Origin | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const identity = identityOf(pid);
    return identity && { startTime: identity.startTime, streams: listStandardStreams(pid) };
  } catch {
    // No descriptor is left: then it is known by less.
    return undefined;
  }
}

/** The process itself, its group, its descendants, and whoever carries its run id. Empty when nothing of it lives. */
export function listFamily(leader: number, runId: string, leaderExited = false): ProcessIdentity[] {
  return familyOf({ pid: leader, mark: `${RUN_ID_VARIABLE}=${runId}`, exited: () => leaderExited });
}

/** The process itself, its group, its descendants, whoever carries its mark and whoever holds its streams. */
function familyOf({ pid: leader, mark, markIsPrefix = false, exited, origin }: Leader): ProcessIdentity[] {
  const rows = listProcesses();
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  // A pid is not given away while a group of that number lives: a stranger with it proves that the group is gone.
  const taken = exited() && rows.some((row) => row.pid === leader);
  const isOurs = (row: ProcessRow) => !taken && (row.pid === leader || row.group === leader);
  const family = new Map<number, ProcessRow>();
  const visit = (row: ProcessRow) => {
    if (family.has(row.pid) || row.pid === process.pid) return;
    family.set(row.pid, row);
    for (const child of children.get(row.pid) ?? []) visit(child);
  };
  for (const row of rows) if (isOurs(row)) visit(row);
  // A descriptor can also be handed to a service that was there before (the user's systemd): that is no descendant.
  const holds = (row: ProcessRow) =>
    origin !== undefined && Number(row.startTime) >= Number(origin.startTime) && holdsStream(row.pid, origin.streams);
  for (const row of rows)
    if (!family.has(row.pid) && (hasEnvironment(row.pid, mark, markIsPrefix) || holds(row))) visit(row);
  return [...family.values()].map(({ pid, startTime }) => ({ pid, startTime }));
}

/** Sends the signal to those that are still the same process; says whether anybody was left. */
export function signalProcesses(family: readonly ProcessIdentity[], signal: NodeJS.Signals): boolean {
  let someone = false;
  for (const { pid } of stillAlive(family)) {
    try {
      process.kill(pid, signal);
      someone = true;
    } catch {
      // It ended between the look and the signal.
    }
  }
  return someone;
}

/**
 * Ends the whole family of a process: asks, and after the grace period kills. Children that are born while it asks are
 * found by looking again. Resolves when nothing of it lives, as far as that can be known; never rejects.
 */
export async function terminateFamily(
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
 * Ends whatever a dead host has left, known by nothing but the mark in its environment (`readHostMark`). For hosts that were
 * killed together with their watchman. Only Linux tells environments; elsewhere nothing is found.
 */
export async function endProcessesOfHost(hostMark: string): Promise<void> {
  await terminateFamily({
    pid: NOBODY,
    mark: `${LAUNCH_VARIABLE}=${hostMark}.`,
    markIsPrefix: true,
    exited: () => true,
  });
}

/** No process and no group has it. */
const NOBODY = -1;

async function endFamily(leader: Leader, first: NodeJS.Signals, graceMs: number): Promise<void> {
  const family = familyOf(leader);
  if (!signalProcesses(family, first) || (await waitUntilGone(leader, family, graceMs))) return;
  for (let i = 0; i < 50; i++) {
    const rest = familyOf(leader);
    if (!signalProcesses(rest, 'SIGKILL') || (await waitUntilGone(leader, rest, 200))) return;
  }
}

/** Without looking, for which no descriptor is left. Once the leader is gone its group may be a stranger's. */
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

/** Looks at those who are known, which is cheap, and at all processes only when those have gone. */
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
