import type { Activity, ErrorInfo, SessionEvent } from '@agent-mux/api';
import { believableTime, type ExitReason } from '@agent-mux/core';
import { isProjected } from './projected-events.ts';

/** What a session is doing, derived from the events of its last launch. */
export interface ActivityState {
  activity: Activity;
  /** A turn is running, or a message is on its way to the agent. */
  turn: boolean;
  /** A message was accepted, but the agent has not started its turn yet. */
  awaited: boolean;
  /** Ids of the agent's open requests. */
  approvals: readonly string[];
  questions: readonly string[];
  /** The error that the running turn has hit; it becomes the reason if the turn fails. */
  pendingError: PendingError | null;
  limit: ReportedLimit | null;
  error: ErrorInfo | null;
  /** No process is running; the next message starts one. */
  parked: boolean;
  isTerminated: boolean;
}

/** A limit as reported by the agent. */
export interface ReportedLimit {
  /** Derived from the event that reported it; unique within the session. */
  id: string;
  message: string;
  resetsAt: number | null;
  since: number;
}

interface PendingError extends ErrorInfo {
  limit?: ReportedLimit;
}

/** Debug code with which a keeper revokes the acceptance of a message, because the agent was exiting. */
export const NOT_DELIVERED = 'message_not_delivered';

/** Prefix of the message of an end that a person requested. */
export const STOPPED_PREFIX = 'stopped by';

/** Initial state of a session: nothing has been started. */
export const IDLE_STATE: ActivityState = Object.freeze({
  activity: 'idle',
  turn: false,
  awaited: false,
  approvals: [],
  questions: [],
  pendingError: null,
  limit: null,
  error: null,
  parked: true,
  isTerminated: false,
});

/** Initial state of a launch: a message is on its way to a process that is starting. */
export const SPAWNING_STATE: ActivityState = Object.freeze({
  ...IDLE_STATE,
  activity: 'spawning',
  turn: true,
  awaited: true,
  parked: false,
});

/** Returns the same object if the event changes nothing, which holds for most events. */
export function reduceActivity(state: ActivityState, event: SessionEvent): ActivityState {
  if (!isProjected(event)) return state;
  switch (event.type) {
    case 'user_message':
      if (event.delivery === 'steer') return state;
      return withActivity({ ...startTurn(state), awaited: !state.turn || state.awaited, isTerminated: false });
    case 'turn_start':
      return withActivity({ ...startTurn(state), awaited: false });
    case 'debug':
      return event.code === NOT_DELIVERED && state.awaited
        ? withActivity({ ...state, turn: false, awaited: false })
        : state;
    case 'session_start':
      return state.activity === 'spawning' ? withActivity({ ...state, parked: false }) : state;
    case 'turn_end':
      return withActivity(endTurn(state, event.status));
    case 'approval_request':
      return withActivity({ ...state, approvals: withId(state.approvals, event.requestId) });
    case 'input_required':
      return withActivity({ ...state, questions: withId(state.questions, event.requestId) });
    case 'approval_resolved':
      return withActivity({ ...state, approvals: state.approvals.filter((id) => id !== event.requestId) });
    case 'input_resolved':
      return withActivity({ ...state, questions: state.questions.filter((id) => id !== event.requestId) });
    case 'rate_limit_error': {
      const { message, resetsAt, retryAfterMs, timestamp } = event;
      const reset =
        believableTime(resetsAt, timestamp) ?? believableTime(timestamp + (retryAfterMs ?? Number.NaN), timestamp);
      const until = reset === undefined ? null : Math.round(reset);
      const limit = { id: `l${event.seq}`, message, resetsAt: until, since: Math.max(0, Math.round(timestamp)) };
      return { ...state, pendingError: { code: 'RATE_LIMITED', message, limit } };
    }
    case 'auth_error':
      return { ...state, pendingError: errorInfo('AUTH_ERROR', event.message, event.guidance) };
    case 'context_exceeded':
      return { ...state, pendingError: errorInfo('CONTEXT_EXCEEDED', event.message) };
    case 'crash':
      return { ...state, pendingError: errorInfo('AGENT_CRASH', event.message) };
    case 'timeout':
      return {
        ...state,
        pendingError: errorInfo(event.kind === 'run' ? 'TIMEOUT' : 'INACTIVITY_TIMEOUT', event.message),
      };
    case 'error':
      return { ...state, pendingError: errorInfo(event.code, event.message) };
    case 'text_delta':
    case 'tool_call_start':
      // The agent recovered.
      return state.pendingError === null ? state : { ...state, pendingError: null };
    case 'run_result':
      return endLaunch(state, event.exitReason, event.error);
    case 'keeper_lost':
      return end(state, {
        code: 'KEEPER_LOST',
        message: event.message,
        hint: 'restore the session to resume it by its exact id',
      });
    default:
      return state;
  }
}

function startTurn(state: ActivityState): ActivityState {
  return { ...state, turn: true, pendingError: null, limit: null, error: null, parked: false };
}

function endTurn(
  state: ActivityState,
  status: 'completed' | 'failed' | 'interrupted' | 'max_turns' | 'refused',
): ActivityState {
  const over = { ...state, turn: false, awaited: false, approvals: [], questions: [], pendingError: null };
  if (status === 'completed' || status === 'interrupted') return over;
  const { limit, ...issue } = state.pendingError ?? { code: 'AGENT_ERROR', message: `the turn ended: ${status}` };
  return { ...over, error: issue, limit: limit ?? null };
}

/** Exit reasons after which the next message may restart the session automatically. */
const RESTARTABLE: ReadonlySet<ExitReason> = new Set([
  'completed',
  'interrupted',
  'max_turns',
  'rate_limited',
  'context_exceeded',
]);

/** Exit reasons of a turn whose process kept running: when that process ends later, this is not the reason. */
const TURN_FAILURES: ReadonlySet<ExitReason> = new Set(['failed', 'auth_error']);

/** The agent cannot continue this conversation: a further message would fail the same way. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(['SESSION_CHANGED', 'SESSION_NOT_FOUND']);

const CHANGED_HINT =
  'restore resumes with the current model or mode, never with another session; to use others, set them first';

function endLaunch(state: ActivityState, reason: ExitReason, error: ErrorInfo | null): ActivityState {
  const isFinal = FINAL_ERRORS.has((error ?? state.error)?.code ?? '');
  const wasReported = !state.turn && state.error !== null && TURN_FAILURES.has(reason) && !isFinal;
  if (!RESTARTABLE.has(reason) && !wasReported) {
    const wasRequested = isRequested(reason, error);
    const why = state.pendingError ?? error ?? { code: 'AGENT_ERROR', message: `the run ended: ${reason}` };
    const hint = why.code === 'SESSION_CHANGED' ? { hint: CHANGED_HINT } : {};
    return end(state, wasRequested ? null : { ...why, ...hint });
  }
  const over = {
    ...state,
    turn: false,
    awaited: false,
    approvals: [],
    questions: [],
    pendingError: null,
    parked: true,
  };
  const limit = state.pendingError?.limit ?? state.limit;
  return withActivity({
    ...over,
    limit,
    error: reason === 'completed' || reason === 'interrupted' ? state.error : (error ?? state.error),
  });
}

function isRequested(reason: ExitReason, error: ErrorInfo | null): boolean {
  return reason === 'aborted' && error?.message.startsWith(STOPPED_PREFIX) === true;
}

/** Whether the event is the end of a launch that a person requested. */
export function isStopped(event: SessionEvent): boolean {
  return event.type === 'run_result' && isRequested(event.exitReason, event.error);
}

function end(state: ActivityState, error: ErrorInfo | null): ActivityState {
  const rest = {
    turn: false,
    awaited: false,
    approvals: [],
    questions: [],
    pendingError: null,
    limit: state.limit,
    parked: false,
  };
  return { ...rest, activity: 'exited', isTerminated: true, error: error && toErrorInfo(error) };
}

/** Recomputes the activity from the rest of the state. */
function withActivity(state: ActivityState): ActivityState {
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

function errorInfo(code: string, message: string, hint?: string): PendingError {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

function toErrorInfo({ code, message, hint }: ErrorInfo): ErrorInfo {
  return errorInfo(code, message, hint);
}
