import type { ApprovalMode, TerminalSize } from '@agent-mux/core';

/**
 * What is said to a terminal's keeper, one JSON text per line over its socket. Unlike the keeper of a session it has no journal:
 * what there is to know of a screen is the screen, and that is what every viewer is told first.
 */
export const TERMINAL_PROTOCOL = 1;

/** Handed over on stdin, and written nowhere: it holds values of variables. */
export interface TerminalLaunch {
  sessionId: string;
  /** The session's folder. */
  folder: string;
  agent: string;
  trustProject: boolean;
  env: Record<string, string>;
  hostEnv: Record<string, string>;
  start: {
    cwd: string;
    size: TerminalSize;
    sessionId?: string;
    model?: string;
    approvalMode?: ApprovalMode;
    prompt?: string;
    hooks: boolean;
  };
}

/** From a viewer. */
export type ToTerminal =
  /** The first word. Who only watches never writes. */
  | { type: 'hello'; protocol: number; viewer: string }
  /** Only from the writer; the first one who writes is it, as long as there is none. */
  | { type: 'input'; data: string }
  /** How large this viewer is; the writer's size counts, and where there is none the last one that was told. */
  | { type: 'size'; cols: number; rows: number }
  /** Takes the keyboard, whoever has it. */
  | { type: 'claim' }
  | { type: 'end' };

export interface TerminalExit {
  code: number | null;
  signal: string | null;
  problem?: string;
}

export type FromTerminal =
  /** All that is on the screen and above it, as a terminal would have to be told; in the place of everything before. */
  | { type: 'screen'; data: string; cols: number; rows: number; writer: string | null }
  | { type: 'data'; data: string }
  | { type: 'size'; cols: number; rows: number }
  | { type: 'writer'; writer: string | null }
  | { type: 'refused'; reason: string }
  | { type: 'ended'; exit: TerminalExit };
