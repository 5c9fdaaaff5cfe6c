import type { Activity, Fault, SessionEvent } from '@agent-mux/api';
import { believableTime, type ExitReason } from '@agent-mux/core';
import { isProjected } from './projected-events.ts';

/** What a session is doing, as far as the events of its last launch tell. */
export interface ActivityState {
  activity: Activity;
  /** A turn runs, or a message is on its way to the agent. */
  turn: boolean;
  /** The turn is only awaited: the message that begins it has been accepted, and the agent has not begun. */
  awaited: boolean;
  /** Ids of the agent's open requests. */
  approvals: readonly string[];
  questions: readonly string[];
  /** What the running turn fails of, if it fails. */
  trouble: Trouble | null;
  limit: ToldLimit | null;
  error: Fault | null;
  /** No process: the next message brings it back. */
  parked: boolean;
  isTerminated: boolean;
}

/** A limit as the agent has told it. */
export interface ToldLimit {
  /** By the event that told it: no other of the session has it. */
  id: string;
  message: string;
  resetsAt: number | null;
  since: number;
}

interface Trouble extends Fault {
  limit?: ToldLimit;
}

/** The code with which a keeper takes back the acceptance of a message: the agent was leaving. */
export const NOT_DELIVERED = 'message_not_delivered';

/** Begins the reason of an end that somebody wanted. */
export const STOPPED = 'stopped by';

/** So a session begins: nothing has been started. */
export const RESTING: ActivityState = Object.freeze({
  activity: 'idle',
  turn: false,
  awaited: false,
  approvals: [],
  questions: [],
  trouble: null,
  limit: null,
  error: null,
  parked: true,
  isTerminated: false,
});

/** And so does each of its launches: a message is on its way to a process that is being started. */
export const SPAWNING: ActivityState = Object.freeze({
  ...RESTING,
  activity: 'spawning',
  turn: true,
  awaited: true,
  parked: false,
});

/** The same object where the event changes nothing, which is so for nearly all of them. */
export function reduceActivity(state: ActivityState, event: SessionEvent): ActivityState {
  if (!isProjected(event)) return state;
  switch (event.type) {
    case 'user_message':
      if (event.delivery === 'steer') return state;
      return settle({ ...begin(state), awaited: !state.turn || state.awaited, isTerminated: false });
    case 'turn_start':
      return settle({ ...begin(state), awaited: false });
    case 'debug':
      return event.code === NOT_DELIVERED && state.awaited ? settle({ ...state, turn: false, awaited: false }) : state;
    case 'session_start':
      return state.activity === 'spawning' ? settle({ ...state, parked: false }) : state;
    case 'turn_end':
      return settle(endTurn(state, event.status));
    case 'approval_request':
      return settle({ ...state, approvals: withId(state.approvals, event.requestId) });
    case 'input_required':
      return settle({ ...state, questions: withId(state.questions, event.requestId) });
    case 'approval_resolved':
      return settle({ ...state, approvals: state.approvals.filter((id) => id !== event.requestId) });
    case 'input_resolved':
      return settle({ ...state, questions: state.questions.filter((id) => id !== event.requestId) });
    case 'rate_limit_error': {
      const { message, resetsAt, retryAfterMs, timestamp } = event;
      const told =
        believableTime(resetsAt, timestamp) ?? believableTime(timestamp + (retryAfterMs ?? Number.NaN), timestamp);
      const until = told === undefined ? null : Math.round(told);
      const limit = { id: `l${event.seq}`, message, resetsAt: until, since: Math.max(0, Math.round(timestamp)) };
      return { ...state, trouble: { code: 'RATE_LIMITED', message, limit } };
    }
    case 'auth_error':
      return { ...state, trouble: faultOf('AUTH_ERROR', event.message, event.guidance) };
    case 'context_exceeded':
      return { ...state, trouble: faultOf('CONTEXT_EXCEEDED', event.message) };
    case 'crash':
      return { ...state, trouble: faultOf('AGENT_CRASH', event.message) };
    case 'timeout':
      return { ...state, trouble: faultOf(event.kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT', event.message) };
    case 'error':
      return { ...state, trouble: faultOf(event.code, event.message) };
    case 'text_delta':
    case 'tool_call_start':
      // The agent has overcome it.
      return state.trouble === null ? state : { ...state, trouble: null };
    case 'run_result':
      return endLaunch(state, event.exitReason, event.error);
    case 'keeper_lost':
      return end(state, {
        code: 'KEEPER_LOST',
        message: event.message,
        hint: 'restore brings it back by its exact id',
      });
    default:
      return state;
  }
}

function begin(state: ActivityState): ActivityState {
  return { ...state, turn: true, trouble: null, limit: null, error: null, parked: false };
}

function endTurn(
  state: ActivityState,
  status: 'completed' | 'failed' | 'interrupted' | 'max_turns' | 'refused',
): ActivityState {
  const over = { ...state, turn: false, awaited: false, approvals: [], questions: [], trouble: null };
  if (status === 'completed' || status === 'interrupted') return over;
  const { limit, ...fault } = state.trouble ?? { code: 'AGENT_ERROR', message: `the turn ended: ${status}` };
  return { ...over, error: fault, limit: limit ?? null };
}

/** How a launch has ended decides whether the next message may bring the session back by itself. */
const PASSING: ReadonlySet<ExitReason> = new Set([
  'completed',
  'interrupted',
  'max_turns',
  'rate_limited',
  'context_exceeded',
]);

/** How a turn can fail while its process stays: when that process ends later, this is not the reason. */
const OF_A_TURN: ReadonlySet<ExitReason> = new Set(['failed', 'auth_error']);

/** The agent cannot continue this conversation: a further message would meet the same failure. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(['SESSION_CHANGED', 'SESSION_NOT_FOUND']);

const CHANGED_HINT =
  'restore goes on with the model or mode that it has now, never with another session; set them first to have others';

function endLaunch(state: ActivityState, reason: ExitReason, error: Fault | null): ActivityState {
  const isFinal = FINAL_ERRORS.has((error ?? state.error)?.code ?? '');
  const wasReported = !state.turn && state.error !== null && OF_A_TURN.has(reason) && !isFinal;
  if (!PASSING.has(reason) && !wasReported) {
    const wasWanted = isWanted(reason, error);
    const why = state.trouble ?? error ?? { code: 'AGENT_ERROR', message: `the run ended: ${reason}` };
    const hint = why.code === 'SESSION_CHANGED' ? { hint: CHANGED_HINT } : {};
    return end(state, wasWanted ? null : { ...why, ...hint });
  }
  const over = { ...state, turn: false, awaited: false, approvals: [], questions: [], trouble: null, parked: true };
  const limit = state.trouble?.limit ?? state.limit;
  return settle({
    ...over,
    limit,
    error: reason === 'completed' || reason === 'interrupted' ? state.error : (error ?? state.error),
  });
}

function isWanted(reason: ExitReason, error: Fault | null): boolean {
  return reason === 'aborted' && error?.message.startsWith(STOPPED) === true;
}

/** The end of a launch that a person asked for. */
export function isStopped(event: SessionEvent): boolean {
  return event.type === 'run_result' && isWanted(event.exitReason, event.error);
}

function end(state: ActivityState, error: Fault | null): ActivityState {
  const rest = {
    turn: false,
    awaited: false,
    approvals: [],
    questions: [],
    trouble: null,
    limit: state.limit,
    parked: false,
  };
  return { ...rest, activity: 'exited', isTerminated: true, error: error && plainFault(error) };
}

/** The activity follows from everything else. */
function settle(state: ActivityState): ActivityState {
  return { ...state, activity: activityOf(state) };
}

function activityOf({ approvals, questions, turn, limit, isTerminated }: ActivityState): Activity {
  if (isTerminated) return 'exited';
  if (approvals.length > 0) return 'blocked';
  if (questions.length > 0) return 'waiting_input';
  if (turn) return 'active';
  return limit === null ? 'idle' : 'limited';
}

function withId(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids : [...ids, id];
}

function faultOf(code: string, message: string, hint?: string): Trouble {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

function plainFault({ code, message, hint }: Fault): Fault {
  return faultOf(code, message, hint);
}
