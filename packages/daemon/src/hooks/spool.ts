import { join } from 'node:path';

/**
 * Files that a hook leaves for the daemon: one per call, written to another folder and then moved into the spool, so
 * that only complete files appear there. Names start with the time, so they sort in the order of the calls. This module
 * loads only `node:path`, because the reporter runs at every step of an agent.
 */
export interface HookPaths {
  root: string;
  /** Complete reports that are not processed yet. */
  spool: string;
  /** Reports that are being written. */
  unfinished: string;
  /** Invalid reports, kept for inspection. */
  aside: string;
  /** Workspaces with hooks installed by agent-mux, and their agents: `{"workspaces": {"/path": ["claude"]}}`. */
  workspaces: string;
  log: string;
}

export function hookPathsIn(stateFolder: string): HookPaths {
  const root = join(stateFolder, 'hooks');
  return {
    root,
    spool: join(root, 'spool'),
    unfinished: join(root, 'unfinished'),
    aside: join(root, 'aside'),
    workspaces: join(root, 'workspaces.json'),
    log: join(root, 'hooks.log'),
  };
}

/** An ancestor of the reporting process; the nearest first. */
export interface Ancestor {
  pid: number;
  /** As in the process table of core: equal only for the same process. */
  startTime: string;
  /** Program name, truncated by the kernel. */
  name: string;
}

/** One hook call as seen by the reporter. `payload` is untrusted text. */
export interface HookDelivery {
  v: 1;
  id: string;
  agent: string;
  event: string;
  session: string | null;
  /** `environment` is inherited by every process below a session, including agents that the user starts there. */
  sessionBy: 'argument' | 'environment' | null;
  /** The agent-mux run that started the agent, if any. */
  run: string | null;
  cwd: string | null;
  /** Time of the hook call in milliseconds since the epoch, with a fraction. */
  at: number;
  ppid: number;
  ancestors: readonly Ancestor[];
  payload: string;
  /** The payload was truncated. */
  cut: boolean;
}

/** Maximum size of a stored payload; the rest is read and dropped. */
export const PAYLOAD_BYTES = 256 * 1024;
/** Size of a report with a full payload, in which every byte may be escaped as six. */
export const REPORT_BYTES = 6 * PAYLOAD_BYTES + 64 * 1024;
/** Limits of the spool while no daemon runs; beyond them the oldest reports are dropped. */
export const SPOOL_LIMITS = { files: 20_000, bytes: 256 * 1024 * 1024 };
/** At this size the log is renamed to `hooks.log.1`, replacing the previous one. */
export const LOG_BYTES = 256 * 1024;

/** Set by agent-mux plugins for the reporter: the time of the event in milliseconds since the epoch. */
export const TIME_VARIABLE = 'AGENT_MUX_HOOK_TIME';
/** Set for a run that requested hooks (`HOOKS_VARIABLE` of core, which takes too long to load). */
export const HOOKS_VARIABLE = 'AGENT_MUX_HOOKS';
export const SESSION_VARIABLE = 'AGENT_MUX_SESSION_ID';
