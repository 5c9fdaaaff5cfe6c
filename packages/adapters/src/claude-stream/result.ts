import { type EventBody, NO_USAGE, type TurnStatus } from '@agent-mux/core';
import { type Failure, nameFailure } from '../shared/failures.ts';
import { amount, isRecord, type Json, number, record, text, texts, word } from '../shared/json.ts';
import type { StreamDialect } from './dialect.ts';
import { closeMessage } from './messages.ts';
import type { StreamState } from './state.ts';
import {
  type Counts,
  costDelta,
  countsOf,
  isNothing,
  modelUsageOf,
  NO_COUNTS,
  subtractCounts,
  tierOf,
  tokenUsage,
} from './usage.ts';

/**
 * A `result` line ends a native turn. Its `subtype` is not reliable: an API failure is a `success` with `is_error`. A
 * steering input that the agent holds back follows as a separate native turn and belongs to the same turn for us.
 */
export function decodeResult(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const events: EventBody[] = Object.keys(state.messages).flatMap((scope) => closeMessage(scope, state, dialect));
  events.push(...restOfCost(line, state, dialect));
  const status = state.loginRefused === 'no' ? statusOf(line, dialect) : 'failed';
  if (state.loginRefused !== 'no') state.loginRefused = 'no';
  else if (status === 'failed') {
    events.push(nameFailure(readFailure(line, state), dialect.failures));
  }
  delete state.failure;
  if (state.steering.length > 0 && status === 'completed') return events;
  state.steering = [];
  if (status === 'interrupted') events.push({ type: 'interrupted', by: 'caller' });
  const structured = line.structured_output ?? line.structured_result;
  const stopReason = word(line.terminal_reason) ?? word(line.stop_reason);
  events.push({
    type: 'turn_end',
    status,
    ...(structured === undefined ? {} : { structured }),
    ...(stopReason ? { stopReason } : {}),
  });
  return events;
}

function statusOf(line: Json, dialect: StreamDialect): TurnStatus {
  const reason = word(line.terminal_reason);
  const failed =
    line.is_error === true ||
    String(line.subtype).startsWith('error') ||
    // Seen in Qwen Code 0.21: a success whose only text is the API's error.
    dialect.isErrorText?.(text(line.result) ?? '') === true;
  if (line.subtype === 'error_max_turns' || reason === 'max_turns') return 'max_turns';
  if (failed && reason?.startsWith('aborted')) return 'interrupted';
  if (failed && dialect.isInterruption?.(line)) return 'interrupted';
  if (failed) return 'failed';
  return line.stop_reason === 'refusal' ? 'refused' : 'completed';
}

function readFailure(line: Json, state: StreamState): Failure {
  const said = [...texts(line.errors), text(line.result) ?? '', text(record(line.error).message) ?? ''].filter(Boolean);
  return {
    kind: state.failure?.kind ?? word(line.subtype),
    status: number(line.api_error_status) ?? state.failure?.status,
    reason: word(line.terminal_reason),
    text: said.join('\n') || state.failure?.text || '',
    ...(state.limitResetsAt === undefined ? {} : { resetsAt: state.limitResetsAt }),
  };
}

/** Usage that the message deltas left out: subagents, side requests, and all costs. */
function restOfCost(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const counted = state.counted;
  state.counted = { ...NO_COUNTS };
  if (dialect.usage === 'assistant') return [];
  const { counts, costUsd } = turnTotals(line, state);
  const rest = subtractCounts(counts, counted);
  const tier = tierOf(line.usage);
  if (!isNothing(rest)) return [costDelta(tokenUsage(rest, dialect.inputIncludesCache), costUsd, { tier })];
  return costUsd === null ? [] : [costDelta(NO_USAGE, costUsd, { tier })];
}

/**
 * `total_cost_usd` and `modelUsage` accumulate over the whole process; `usage` is of this turn, without subagents.
 * Releases without `model_usage_since_last_result` (seen in 2.1.280) start a resumed process with the totals of its
 * session but do not report them: then the first turn has the tokens of `usage` and no price.
 */
function turnTotals(line: Json, state: StreamState): { counts: Counts; costUsd: number | null } {
  if (isRecord(line.model_usage_since_last_result)) return modelUsageOf(line.model_usage_since_last_result);
  const total = modelUsageOf(line.modelUsage);
  const costUsd = amount(line.total_cost_usd) ?? total.costUsd;
  const before = state.totals;
  state.totals = { counts: isNothing(total.counts) ? before.counts : total.counts, costUsd: costUsd ?? before.costUsd };
  const ofTurn = countsOf(line.usage);
  const isFirst = isNothing(before.counts);
  if (state.resumes && isFirst && !isNothing(subtractCounts(total.counts, ofTurn)))
    return { counts: ofTurn, costUsd: null };
  return {
    counts: isNothing(total.counts) ? ofTurn : subtractCounts(total.counts, before.counts),
    costUsd: costUsd === null ? null : Math.max(0, costUsd - before.costUsd),
  };
}
