import type { EventBody } from '@agent-mux/core';
import { entryOf, type Json, parseRecord, word } from '../shared/json.ts';
import { decodeCancel, decodeReply, decodeRequest } from './control.ts';
import type { StreamDialect } from './dialect.ts';
import { closeMessage, decodeAssistant, decodeStreamEvent, scopeOf } from './messages.ts';
import { decodeResult } from './result.ts';
import type { StreamState } from './state.ts';
import { decodeRateLimit, decodeSystem } from './system.ts';
import { toolResults } from './tools.ts';

export interface DecodedLine {
  events: EventBody[];
  replies: string[];
}

const NOTHING: DecodedLine = Object.freeze({ events: [], replies: [] });

/**
 * One line of the Claude stream format. Null: another format.
 * Never match on a prefix of the line: `type` is not always the first key.
 */
export function decodeLine(line: string, state: StreamState, dialect: StreamDialect): DecodedLine | null {
  const message = parseRecord(line);
  if (!message) return null;
  switch (message.type) {
    case 'stream_event':
      return said(decodeStreamEvent(message, state, dialect));
    case 'assistant':
      return said(decodeAssistant(message, state, dialect));
    case 'user':
      return said(decodeUser(message, state, dialect));
    case 'system':
      return said(decodeSystem(message, state, dialect));
    case 'result':
      return said(decodeResult(message, state, dialect));
    case 'rate_limit_event':
      return said(decodeRateLimit(message, state));
    case 'control_request':
      return decodeRequest(message, state, dialect);
    case 'control_cancel_request':
      return said(decodeCancel(message, state));
    case 'control_response':
      return said(decodeReply(message, state));
    case 'command_lifecycle':
      return said(followSteering(message, state));
    default:
      return word(message.type) ? NOTHING : null;
  }
}

function said(events: EventBody[]): DecodedLine {
  return events.length === 0 ? NOTHING : { events, replies: [] };
}

/** Tool results; everything else in a `user` line is an echo or a note of the agent to itself. */
function decodeUser(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  if (line.isReplay === true) return [];
  const scope = scopeOf(line);
  const results = toolResults(line, state, dialect);
  // A message that came in whole lines has no explicit end; a streamed one may still wait for its message_stop.
  const closed = entryOf(state.messages, scope)?.streamed === false ? closeMessage(scope, state, dialect) : [];
  return [...closed, ...results];
}

/** An input that the agent has started is no longer pending. */
function followSteering(line: Json, state: StreamState): EventBody[] {
  if (line.state !== 'queued') {
    const id = word(line.command_uuid);
    state.steering = state.steering.filter((held) => held !== id);
  }
  return [];
}
