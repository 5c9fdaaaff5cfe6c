import type { Failure } from '../shared/failures.ts';
import { number, parseRecord, record, word } from '../shared/json.ts';

/** `429 {"type":"error","error":{"message":"..."}}`: the status of the reply, its body, and perhaps a wait. */
export function readFailure(message: string, errorStatus?: unknown): Failure {
  const status = number(errorStatus) ?? leadingStatus(message);
  const begin = message.indexOf('{');
  const body = begin === -1 ? null : parseRecord(message.slice(begin, message.lastIndexOf('}') + 1));
  const said = word(record(body?.error).message) ?? word(body?.message);
  const wait = /retry-after-ms=(\d+)/.exec(message);
  return {
    ...(status === undefined ? {} : { status }),
    text: said ? `${status ?? ''} ${said}`.trim() : message,
    ...(wait ? { retryAfterMs: Number(wait[1]) } : {}),
  };
}

function leadingStatus(message: string): number | undefined {
  const found = /^(?:Error: )?([45]\d\d)\b/.exec(message);
  return found ? Number(found[1]) : undefined;
}
