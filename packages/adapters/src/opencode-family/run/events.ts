import type { EventBody, ParseContext } from '@agent-mux/core';
import { type Json, parseRecord, record, text, word } from '../../shared/json.ts';
import { effortUnchecked } from '../../shared/thinking.ts';
import {
  decodeStderr,
  familyFailureEvents,
  readFailure,
  refusalEvents,
  type StderrState,
  sessionInLog,
} from '../errors.ts';
import { planEntries, type SeenTool, toolEvents } from '../tools.ts';
import { costEvent } from '../usage.ts';

interface RunState extends StderrState {
  /** Session of the run itself; null before it is known. */
  sessionId: string | null;
  failed: boolean;
  tools: Record<string, SeenTool>;
}

/** One line of `run --format json`: finished parts only, no deltas, no result at the end. */
export function parseRunLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  const state = runState(context);
  if (context.source === 'stderr') {
    const event = decodeStderr(line, state, context.now);
    const start = sessionStart(sessionInLog(line), state, context);
    return event || start.length > 0 ? [...start, ...(event ? [event] : [])] : null;
  }
  const event = parseRecord(line);
  if (!event) return null;
  const start = sessionStart(word(event.sessionID), state, context);
  // A subagent has its own session: its output comes as the result of the tool that started it.
  if (word(event.sessionID) !== undefined && event.sessionID !== state.sessionId) return [];
  return [...start, ...partEvents(event, state, context)];
}

/** Some failures are reported only on stderr, and by an exit code. */
export function endRun(context: ParseContext, { code }: { code: number | null }): EventBody[] {
  const state = runState(context);
  return state.failed || code === 0 || code === null ? [] : refusalEvents(state, context.now);
}

/** Every line names the session; the first one starts it. */
function sessionStart(sessionId: string | undefined, state: RunState, { options }: ParseContext): EventBody[] {
  if (state.sessionId !== null || sessionId === undefined) return [];
  state.sessionId = sessionId;
  const { cwd, model, thinkingEffort } = options;
  const start: EventBody = { type: 'session_start', sessionId, cwd, ...(model ? { model } : {}) };
  if (thinkingEffort === undefined) return [start];
  return [start, effortUnchecked(thinkingEffort, 'in mode "run" the agent does not say which its model has')];
}

function partEvents(event: Json, state: RunState, context: ParseContext): EventBody[] {
  const part = record(event.part);
  const messageId = word(part.messageID);
  const about = messageId ? { messageId } : {};
  switch (event.type) {
    case 'step_start':
      return [{ type: 'message_start', ...about }];
    case 'text':
      return part.text ? [{ type: 'text_delta', delta: text(part.text) ?? '' }] : [];
    case 'reasoning':
      return [
        { type: 'thinking_start' },
        { type: 'thinking_delta', delta: text(part.text) ?? '' },
        { type: 'thinking_stop' },
      ];
    case 'tool_use':
      return toolUse(part, state, context);
    case 'step_finish':
      return [...costEvent(part), { type: 'message_stop', ...about }];
    case 'error': {
      // The same one may come twice.
      if (state.failed) return [];
      state.failed = true;
      return [familyFailureEvents(readFailure(event.error), context.now)];
    }
    default:
      return [];
  }
}

function toolUse(part: Json, state: RunState, context: ParseContext): EventBody[] {
  const mcpServers = Object.keys(context.options.mcpServers ?? {});
  const events = toolEvents(part, state.tools, {
    mcpServers,
    parent: undefined,
    sessionId: text(part.sessionID) ?? '',
  });
  if (part.tool !== 'todowrite') return events;
  const entries = planEntries(record(record(part.state).input).todos);
  return entries.length > 0 ? [...events, { type: 'plan_update', entries }] : events;
}

function runState(context: ParseContext): RunState {
  context.adapterState.run ??= { sessionId: null, failed: false, streamErrors: 0, tools: {} } satisfies RunState;
  // The value under this key was set above, or is the same after a JSON round trip.
  return context.adapterState.run as RunState;
}
