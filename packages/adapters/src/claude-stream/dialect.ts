import type { ApprovalMode, EventBody, ResolvedRunOptions } from '@agent-mux/core';
import type { FailureRule } from '../shared/failures.ts';
import type { Json } from '../shared/json.ts';

/** In what the printers of this stream differ. Everything that is not here they share. */
export interface StreamDialect {
  /** The field of `system/init` with the CLI's version and the one with the permission mode. */
  versionField: string;
  permissionModeField: string;
  /**
   * Where tokens are told. `stream`: message_start + message_delta, the rest (subagents, side requests) in the result.
   * `assistant`: the `assistant` lines; the result is not looked at.
   */
  usage: 'stream' | 'assistant';
  inputIncludesCache: boolean;
  /** `assistant` lines that repeat a streamed block may carry another message id. */
  echoHasOtherId: boolean;
  /** Text that stands for an API failure; it is told as an error, not as the agent's words. */
  isErrorText?(text: string): boolean;
  /** Native permission mode per approval mode, also the modes that can be switched to. */
  permissionModes: Partial<Record<ApprovalMode, string>>;
  /** The tool that puts questions to the user. */
  questionTool?: string;
  /** Answers to questions are filed by their number; otherwise by the text of the question. */
  answersByIndex?: boolean;
  /** `permission_suggestions` are words for the two answers; otherwise they are rules that can be adopted. */
  suggestsAnswersOnly?: boolean;
  /** The text of a failed tool call that was refused and never ran, where no field says it. */
  isDenial?(text: string): boolean;
  /** A failed `result` that only tells of an interrupt, where `terminal_reason` does not say it. */
  isInterruption?(result: Json): boolean;
  /** The content of a tool result, where it is wrapped up. */
  resultContent?(content: unknown): unknown;
  subagentTools: readonly string[];
  skillTool?: string;
  /** Tools whose input is the agent's plan. */
  planTools: readonly string[];
  /** What each failure looks like; the first rule that fits names it. */
  failures: readonly FailureRule[];
  /** `task_started` lines tell of subagents; otherwise their tool call does. */
  announcesSubagents: boolean;
  /** What a result of a tool changed on disk. */
  fileChange?(toolName: string, native: unknown): Extract<EventBody, { type: 'file_change' }> | undefined;
  /** The file that a call of this tool changes, where its result does not say it. */
  changedPath?(toolName: string, input: Json): string | undefined;
  exitCode?(toolName: string, output: string, native: unknown): number | undefined;
  /** Accepts `priority` and `uuid` on an input and reports its fate in `command_lifecycle` lines. */
  canSteer: boolean;
  initialize: Json;
  /** What `initialize` says beyond that for one run. */
  greeting?(options: ResolvedRunOptions): Json;
}
