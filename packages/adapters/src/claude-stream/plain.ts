import type { ParseContext } from '@agent-mux/core';
import type { StreamDialect } from './dialect.ts';
import { openState, type StreamState } from './state.ts';

/** For agents that share only the format: none of Claude Code's additions is expected. */
export const PLAIN_DIALECT: StreamDialect = {
  versionField: 'version',
  permissionModeField: 'permissionMode',
  usage: 'assistant',
  inputIncludesCache: false,
  echoHasOtherId: false,
  permissionModes: {},
  subagentTools: [],
  planTools: [],
  failures: [],
  announcesSubagents: false,
  canSteer: false,
  initialize: {},
};

/** The decoder's state of a process per turn. `resumes`: its totals may include earlier processes. */
export function streamStateOf(
  context: ParseContext,
  { resumes = context.resumed === true || context.turnIndex > 0 } = {},
): StreamState {
  context.adapterState.stream ??= openState(context.runId, resumes);
  // The value under this key was set above, or is the same after a JSON round trip.
  return context.adapterState.stream as StreamState;
}
