import type { ApprovalMode, EventBody, ResolvedRunOptions } from '@agent-mux/core';
import type { FailureRule } from '../shared/failures.ts';
import type { Json } from '../shared/json.ts';

/** Differences between the agents that print this stream. */
export interface StreamDialect {
  /** The field of `system/init` with the CLI's version and the one with the permission mode. */
  versionField: string;
  permissionModeField: string;
  /**
   * Where tokens are reported. `stream`: message_start + message_delta, the rest (subagents, side requests) in the result.
   * `assistant`: the `assistant` lines; the result is ignored.
   */
  usage: 'stream' | 'assistant';
  inputIncludesCache: boolean;
  /** `assistant` lines that repeat a streamed block may have another message id. */
  echoHasOtherId: boolean;
  /** Text of an API failure; it is reported as an error, not as agent output. */
  isErrorText?(text: string): boolean;
  /** Native permission mode per approval mode, also the modes that can be switched to. */
  permissionModes: Partial<Record<ApprovalMode, string>>;
  /** The tool that asks the user questions. */
  questionTool?: string;
  /** Answers to questions are keyed by their number; otherwise by the text of the question. */
  answersByIndex?: boolean;
  /** `permission_suggestions` are labels for the two answers; otherwise they are rules that can be adopted. */
  suggestsAnswersOnly?: boolean;
  /** Matches the text of a failed tool call that was refused and never ran, if no field says so. */
  isDenial?(text: string): boolean;
  /** Matches a failed `result` that only reports an interrupt, if `terminal_reason` does not. */
  isInterruption?(result: Json): boolean;
  /** Unwraps the content of a tool result. */
  resultContent?(content: unknown): unknown;
  subagentTools: readonly string[];
  skillTool?: string;
  /** Tools whose input is the agent's plan. */
  planTools: readonly string[];
  /** Patterns of each failure; the first matching rule wins. */
  failures: readonly FailureRule[];
  /** `task_started` lines report subagents; otherwise their tool call does. */
  announcesSubagents: boolean;
  /** Files that a tool result changed on disk. */
  fileChange?(toolName: string, native: unknown): Extract<EventBody, { type: 'file_change' }> | undefined;
  /** The file that a call of this tool changes, if its result does not say so. */
  changedPath?(toolName: string, input: Json): string | undefined;
  exitCode?(toolName: string, output: string, native: unknown): number | undefined;
  /** Accepts `priority` and `uuid` on an input and reports its fate in `command_lifecycle` lines. */
  canSteer: boolean;
  initialize: Json;
  /** Further fields of `initialize` for one run. */
  greeting?(options: ResolvedRunOptions): Json;
}
