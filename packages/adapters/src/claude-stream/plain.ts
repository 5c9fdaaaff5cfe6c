import type { ParseContext } from '@agent-mux/core';
import type { StreamDialect } from './dialect.ts';
import { openState, type StreamState } from './state.ts';

/** Of printers that share only the shape: nothing that Claude Code adds to it is expected. */
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

/** The decoder's state of a process per turn. `resumes`: what it reports may be of earlier processes too. */
export function streamStateOf(
  context: ParseContext,
  { resumes = context.resumed === true || context.turnIndex > 0 } = {},
): StreamState {
  context.adapterState.stream ??= openState(context.runId, resumes);
  // What stands under this key was put there by the line above, or is the same after a trip through JSON.
  return context.adapterState.stream as StreamState;
}
