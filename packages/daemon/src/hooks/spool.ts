import { join } from 'node:path';

/**
 * What a hook leaves for the daemon: one file for each call, written beside and then moved into the spool, so that only whole ones
 * are seen there. Its name begins with the time, so that names in order are calls in order. Nothing here loads more than paths:
 * the reporter is started with every step of an agent.
 */
export interface HookPlaces {
  root: string;
  /** Whole reports that nobody has taken yet. */
  spool: string;
  /** Reports that are being written. */
  unfinished: string;
  /** What could not be understood, kept for a look. */
  aside: string;
  /** Which workspaces have hooks of ours, and of which agents: `{"workspaces": {"/path": ["claude"]}}`. */
  workspaces: string;
  log: string;
}

export function hookPlacesIn(stateFolder: string): HookPlaces {
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

/** A process above the one that reports; the nearest first. */
export interface Ancestor {
  pid: number;
  /** As the process table of core has it: equal only for the same process. */
  startTime: string;
  /** The name of its program, cut by the kernel. */
  name: string;
}

/** One call of a hook, as the reporter saw it. `payload` is anybody's text. */
export interface Delivery {
  v: 1;
  id: string;
  agent: string;
  event: string;
  session: string | null;
  /** Inherited by all that is started below a session, also by agents that somebody else has started there. */
  sessionBy: 'argument' | 'environment' | null;
  /** The run that the agent was started by, where it was one of ours. */
  run: string | null;
  cwd: string | null;
  /** When the hook was called: milliseconds since the epoch, with parts of one. */
  at: number;
  ppid: number;
  ancestors: readonly Ancestor[];
  payload: string;
  /** There was more of it. */
  cut: boolean;
}

/** So much of a payload is kept; the rest is read and dropped. In bytes. */
export const PAYLOAD_BYTES = 256 * 1024;
/** A report of a full payload, in which every byte may have been written as six. */
export const REPORT_BYTES = 6 * PAYLOAD_BYTES + 64 * 1024;
/** So much waits at most while there is no daemon; then the oldest go. */
export const SPOOL_LIMITS = { files: 20_000, bytes: 256 * 1024 * 1024 };
/** At this size the log is moved to `hooks.log.1`, in place of what was there. */
export const LOG_BYTES = 256 * 1024;

/** Of a plugin of ours to its reporter: when the event was, in milliseconds since the epoch. */
export const TIME_VARIABLE = 'AGENT_MUX_HOOK_TIME';
/** Of a run that asked for hooks (`HOOKS_VARIABLE` of core, which takes too long to load). */
export const HOOKS_VARIABLE = 'AGENT_MUX_HOOKS';
export const SESSION_VARIABLE = 'AGENT_MUX_SESSION_ID';
