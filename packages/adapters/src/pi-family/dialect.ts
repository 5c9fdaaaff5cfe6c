import type { ResolvedRunOptions, ToolKind, ToolKindTable } from '@agent-mux/core';
import type { FailureRule } from '../shared/failures.ts';
import type { Json } from '../shared/json.ts';
import type { PiState } from './state.ts';

/** The tool that an `extension_ui_request` asks approval for. */
export interface RequestedTool {
  toolName: string;
  toolCallId?: string;
  input?: unknown;
  /** Further text of the request. */
  title: string;
}

/** Differences between pi and its relatives. */
export interface PiDialect {
  /** The event after which nothing more happens on its own. */
  isSettled(line: Json): boolean;
  /** Recognizes approval requests for a tool among the dialogs of extensions. */
  askedTool(request: Json, state: PiState): RequestedTool | undefined;
  /** The answers to such a request. */
  allow: Json;
  deny: Json;
  toolKinds: ToolKindTable;
  /** A more specific kind of a call than that of its tool, by its input. */
  kindOfCall?(toolName: string, input: unknown): ToolKind | undefined;
  /** Matches the text of a failed tool call that was refused and never ran. */
  isRefusal(text: string): boolean;
  failures: readonly FailureRule[];
  /** Prefixes of MCP tool names, mapped to the servers. */
  mcpPrefixes?(options: ResolvedRunOptions): Record<string, string>;
  /**
   * Queued inputs outlive an abort. True: a command removes them. False: they start a separate run, which is stopped,
   * and an input during that run waits for its end.
   */
  clearsQueue: boolean;
  /** An accepted input that starts no run is reported; otherwise it must be queried. */
  reportsIdleInput: boolean;
}
