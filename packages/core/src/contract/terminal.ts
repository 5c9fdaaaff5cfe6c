import type { TerminalSize } from './adapter.ts';
import type { ApprovalMode } from './capabilities.ts';

/**
 * How the agent's own screen is started, as a person would: a table of arguments. What is not in it cannot be said to that
 * screen, and is refused. In this order: `args`, `resume`, `model`, `approvalModes`, `prompt`.
 */
export interface TerminalFacet {
  readonly args?: readonly string[];
  readonly resume?: (sessionId: string) => readonly string[];
  readonly model?: (model: string) => readonly string[];
  readonly approvalModes?: Readonly<Partial<Record<ApprovalMode, readonly string[]>>>;
  /** What the agent begins with, as if it had been typed. */
  readonly prompt?: (prompt: string) => readonly string[];
  /** False: where a session is gone on with, its screen takes no notice of a prompt; both together are refused. */
  readonly resumesWithPrompt?: false;
}

export interface TerminalRequest {
  agent: string;
  cwd: string;
  size: TerminalSize;
  /** The agent's own id of the session that is gone on with. */
  sessionId?: string;
  model?: string;
  /** Default: the agent's own. */
  approvalMode?: ApprovalMode;
  prompt?: string;
  env?: Readonly<Record<string, string>>;
  inheritEnv?: boolean;
  /**
   * The agent's hooks report what it does, where that needs no file in the workspace: by the command that is returned for an
   * event, or by `amux`, which then must be on the PATH.
   */
  hooks?: boolean | ((event: string) => string);
}

/** A program on a terminal that somebody else shows. */
export interface AgentTerminal {
  readonly pid: number | undefined;
  /** As if it were typed. */
  write(data: string): void;
  resize(size: TerminalSize): void;
  /** It waits in its writes until `resume`. */
  pause(): void;
  resume(): void;
  /** Hangs up, and ends all that the agent has started. */
  end(): Promise<void>;
  /** Resolves when it has ended and all that it printed was told. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; problem?: string }>;
}
