import type { EventBody, ParseContext } from '@agent-mux/core';
import { parseRecord } from '../shared/json.ts';
import { effortUnchecked } from '../shared/thinking.ts';
import { decodeEvent, endTurn } from './decode.ts';
import type { PiDialect } from './dialect.ts';
import { otherProject } from './rpc.ts';
import { openState, type PiState } from './state.ts';

/** One line of `--mode json`. */
export function decodeOneshot(line: string, context: ParseContext, dialect: PiDialect): EventBody[] | EventBody | null {
  const message = parseRecord(line);
  if (!message) return otherProject(line);
  const state = oneshotState(context, dialect);
  const events = decodeEvent(message, state, dialect);
  const { effort } = state;
  if (effort !== undefined && events.some(({ type }) => type === 'session_start'))
    events.push(effortUnchecked(effort, 'in this mode the agent does not report what its model supports'));
  return dialect.isSettled(message) ? [...events, ...endTurn(state, dialect)] : events;
}

function oneshotState(context: ParseContext, dialect: PiDialect): PiState {
  context.adapterState.pi ??= openState(context.options, dialect);
  // The value under this key was set above, or is the same after a JSON round trip.
  return context.adapterState.pi as PiState;
}
