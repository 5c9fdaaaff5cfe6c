import type { ResolvedRunOptions, ToolKind, ToolKindTable } from '@agent-mux/core';
import type { FailureRule } from '../shared/failures.ts';
import type { Json } from '../shared/json.ts';
import type { PiState } from './state.ts';

/** What an `extension_ui_request` asks approval for. */
export interface AskedTool {
  toolName: string;
  toolCallId?: string;
  input?: unknown;
  /** What stands in the request beside the tool. */
  title: string;
}

/** In what pi and its relatives differ. Everything that is not here they share. */
export interface PiDialect {
  /** Nothing more will happen by itself. */
  isSettled(line: Json): boolean;
  /** Recognises the request for approval of a tool among the dialogs of extensions. */
  askedTool(request: Json, state: PiState): AskedTool | undefined;
  /** The answers to such a request. */
  allow: Json;
  deny: Json;
  toolKinds: ToolKindTable;
  /** What a call does beyond the kind of its tool, told by its input. */
  kindOfCall?(toolName: string, input: unknown): ToolKind | undefined;
  /** The text of a failed tool call that was refused and never ran. */
  isRefusal(text: string): boolean;
  failures: readonly FailureRule[];
  /** With what the names of an MCP server's tools begin; the names of the servers by it. */
  mcpPrefixes?(options: ResolvedRunOptions): Record<string, string>;
  /**
   * What is queued outlives an abort. True: a command takes it back. False: it starts a run of its own, which is stopped,
   * and an input that meets that run waits for its end.
   */
  clearsQueue: boolean;
  /** An accepted input that starts no run is told of; otherwise it must be looked for. */
  tellsIdleInput: boolean;
}
