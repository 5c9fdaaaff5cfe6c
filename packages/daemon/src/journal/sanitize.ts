import type { SessionEvent } from '@agent-mux/api';
import { findPartialSecret, REDACTED, redactSecrets } from '@agent-mux/core';
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
import { contextOf, makeTailFinder, redactAfter } from './hold-back.ts';

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
/** After these no text continues that began before. */
const ENDS_TEXTS: ReadonlySet<string> = new Set([
  'message_stop',
  'message_discard',
  'turn_start',
  'turn_end',
  'run_result',
]);
/** A secret that is longer loses its middle: none of it is stored in the end. */
const MAX_HELD = 2048;
/** Texts that come at once; of the oldest one it is forgotten what was before. */
const MAX_STREAMS = 200;
/** In the place of a field that could not be cleaned. */
const NOT_KEPT = '[could not be kept]';

/** A text that comes in pieces. */
interface TextStream {
  /** The last piece. */
  event: TextEvent;
  /** The end of it that may become a secret. */
  held: string;
  /** What was let go right before. */
  context: string;
  /** The context and what comes next may be a secret together. */
  isOpen: boolean;
  /** The middle of `held` is gone. */
  isCut: boolean;
}

const NO_BLOBS: readonly Blob[] = Object.freeze([]);

export function makeSanitizer({ secrets: known, inlineChars }: CleaningRules): Sanitizer {
  const secrets = withWrittenForms(known);
  const findTail = makeTailFinder(secrets);
  const streams = new Map<string, TextStream>();

  function take(event: SessionEvent): Sanitized[] {
    if (isText(event)) return takeText(event);
    const before = streams.size === 0 || BESIDE_TEXTS.has(event.type) ? [] : flush();
    if (ENDS_TEXTS.has(event.type)) streams.clear();
    return [...before, clean(event)];
  }

  function takeText(event: TextEvent): Sanitized[] {
    const stream = findStream(event);
    stream.event = event;
    // Whole secrets first: the end of one may be the beginning of another.
    const text = withoutKnown(stream.held === '' ? event.delta : stream.held + event.delta);
    const { context } = stream;
    const partial = findPartialSecret(context + text);
    const end = Math.min(findTail(text), partial === null ? text.length : Math.max(0, partial - context.length));
    const done = letGo(stream, end === text.length ? text : text.slice(0, end));
    const rest = text.slice(end);
    const isLong = rest.length > MAX_HELD;
    stream.held = isLong ? rest.slice(0, MAX_HELD / 2) + rest.slice(-MAX_HELD / 4) : rest;
    stream.isOpen = partial !== null;
    stream.isCut = isLong || (stream.isCut && end === 0);
    return done ? [done] : [];
  }

  function findStream(event: TextEvent): TextStream {
    const key = streamOf(event);
    const known = streams.get(key);
    if (known) return known;
    if (streams.size >= MAX_STREAMS) streams.delete(streams.keys().next().value ?? '');
    const stream = { event, held: '', context: '', isOpen: false, isCut: false };
    streams.set(key, stream);
    return stream;
  }

  /** A part of a stream that no longer can become a secret. */
  function letGo(stream: TextStream, text: string): Sanitized | undefined {
    const { event, context, isOpen, isCut } = stream;
    if (text === '' && event.delta !== '') return undefined;
    const redacted = isOpen ? redactAfter(context, text, secrets) : redactSecrets(text, secrets);
    // Only a secret is so long, and a part of it is gone.
    const whole = isCut && !redacted.includes(REDACTED) ? REDACTED : redacted;
    stream.context = contextOf(context + whole);
    return cleanDelta(event, whole);
  }

  function flush(): Sanitized[] {
    const rest: Sanitized[] = [];
    for (const stream of streams.values()) {
      const { held, context } = stream;
      const done = held === '' ? undefined : letGo(stream, held);
      if (done) rest.push(done);
      // As it was: what comes next may make a secret of both.
      Object.assign(stream, { held: '', context: contextOf(context + held), isCut: false });
    }
    return rest;
  }

  function cleanDelta(event: TextEvent, text: string): Sanitized {
    if (text === event.delta && event.raw === undefined && text.length <= inlineChars)
      return { fields: event, blobs: NO_BLOBS };
    // The agent's own line has the piece as it was.
    const { raw, ...rest } = event;
    return clean(text === event.delta ? event : { ...rest, delta: text });
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
