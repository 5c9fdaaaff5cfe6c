import type { EventBody } from '@agent-mux/core';
import { entryOf, isRecord, type Json, record, records, setEntry, text, texts, word } from '../shared/json.ts';
import type { ItemState } from './item-state.ts';
import { requestCost } from './usage.ts';

type EndStatus = Extract<EventBody, { type: 'subagent_end' }>['status'];

/** States in which a subagent sends nothing more on its own. */
const ENDED: Readonly<Record<string, EndStatus>> = {
  completed: 'completed',
  errored: 'failed',
  failed: 'failed',
  interrupted: 'cancelled',
  shutdown: 'cancelled',
  notFound: 'failed',
};

/** A finished call of one of the subagent tools. Each subagent is a separate thread in the same process. */
export function subagentCall(toolCallId: string, item: Json, state: ItemState): EventBody[] {
  if (item.type !== 'collabAgentToolCall') return [];
  const spawned = item.tool === 'spawnAgent' ? texts(item.receiverThreadIds) : [];
  const started = spawned.flatMap((subagentId): EventBody[] => {
    if (entryOf(state.subagents, subagentId) !== undefined) return [];
    setEntry(state.subagents, subagentId, toolCallId);
    const prompt = word(item.prompt);
    return [{ type: 'subagent_start', subagentId, toolCallId, ...(prompt ? { prompt } : {}) }];
  });
  const ended = Object.entries(record(item.agentsStates)).flatMap(([thread, known]) =>
    endSubagent(thread, entryOf(ENDED, text(record(known).status) ?? ''), state),
  );
  return [...started, ...ended];
}

/**
 * A notice of another thread than the run's own. Output of a subagent stays with it; its tokens count for the run, and
 * its end is reported, which may come after the end of the turn. Its requests are handled like any other.
 */
export function subagentNotice(method: string, thread: string, params: Json, state: ItemState): EventBody[] {
  switch (method) {
    case 'turn/completed': {
      const turn = record(params.turn);
      return endSubagent(thread, entryOf(ENDED, text(turn.status) ?? '') ?? 'failed', state, lastWords(turn));
    }
    case 'thread/closed':
      return endSubagent(thread, 'cancelled', state);
    case 'thread/tokenUsage/updated': {
      const { last } = record(params.tokenUsage);
      return isRecord(last) ? [requestCost(last, null)] : [];
    }
    default:
      return [];
  }
}

function endSubagent(
  subagentId: string,
  status: EndStatus | undefined,
  state: ItemState,
  summary?: string,
): EventBody[] {
  const toolCallId = entryOf(state.subagents, subagentId);
  if (toolCallId === undefined || status === undefined) return [];
  delete state.subagents[subagentId];
  return [{ type: 'subagent_end', subagentId, toolCallId, status, ...(summary ? { summary } : {}) }];
}

function lastWords(turn: Json): string | undefined {
  return word(records(turn.items).findLast(({ type }) => type === 'agentMessage')?.text);
}
