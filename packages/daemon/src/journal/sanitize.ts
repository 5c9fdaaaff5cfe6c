import type { SessionEvent } from '@agent-mux/api';
import { findPartialSecret, REDACTED, redactSecrets } from '@agent-mux/core';
import type { Blob } from './blobs.ts';
import {
  offloadToBlob,
  type SanitizeContext,
  type SanitizeRules,
  sanitizeText,
  sanitizeTyped,
  sanitizeUnknown,
  truncateText,
} from './sanitize-value.ts';
import { contextOf, createSecretTailMatcher, redactAfter } from './secret-tail.ts';

/** The journaled fields of an event, and the blobs that must be written first. */
export interface Sanitized {
  fields: object;
  blobs: readonly Blob[];
}

/**
 * Every journaled event passes through here. Redacts secrets and moves long values to the blob store. Never throws: a
 * value that cannot be sanitized is replaced by a placeholder.
 */
export interface Sanitizer {
  /** Usually returns one event; none while its text is withheld; several if withheld text is released before it. */
  take(event: SessionEvent): Sanitized[];
  /** Releases the text that is still withheld. */
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
/** These come at any time and end no text, so they release no withheld text. */
const INDEPENDENT_EVENTS: ReadonlySet<string> = new Set([
  ...TEXT_EVENTS,
  'cost',
  'context_usage',
  'rate_limit_status',
  'debug',
  'log',
  'title',
  'user_message',
]);
/** Type, owner and references of the event. */
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
/** No text continues across these events. */
const ENDS_TEXTS: ReadonlySet<string> = new Set([
  'message_stop',
  'message_discard',
  'turn_start',
  'turn_end',
  'run_result',
]);
/** The middle of a longer secret is dropped; none of it is stored in the end. */
const MAX_WITHHELD = 2048;
/** Maximum number of concurrent texts. Beyond it, the context of the oldest is forgotten. */
const MAX_STREAMS = 200;
/** Replaces a field that could not be sanitized. */
const NOT_STORED = '[could not be stored]';

/** A text that arrives in chunks. */
interface TextStream {
  /** The last chunk. */
  event: TextEvent;
  /** The end of the text that may become a secret. */
  withheld: string;
  /** The text released right before. */
  context: string;
  /** The context and the next chunk may form a secret. */
  isOpen: boolean;
  /** The middle of `withheld` was dropped. */
  isCut: boolean;
}

const NO_BLOBS: readonly Blob[] = Object.freeze([]);

export function createSanitizer({ secrets: known, maxInlineChars }: SanitizeRules): Sanitizer {
  const secrets = withEncodedForms(known);
  const findTail = createSecretTailMatcher(secrets);
  const streams = new Map<string, TextStream>();

  function take(event: SessionEvent): Sanitized[] {
    if (isText(event)) return sanitizeDelta(event);
    const before = streams.size === 0 || INDEPENDENT_EVENTS.has(event.type) ? [] : flush();
    if (ENDS_TEXTS.has(event.type)) streams.clear();
    return [...before, clean(event)];
  }

  function sanitizeDelta(event: TextEvent): Sanitized[] {
    const stream = findStream(event);
    stream.event = event;
    // Whole secrets first: the end of one may be the start of another.
    const text = withoutKnown(stream.withheld === '' ? event.delta : stream.withheld + event.delta);
    const { context } = stream;
    const partial = findPartialSecret(context + text);
    const end = Math.min(findTail(text), partial === null ? text.length : Math.max(0, partial - context.length));
    const done = release(stream, end === text.length ? text : text.slice(0, end));
    const rest = text.slice(end);
    const isLong = rest.length > MAX_WITHHELD;
    stream.withheld = isLong ? rest.slice(0, MAX_WITHHELD / 2) + rest.slice(-MAX_WITHHELD / 4) : rest;
    stream.isOpen = partial !== null;
    stream.isCut = isLong || (stream.isCut && end === 0);
    return done ? [done] : [];
  }

  function findStream(event: TextEvent): TextStream {
    const key = streamOf(event);
    const known = streams.get(key);
    if (known) return known;
    if (streams.size >= MAX_STREAMS) streams.delete(streams.keys().next().value ?? '');
    const stream = { event, withheld: '', context: '', isOpen: false, isCut: false };
    streams.set(key, stream);
    return stream;
  }

  /** Releases a part of a stream that can no longer become a secret. */
  function release(stream: TextStream, text: string): Sanitized | undefined {
    const { event, context, isOpen, isCut } = stream;
    if (text === '' && event.delta !== '') return undefined;
    const redacted = isOpen ? redactAfter(context, text, secrets) : redactSecrets(text, secrets);
    // Only a secret is this long, and part of it was dropped.
    const whole = isCut && !redacted.includes(REDACTED) ? REDACTED : redacted;
    stream.context = contextOf(context + whole);
    return releaseDelta(event, whole);
  }

  function flush(): Sanitized[] {
    const rest: Sanitized[] = [];
    for (const stream of streams.values()) {
      const { withheld, context } = stream;
      const done = withheld === '' ? undefined : release(stream, withheld);
      if (done) rest.push(done);
      // Unredacted: together with the next chunk it may form a secret.
      Object.assign(stream, { withheld: '', context: contextOf(context + withheld), isCut: false });
    }
    return rest;
  }

  function releaseDelta(event: TextEvent, text: string): Sanitized {
    if (text === event.delta && event.raw === undefined && text.length <= maxInlineChars)
      return { fields: event, blobs: NO_BLOBS };
    // `raw` contains the original chunk.
    const { raw, ...rest } = event;
    return clean(text === event.delta ? event : { ...rest, delta: text });
  }

  function clean(event: SessionEvent): Sanitized {
    const context: SanitizeContext = { secrets, maxInlineChars, blobs: [], parts: 0 };
    const fields = Object.fromEntries(
      Object.entries(event).map(([name, value]) => [name, trySanitizeField(name, value, context)]),
    );
    return { fields, blobs: context.blobs };
  }

  function withoutKnown(text: string): string {
    return secrets.some((secret) => text.includes(secret)) ? redactSecrets(text, secrets) : text;
  }

  return { take, flush };
}

function trySanitizeField(name: string, value: unknown, context: SanitizeContext): unknown {
  try {
    return sanitizeField(name, value, context);
  } catch {
    return NOT_STORED;
  }
}

function sanitizeField(name: string, value: unknown, context: SanitizeContext): unknown {
  if (UNKNOWN_FIELDS.has(name)) return sanitizeUnknown(value, context);
  if (typeof value !== 'string') return sanitizeTyped(value, context);
  if (EXACT_FIELDS.has(name)) return truncateText(value, context);
  return name === 'base64' ? offloadToBlob(value, context) : sanitizeText(value, context);
}

function isText(event: SessionEvent): event is TextEvent {
  return TEXT_EVENTS.has(event.type);
}

/** Key of the text that a delta belongs to. */
function streamOf(event: TextEvent): string {
  const call = 'toolCallId' in event ? event.toolCallId : '';
  const parent = 'parentToolCallId' in event ? event.parentToolCallId : '';
  return `${event.type} ${call} ${parent}`;
}

/** Adds the forms of the secrets in JSON and in URLs. */
function withEncodedForms(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
  ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
