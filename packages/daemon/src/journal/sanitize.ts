import type { SessionEvent } from '@agent-mux/api';
import { redactSecrets } from '@agent-mux/core';
import type { Blob } from './blobs.ts';
import {
  boundText,
  type Cleaning,
  type CleaningRules,
  cleanText,
  cleanTyped,
  cleanUnknown,
  moveAway,
} from './clean-value.ts';
import { makeTailFinder } from './hold-back.ts';

/** What is journaled for an event, and the blobs that must be there before. */
export interface Sanitized {
  fields: object;
  blobs: readonly Blob[];
}

/**
 * The one choke point: nothing gets into a journal that has not passed here. Secrets are taken out, what is too long is moved
 * to the blob store. Never throws: what cannot be cleaned is replaced by a word.
 */
export interface Sanitizer {
  /** Most often one; none while the whole text is held back; several where held-back texts are let go before it. */
  take(event: SessionEvent): Sanitized[];
  /** What is still held back. */
  flush(): Sanitized[];
}

type TextEvent = Extract<
  SessionEvent,
  { type: 'text_delta' | 'thinking_delta' | 'tool_input_delta' | 'tool_output_delta' }
>;

const TEXT_EVENTS: ReadonlySet<string> = new Set([
  'text_delta',
  'thinking_delta',
  'tool_input_delta',
  'tool_output_delta',
]);
/** They come at any time and end no text, so that nothing is let go for them. */
const BESIDE_TEXTS: ReadonlySet<string> = new Set([
  ...TEXT_EVENTS,
  'cost',
  'context_usage',
  'rate_limit_status',
  'debug',
  'log',
  'title',
  'user_message',
]);
/** What the event is, whose it is and what it refers to. */
const EXACT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'agent',
  'runId',
  'sessionId',
  'fromSessionId',
  'messageId',
  'toolCallId',
  'parentToolCallId',
  'requestId',
  'subagentId',
  'optionId',
  'kind',
]);
const UNKNOWN_FIELDS: ReadonlySet<string> = new Set(['input', 'output', 'structured', 'data']);
/** In the place of a field that could not be cleaned. */
const NOT_KEPT = '[could not be kept]';
const NO_BLOBS: readonly Blob[] = Object.freeze([]);

export function makeSanitizer({ secrets: known, inlineChars }: CleaningRules): Sanitizer {
  const secrets = withWrittenForms(known);
  const findTail = makeTailFinder(secrets);
  const held = new Map<string, TextEvent>();

  function take(event: SessionEvent): Sanitized[] {
    if (isText(event)) return takeText(event);
    const before = held.size === 0 || BESIDE_TEXTS.has(event.type) ? [] : flush();
    return [...before, clean(event)];
  }

  function takeText(event: TextEvent): Sanitized[] {
    if (secrets.length === 0) return [cleanDelta(event, event.delta)];
    const stream = streamOf(event);
    const before = held.get(stream);
    // Whole secrets first: the end of one may be the beginning of another.
    const delta = withoutKnown(before ? before.delta + event.delta : event.delta);
    const end = findTail(delta);
    if (end === delta.length) {
      if (before) held.delete(stream);
      return [cleanDelta(event, delta)];
    }
    held.set(stream, { ...event, delta: delta.slice(end) });
    return end === 0 ? [] : [cleanDelta(event, delta.slice(0, end))];
  }

  function flush(): Sanitized[] {
    const rest = [...held.values()].map((event) => cleanDelta(event, event.delta));
    held.clear();
    return rest;
  }

  function cleanDelta(event: TextEvent, delta: string): Sanitized {
    if (delta.length > inlineChars || event.raw !== undefined) return clean({ ...event, delta });
    const text = redactSecrets(delta, secrets);
    return { fields: text === event.delta ? event : { ...event, delta: text }, blobs: NO_BLOBS };
  }

  function clean(event: SessionEvent): Sanitized {
    const cleaning: Cleaning = { secrets, inlineChars, blobs: [], parts: 0 };
    const fields = Object.fromEntries(
      Object.entries(event).map(([name, value]) => [name, tryToClean(name, value, cleaning)]),
    );
    return { fields, blobs: cleaning.blobs };
  }

  function withoutKnown(text: string): string {
    return secrets.some((secret) => text.includes(secret)) ? redactSecrets(text, secrets) : text;
  }

  return { take, flush };
}

function tryToClean(name: string, value: unknown, cleaning: Cleaning): unknown {
  try {
    return cleanField(name, value, cleaning);
  } catch {
    return NOT_KEPT;
  }
}

function cleanField(name: string, value: unknown, cleaning: Cleaning): unknown {
  if (UNKNOWN_FIELDS.has(name)) return cleanUnknown(value, cleaning);
  if (typeof value !== 'string') return cleanTyped(value, cleaning);
  if (EXACT_FIELDS.has(name)) return boundText(value, cleaning);
  return name === 'base64' ? moveAway(value, cleaning) : cleanText(value, cleaning);
}

function isText(event: SessionEvent): event is TextEvent {
  return TEXT_EVENTS.has(event.type);
}

/** The pieces of one text. */
function streamOf(event: TextEvent): string {
  const call = 'toolCallId' in event ? event.toolCallId : '';
  const parent = 'parentToolCallId' in event ? event.parentToolCallId : '';
  return `${event.type} ${call} ${parent}`;
}

/** As they stand within JSON and in addresses. */
function withWrittenForms(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
  ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
