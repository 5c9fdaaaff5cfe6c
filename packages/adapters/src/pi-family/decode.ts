import type { EventBody, TurnStatus } from '@agent-mux/core';
import { nameFailure } from '../shared/failures.ts';
import { type Json, number, record, word } from '../shared/json.ts';
import type { PiDialect } from './dialect.ts';
import { readFailure } from './failure.ts';
import { closeMessage, discardMessage, endMessage, startMessage, updateMessage } from './messages.ts';
import type { PiState } from './state.ts';
import { endTool, toolOutput, toolRuns } from './tools.ts';
import { costOf } from './usage.ts';

/** One event of a session; the same in both modes. The caller handles the end of a turn. */
export function decodeEvent(line: Json, state: PiState, dialect: PiDialect): EventBody[] {
  switch (line.type) {
    case 'message_update':
      return updateMessage(line, state, dialect);
    case 'message_start':
      return startMessage(line, state);
    case 'message_end':
      return endMessage(line, state);
    case 'tool_execution_start':
      return toolRuns(line, state, dialect);
    case 'tool_execution_update':
      return toolOutput(line, state);
    case 'tool_execution_end':
      return endTool(line, state, dialect);
    case 'session':
      return startSession(line, state);
    case 'agent_start':
      state.running = true;
      return [];
    case 'auto_retry_start':
      return retrying(line, state, dialect);
    case 'compaction_end':
      return compactionEvents(line);
    case 'session_info_changed': {
      const title = word(line.name);
      return title ? [{ type: 'title', title }] : [];
    }
    case 'extension_error': {
      const message = `The extension ${word(line.extensionPath) ?? ''} failed: ${word(line.error) ?? 'no reason given'}`;
      return [{ type: 'debug', level: 'warn', code: 'extension_failed', message }];
    }
    default:
      return [];
  }
}

/** The header of a one-shot process. */
function startSession(line: Json, state: PiState): EventBody[] {
  const sessionId = word(line.id);
  const cwd = word(line.cwd);
  if (!sessionId || state.announced) return [];
  state.announced = true;
  return [{ type: 'session_start', sessionId, ...(cwd ? { cwd } : {}) }];
}

function retrying(line: Json, state: PiState, dialect: PiDialect): EventBody[] {
  const failure = readFailure(word(line.errorMessage) ?? '', line.errorStatus);
  const discarded = discardMessage(state);
  delete state.failure;
  const event = nameFailure(failure, dialect.failures);
  // The wait is the agent's own: it does not report the delay that the model asked for.
  if (event.type === 'rate_limit_error') return [...discarded, { ...event, retrying: true }];
  const maxAttempts = number(line.maxAttempts);
  const delayMs = number(line.delayMs);
  return [
    ...discarded,
    {
      type: 'retry',
      attempt: number(line.attempt) ?? 1,
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...(delayMs === undefined ? {} : { delayMs }),
      reason: failure.text,
      by: 'agent',
    },
  ];
}

function compactionEvents(line: Json): EventBody[] {
  const result = record(line.result);
  const summary = word(result.summary);
  if (summary === undefined) return [];
  const trigger = word(line.reason);
  return [{ type: 'context_compacted', summary, ...(trigger ? { trigger } : {}) }, ...costOf(result.usage)];
}

/** Everything that followed from an input is over. */
export function endTurn(state: PiState, dialect: PiDialect): EventBody[] {
  const { stopReason, failure } = state;
  const events = closeMessage(state);
  const status = statusOf(state);
  if (status === 'failed' && failure) events.push(nameFailure(failure, dialect.failures));
  if (status === 'interrupted') events.push({ type: 'interrupted', by: state.interrupting ? 'caller' : 'agent' });
  state.running = false;
  state.interrupting = false;
  state.tools = {};
  state.denied = {};
  delete state.failure;
  delete state.stopReason;
  return [...events, { type: 'turn_end', status, ...(stopReason ? { stopReason } : {}) }];
}

function statusOf({ stopReason, failure, interrupting, refused }: PiState): TurnStatus {
  if (interrupting && stopReason !== 'stop') return 'interrupted';
  if (stopReason === 'aborted') return 'interrupted';
  if (failure) return 'failed';
  return refused ? 'refused' : 'completed';
}
