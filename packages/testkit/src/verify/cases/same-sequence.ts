import assert from 'node:assert/strict';
import type { AgentEvent, EventType } from '@agent-mux/core';
import type { VerifyCase } from '../verify-case.ts';
import { tour } from './shared-runs.ts';

/** The expected events of the same script with every agent. */
const EXPECTED: readonly EventType[] = [
  'session_start',
  'turn_start',
  'thinking_start',
  'thinking_delta',
  'thinking_stop',
  'text_delta',
  'tool_call_start',
  'tool_call_ready',
  'tool_result',
  'text_delta',
  'turn_end',
  'session_end',
];

const FIRST_WORDS = EXPECTED.indexOf('text_delta');
const THINKING: ReadonlySet<EventType> = new Set<EventType>(['thinking_start', 'thinking_delta', 'thinking_stop']);
const COMPARED: ReadonlySet<EventType> = new Set(EXPECTED);

export const sameSequenceCase: VerifyCase = {
  id: 'same-sequence',
  unasserted: ['hidesWordsBeforeTools'],
  title: 'the same program gives the same sequence of events as with every other agent',
  rank: 'vital',
  shares: 'tour',
  shows: [],
  needs: (capabilities) => capabilities.supportsNativeTools,
  async run(bench) {
    const { run } = await tour(bench);
    run.completed();
    const thinks = bench.capabilities.supportsThinkingStreaming;
    const hidesFirst = !bench.asserts('hidesWordsBeforeTools');
    assert.deepEqual(
      sequenceOf(run.events),
      EXPECTED.filter((type, i) => (thinks || !THINKING.has(type)) && !(hidesFirst && i === FIRST_WORDS)),
      run.summary,
    );
  },
};

/** The types that are compared; several deltas in a row count as one. */
function sequenceOf(events: readonly AgentEvent[]): EventType[] {
  const types = events.map(({ type }) => type).filter((type) => COMPARED.has(type));
  return types.filter((type, i) => !(type.endsWith('_delta') && types[i - 1] === type));
}
