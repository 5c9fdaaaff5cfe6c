import type { TerminalSize } from './adapter.ts';
import type { ApprovalMode } from './capabilities.ts';

/**
 * How to start the agent's terminal UI interactively: a table of arguments. Options missing from it are unsupported and
 * rejected. Argument order: `args`, `resume`, `model`, `approvalModes`, `prompt`.
 */
export interface TerminalSpec {
  readonly args?: readonly string[];
  readonly resume?: (sessionId: string) => readonly string[];
  readonly model?: (model: string) => readonly string[];
  readonly approvalModes?: Readonly<Partial<Record<ApprovalMode, readonly string[]>>>;
  /** Initial prompt, as if typed. */
  readonly prompt?: (prompt: string) => readonly string[];
  /** False: the terminal UI ignores a prompt when resuming a session; the combination is rejected. */
  readonly resumesWithPrompt?: false;
}

export interface TerminalRequest {
  agent: string;
  cwd: string;
  size: TerminalSize;
  /** The agent's own id of the session to resume. */
  sessionId?: string;
  model?: string;
  /** Default: the agent's own. */
  approvalMode?: ApprovalMode;
  prompt?: string;
  env?: Readonly<Record<string, string>>;
  inheritEnv?: boolean;
  /**
   * The agent's hooks report its activity, if that needs no file in the workspace: with the command returned for an
   * event, or with `amux`, which must then be on PATH.
   */
  hooks?: boolean | ((event: string) => string);
}

/** An agent's program on a pseudo-terminal, displayed by the caller. */
export interface AgentTerminal {
  readonly pid: number | undefined;
  /** Sends input as if typed. */
  write(data: string): void;
  resize(size: TerminalSize): void;
  /** Blocks the program's output until `resume`. */
  pause(): void;
  resume(): void;
  /** Hangs up and ends all processes the agent started. */
  end(): Promise<void>;
  /** Resolves when the program has exited and all its output was delivered. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; problem?: string }>;
}
