import { isRecord, isSecretName, REDACTED, redactSecrets } from '@agent-mux/core';
import { type Blob, createBlob } from './blobs.ts';

/** Length of the preview that replaces a longer value. */
const PREVIEW_CHARS = 1000;
/** Maximum total size of a value of unknown shape, as a multiple of `maxInlineChars`. */
const WHOLE_VALUE_FACTOR = 8;
/** A value with more parts or deeper nesting is truncated. */
const MAX_PARTS = 50_000;
const MAX_DEPTH = 200;
/** References must stay unchanged. */
const ID_NAMES: ReadonlySet<string> = new Set(['id', 'optionId', 'toolCallId', 'requestId', 'messageId', 'sessionId']);
/** Names that look secret but mean a key on a keyboard or in a table. */
const HARMLESS_NAME = /^(?:keys?|tokens?)$|keyword|keyboard|hotkey|keybind|monkey/i;
const MIN_SECRET_CHARS = 6;

export interface SanitizeRules {
  /** Values of this launch that must not be stored. */
  secrets: readonly string[];
  maxInlineChars: number;
}

/** State while sanitizing one event; collects its blobs. */
export interface SanitizeContext extends SanitizeRules {
  blobs: Blob[];
  parts: number;
}

export function sanitizeText(text: string, context: SanitizeContext): string {
  return truncateText(redactSecrets(text, context.secrets), context);
}

/** Keeps the start of the text and notes how much is omitted. */
export function truncateText(text: string, { maxInlineChars, blobs }: SanitizeContext): string {
  if (text.length <= maxInlineChars) return text;
  const blob = createBlob(text);
  blobs.push(blob);
  const shown = prefixOf(text, maxInlineChars);
  return `${shown}\n[${text.length - shown.length} more characters; all of it is blob ${blob.sha256}]`;
}

/** For encoded images, where a prefix is of no use. */
export function offloadToBlob(text: string, { maxInlineChars, blobs }: SanitizeContext): string {
  if (text.length <= maxInlineChars) return text;
  const blob = createBlob(text);
  blobs.push(blob);
  return `[${text.length} characters; all of it is blob ${blob.sha256}]`;
}

/** For values of unknown shape: the input or output of a tool. */
export function sanitizeUnknown(value: unknown, context: SanitizeContext): unknown {
  const clean = sanitizeValue(value, context, 0, blobReference);
  const limit = context.maxInlineChars * WHOLE_VALUE_FACTOR;
  if (typeof clean !== 'object' || clean === null) return clean;
  const json = JSON.stringify(clean);
  return json.length > limit ? blobReference(json, context) : clean;
}

/** For values of the contract: strings stay strings. */
export function sanitizeTyped(value: unknown, context: SanitizeContext): unknown {
  return sanitizeValue(value, context, 0, truncateText);
}

function sanitizeValue(
  value: unknown,
  context: SanitizeContext,
  depth: number,
  truncate: (text: string, context: SanitizeContext) => unknown,
): unknown {
  context.parts += 1;
  switch (typeof value) {
    case 'string':
      return truncate(redactSecrets(value, context.secrets), context);
    case 'bigint':
      return String(value);
    case 'object':
      break;
    case 'function':
    case 'symbol':
      return undefined;
    default:
      return value;
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) return '[nested too deep]';
  if (context.parts > MAX_PARTS) return '[too many parts]';
  if (Array.isArray(value)) return value.map((entry) => sanitizeValue(entry, context, depth + 1, truncate));
  if (!isRecord(value)) return undefined;
  const clean: [string, unknown][] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (context.parts > MAX_PARTS) break;
    clean.push([redactSecrets(name, context.secrets), sanitizeField(name, entry, context, depth, truncate)]);
  }
  return Object.fromEntries(clean);
}

function sanitizeField(
  name: string,
  value: unknown,
  context: SanitizeContext,
  depth: number,
  truncate: (text: string, context: SanitizeContext) => unknown,
): unknown {
  if (typeof value !== 'string') return sanitizeValue(value, context, depth + 1, truncate);
  if (ID_NAMES.has(name)) return truncate(value, context);
  const isSecret = isSecretName(name) && !HARMLESS_NAME.test(name);
  if (isSecret && value.length >= MIN_SECRET_CHARS && !/\s/.test(value)) return REDACTED;
  return sanitizeValue(value, context, depth + 1, truncate);
}

function blobReference(text: string, { maxInlineChars, blobs }: SanitizeContext): unknown {
  if (text.length <= maxInlineChars) return text;
  const blob = createBlob(text);
  blobs.push(blob);
  const preview = prefixOf(text, Math.min(PREVIEW_CHARS, maxInlineChars));
  return { $blob: { sha256: blob.sha256, chars: text.length, preview } };
}

/** Does not split a surrogate pair. */
function prefixOf(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}
