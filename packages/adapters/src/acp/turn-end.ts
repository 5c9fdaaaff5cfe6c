import type { EventBody, TokenUsage } from '@agent-mux/core';
import { amount, isRecord, type Json, record, text } from '../shared/json.ts';
import type { AcpDialect } from './dialect.ts';
import type { AcpState } from './state.ts';
import { endMessage } from './updates.ts';

/** The answer to a prompt is the end of its turn. */
export function endPrompt(result: Json, state: AcpState, dialect: AcpDialect): EventBody[] {
  state.prompting = false;
  const events = endMessage(state);
  const usage = dialect.readUsage ? dialect.readUsage(result) : readUsage(result);
  if (usage) {
    const scope = dialect.usage === 'session' ? 'session' : dialect.usage === 'turn' ? 'turn' : 'delta';
    const model = dialect.readUsedModel?.(result);
    events.push({
      type: 'cost',
      usage,
      costUsd: null,
      scope,
      source: 'reported',
      ...(model === undefined ? {} : { model }),
    });
  }
  if (state.failed && !state.cancelled) return [...events, { type: 'turn_end', status: 'failed' }];
  const stopReason = text(result.stopReason) ?? 'end_turn';
  if (state.cancelled)
    return [...events, { type: 'interrupted', by: 'caller' }, { type: 'turn_end', status: 'interrupted', stopReason }];
  if (stopReason === 'max_turn_requests') return [...events, { type: 'turn_end', status: 'max_turns', stopReason }];
  if (stopReason === 'refusal') return [...events, { type: 'turn_end', status: 'refused', stopReason }];
  // Some agents end the turn as cancelled when a permission is denied, though no one interrupted it.
  if (stopReason === 'cancelled' && !state.denied)
    return [...events, { type: 'interrupted', by: 'agent' }, { type: 'turn_end', status: 'interrupted', stopReason }];
  if (dialect.wordlessTurnFailed && !state.spoken) {
    const message = 'the turn ended without an answer: the agent does not say why';
    return [
      ...events,
      { type: 'error', code: 'AGENT_ERROR', message, recoverable: false },
      { type: 'turn_end', status: 'failed', stopReason },
    ];
  }
  return [...events, { type: 'turn_end', status: 'completed', stopReason }];
}

function readUsage(result: Json): TokenUsage | null {
  if (!isRecord(result.usage)) return null;
  const count = (name: string) => amount(record(result.usage)[name]) ?? null;
  return {
    inputTokens: count('inputTokens'),
    outputTokens: count('outputTokens'),
    cacheReadTokens: count('cachedReadTokens'),
    cacheCreationTokens: count('cachedWriteTokens'),
    totalTokens: count('totalTokens'),
  };
}
