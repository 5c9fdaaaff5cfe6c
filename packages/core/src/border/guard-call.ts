import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import { durationInWords } from '../duration.ts';
import { findEventFault, isThenable, nameOf } from './event-shape.ts';

/** So many events may come of one line or message; what a decoder returns beyond that is left out, and told. */
const MAX_EVENTS_AT_ONCE = 50_000;

/** Which member of which adapter, for messages. */
export interface Member {
  agent: string;
  name: string;
}

/** The adapter broke its contract. */
export function adapterError({ agent, name }: Member, problem: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError('ADAPTER_ERROR', `${name}() of the adapter "${agent}" ${problem}`, {
    agent,
    hint: 'this is a fault of the adapter: tell its author',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The same as an event; the run goes on. */
export function adapterFault(member: Member, problem: string): EventBody {
  const { code, message } = adapterError(member, problem);
  return { type: 'error', code, message, recoverable: true };
}

/** A decoder that fails for a line has a code of its own. */
export function parseFault(member: Member, problem: string): EventBody {
  return { type: 'error', code: 'PARSE_ERROR', message: adapterError(member, problem).message, recoverable: true };
}

/** What was thrown, in words. Anything may have been. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : nameOf(thrown);
  } catch {
    return 'something that cannot be read';
  }
}

/** Calls a member whose answer is due at once. Errors of ours pass; whatever else it throws becomes one. */
export function callNow(member: Member, call: () => unknown): unknown {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    if (error instanceof AgentMuxError) throw error;
    throw adapterError(member, `threw: ${messageOf(error)}`, error);
  }
  if (!isThenable(value)) return value;
  ignoreRejection(value);
  throw adapterError(member, 'returned a promise, where its answer is due at once');
}

/** Calls a member that may take its time, up to a limit; 0: as long as it takes. */
export async function callLater(member: Member, limitMs: number, call: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = Promise.resolve(call());
    if (limitMs === 0) return await answer;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(adapterError(member, `did not answer within ${durationInWords(limitMs)}`)),
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

/** The events that a member returns, each of the contract; what it throws or returns instead is told as one. */
export function callForEvents(member: Member, call: () => unknown, fault = adapterFault): EventBody[] {
  let returned: unknown;
  try {
    returned = call();
  } catch (error) {
    return [fault(member, `threw: ${messageOf(error)}`)];
  }
  return checkEvents(member, returned, fault);
}

export function checkEvents(member: Member, returned: unknown, fault = adapterFault): EventBody[] {
  if (!Array.isArray(returned)) return [checkEvent(member, returned, fault)];
  if (returned.length <= MAX_EVENTS_AT_ONCE) return returned.map((each: unknown) => checkEvent(member, each, fault));
  const problem = `returned ${returned.length} events at once; those after the first ${MAX_EVENTS_AT_ONCE} are left out`;
  return [...checkEvents(member, returned.slice(0, MAX_EVENTS_AT_ONCE), fault), fault(member, problem)];
}

export function checkEvent(member: Member, value: unknown, fault: typeof adapterFault): EventBody {
  const problem = findEventFault(value);
  if (problem === undefined) return copyIfShared(value as EventBody);
  if (isThenable(value)) ignoreRejection(value);
  return fault(member, `returned ${problem}`);
}

/**
 * The engine writes into the object that it is given. One that cannot be written to, or was stamped before because the
 * decoder returns the same object again, is copied; so is a start, whose id must not stay behind in a constant. Text is
 * written to nowhere: the sequencer makes an event of its own shape of it.
 */
function copyIfShared(body: EventBody): EventBody {
  if (body.type === 'text_delta' && !('seq' in body)) return body;
  return body.type === 'session_start' || 'seq' in body || !Object.isExtensible(body) ? { ...body } : body;
}

/** Nobody will wait for it: its rejection must not end the host. */
function ignoreRejection(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => {});
}
