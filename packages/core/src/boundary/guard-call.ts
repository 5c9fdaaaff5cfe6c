import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import { formatDuration } from '../duration.ts';
import { findEventIssue, isThenable, nameOf } from './event-shape.ts';

/** Maximum number of events per line or message; the rest is dropped and reported. */
const MAX_EVENTS_AT_ONCE = 50_000;

/** Names the called member in messages. */
export interface AdapterMethod {
  agent: string;
  name: string;
}

/** Error for an adapter that violates the contract. */
export function adapterError({ agent, name }: AdapterMethod, problem: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError('ADAPTER_ERROR', `${name}() of the adapter "${agent}" ${problem}`, {
    agent,
    hint: 'this is a bug in the adapter: report it to its author',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The same error as an event; the run continues. */
export function adapterErrorEvent(member: AdapterMethod, problem: string): EventBody {
  const { code, message } = adapterError(member, problem);
  return { type: 'error', code, message, recoverable: true };
}

/** A decoder failure for one line has its own code. */
export function parseErrorEvent(member: AdapterMethod, problem: string): EventBody {
  return { type: 'error', code: 'PARSE_ERROR', message: adapterError(member, problem).message, recoverable: true };
}

/** Message of a thrown value of any type. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : nameOf(thrown);
  } catch {
    return 'an unreadable value';
  }
}

/** Calls a synchronous member. An AgentMuxError passes through; any other exception is wrapped in one. */
export function callNow(member: AdapterMethod, call: () => unknown): unknown {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    if (error instanceof AgentMuxError) throw error;
    throw adapterError(member, `threw: ${messageOf(error)}`, error);
  }
  if (!isThenable(value)) return value;
  ignoreRejection(value);
  throw adapterError(member, 'returned a promise, expected a synchronous result');
}

/** Calls an asynchronous member with a time limit; 0: no limit. */
export async function callLater(member: AdapterMethod, limitMs: number, call: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = Promise.resolve(call());
    if (limitMs === 0) return await answer;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(adapterError(member, `did not answer within ${formatDuration(limitMs)}`)),
        limitMs,
      );
    });
    ignoreRejection(answer);
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof AgentMuxError) throw error;
    throw adapterError(member, `failed: ${messageOf(error)}`, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the valid events of a member; an exception or an invalid value becomes an event itself. */
export function callForEvents(member: AdapterMethod, call: () => unknown, issue = adapterErrorEvent): EventBody[] {
  let returned: unknown;
  try {
    returned = call();
  } catch (error) {
    return [issue(member, `threw: ${messageOf(error)}`)];
  }
  return checkEvents(member, returned, issue);
}

export function checkEvents(member: AdapterMethod, returned: unknown, issue = adapterErrorEvent): EventBody[] {
  if (!Array.isArray(returned)) return [checkEvent(member, returned, issue)];
  if (returned.length <= MAX_EVENTS_AT_ONCE) return returned.map((each: unknown) => checkEvent(member, each, issue));
  const problem = `returned ${returned.length} events at once; only the first ${MAX_EVENTS_AT_ONCE} are used`;
  return [...checkEvents(member, returned.slice(0, MAX_EVENTS_AT_ONCE), issue), issue(member, problem)];
}

export function checkEvent(member: AdapterMethod, value: unknown, issue: typeof adapterErrorEvent): EventBody {
  const problem = findEventIssue(value);
  if (problem === undefined) return copyIfShared(value as EventBody);
  if (isThenable(value)) ignoreRejection(value);
  return issue(member, `returned ${problem}`);
}

/**
 * The engine writes into the event object. An object that is frozen, or already stamped because the decoder returned it
 * before, is copied; so is a `session_start`, whose id must not remain in a constant. Text events are never written to:
 * the sequencer creates a new object for them.
 */
function copyIfShared(body: EventBody): EventBody {
  if (body.type === 'text_delta' && !('seq' in body)) return body;
  return body.type === 'session_start' || 'seq' in body || !Object.isExtensible(body) ? { ...body } : body;
}

/** The promise is not awaited; its rejection must not crash the host. */
function ignoreRejection(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => {});
}
