import { isRecord, type Json, record, text } from '../shared/json.ts';

/** Where services put their text, most specific first. */
const TEXT_FIELDS = ['text', 'content', 'delta', 'output', 'message', 'response'] as const;
/** `choices[0].message.content[0].text` is the deepest known path. */
const MAX_DEPTH = 5;

/** One whole JSON value, or one line or event of a stream of them. */
export type ResponseText = { kind: 'text'; text: string } | { kind: 'error'; message: string };

/**
 * Text of a line or an event. JSON of a known format gives its text, which may be empty (a heartbeat, a closing chunk);
 * anything else is returned unchanged.
 */
export function readResponseText(data: string, end: '' | '\n'): ResponseText {
  if (data === '[DONE]') return { kind: 'text', text: '' };
  const value = parseJson(data);
  if (value === undefined) return { kind: 'text', text: data + end };
  const text = textOf(value);
  if (text !== undefined) return { kind: 'text', text };
  const message = errorMessage(value);
  if (message !== undefined) return { kind: 'error', message };
  return { kind: 'text', text: data + end };
}

/** Undefined: contains no known text field. */
export function textOf(value: unknown, depth = MAX_DEPTH): string | undefined {
  if (typeof value === 'string') return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const parts = value.map((part) => textOf(part, depth - 1)).filter((part) => part !== undefined);
    return parts.length > 0 ? parts.join('') : undefined;
  }
  return isRecord(value) ? textOfObject(value, depth) : undefined;
}

function textOfObject(object: Json, depth: number): string | undefined {
  if (Array.isArray(object.choices)) {
    const choice = record(object.choices[0]);
    return textOf(choice.delta ?? choice.message ?? choice.text, depth - 1) ?? '';
  }
  for (const field of TEXT_FIELDS) {
    const text = Object.hasOwn(object, field) ? textOf(object[field], depth - 1) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The reason for a failure in a JSON body. */
export function errorMessage(value: unknown): string | undefined {
  const error = record(value).error;
  return text(error) ?? text(record(error).message);
}

export function parseJson(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
