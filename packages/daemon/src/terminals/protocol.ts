import type { ApprovalMode, TerminalSize } from '@agent-mux/core';

/**
 * Protocol of a terminal keeper: JSON lines over its socket. Unlike a session keeper it has no journal: its state is
 * the screen, which every viewer receives first.
 */
export const TERMINAL_PROTOCOL = 1;

/** Sent over stdin and never written to disk: it contains variable values. */
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

/** Messages of a viewer. */
export type ToTerminal =
  /** The first message. A viewer that only watches sends no input. */
  | { type: 'hello'; protocol: number; viewer: string }
  /** Accepted only from the writer. While there is none, the first viewer to send input becomes the writer. */
  | { type: 'input'; data: string }
  /** Size of this viewer. The writer's size is used or, without a writer, the last one sent. */
  | { type: 'size'; cols: number; rows: number }
  /** Becomes the writer, replacing the current one. */
  | { type: 'claim' }
  | { type: 'end' };

export interface TerminalExit {
  code: number | null;
  signal: string | null;
  problem?: string;
}

export type FromTerminal =
  /** Output that reproduces the screen and its scrollback. Replaces everything sent before. */
  | { type: 'screen'; data: string; cols: number; rows: number; writer: string | null }
  | { type: 'data'; data: string }
  | { type: 'size'; cols: number; rows: number }
  | { type: 'writer'; writer: string | null }
  | { type: 'rejected'; reason: string }
  | { type: 'ended'; exit: TerminalExit };
