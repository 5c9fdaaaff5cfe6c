import { isRecord, isSecretName, REDACTED, redactSecrets } from '@agent-mux/core';
import { type Blob, makeBlob } from './blobs.ts';

/** What stands in an event for something that is longer. */
const PREVIEW_CHARS = 1000;
/** A value of an unknown shape may have so many times `inlineChars` in all. */
const WHOLE_VALUE_FACTOR = 8;
/** Beyond so many parts, or so deep, a value is cut. */
const MOST_PARTS = 50_000;
const DEEPEST = 200;
/** What refers to something else must stay what it is. */
const ID_NAMES: ReadonlySet<string> = new Set(['id', 'optionId', 'toolCallId', 'requestId', 'messageId', 'sessionId']);
/** Names that speak of a key on a keyboard or in a table. */
const HARMLESS_NAME = /^(?:keys?|tokens?)$|keyword|keyboard|hotkey|keybind|monkey/i;
const LEAST_SECRET_CHARS = 6;

export interface CleaningRules {
  /** Values of this launch that must not be kept. */
  secrets: readonly string[];
  inlineChars: number;
}

/** One event's cleaning: what was too large is put here. */
export interface Cleaning extends CleaningRules {
  blobs: Blob[];
  parts: number;
}

export function cleanText(text: string, cleaning: Cleaning): string {
  return boundText(redactSecrets(text, cleaning.secrets), cleaning);
}

/** Still a text: its beginning, and how much is left out. */
export function boundText(text: string, { inlineChars, blobs }: Cleaning): string {
  if (text.length <= inlineChars) return text;
  const blob = makeBlob(text);
  blobs.push(blob);
  const shown = beginningOf(text, inlineChars);
  return `${shown}\n[${text.length - shown.length} more characters; all of it is blob ${blob.sha256}]`;
}

/** A picture is no text: no part of it says anything. */
export function moveAway(text: string, { inlineChars, blobs }: Cleaning): string {
  if (text.length <= inlineChars) return text;
  const blob = makeBlob(text);
  blobs.push(blob);
  return `[${text.length} characters; all of it is blob ${blob.sha256}]`;
}

/** A value whose shape nobody knows: what a tool was given or has returned. */
export function cleanUnknown(value: unknown, cleaning: Cleaning): unknown {
  const clean = walk(value, cleaning, 0, blobInPlace);
  const limit = cleaning.inlineChars * WHOLE_VALUE_FACTOR;
  if (typeof clean !== 'object' || clean === null) return clean;
  const json = JSON.stringify(clean);
  return json.length > limit ? blobInPlace(json, cleaning) : clean;
}

/** A value of the contract: its texts stay texts. */
export function cleanTyped(value: unknown, cleaning: Cleaning): unknown {
  return walk(value, cleaning, 0, boundText);
}

function walk(
  value: unknown,
  cleaning: Cleaning,
  depth: number,
  bound: (text: string, cleaning: Cleaning) => unknown,
): unknown {
  cleaning.parts += 1;
  switch (typeof value) {
    case 'string':
      return bound(redactSecrets(value, cleaning.secrets), cleaning);
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
  if (depth >= DEEPEST) return '[nested too deep]';
  if (cleaning.parts > MOST_PARTS) return '[too many parts]';
  if (Array.isArray(value)) return value.map((entry) => walk(entry, cleaning, depth + 1, bound));
  if (!isRecord(value)) return undefined;
  const clean: [string, unknown][] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (cleaning.parts > MOST_PARTS) break;
    clean.push([redactSecrets(name, cleaning.secrets), cleanField(name, entry, cleaning, depth, bound)]);
  }
  return Object.fromEntries(clean);
}

function cleanField(
  name: string,
  value: unknown,
  cleaning: Cleaning,
  depth: number,
  bound: (text: string, cleaning: Cleaning) => unknown,
): unknown {
  if (typeof value !== 'string') return walk(value, cleaning, depth + 1, bound);
  if (ID_NAMES.has(name)) return bound(value, cleaning);
  const isSecret = isSecretName(name) && !HARMLESS_NAME.test(name);
  if (isSecret && value.length >= LEAST_SECRET_CHARS && !/\s/.test(value)) return REDACTED;
  return walk(value, cleaning, depth + 1, bound);
}

function blobInPlace(text: string, { inlineChars, blobs }: Cleaning): unknown {
  if (text.length <= inlineChars) return text;
  const blob = makeBlob(text);
  blobs.push(blob);
  const preview = beginningOf(text, Math.min(PREVIEW_CHARS, inlineChars));
  return { $blob: { sha256: blob.sha256, chars: text.length, preview } };
}

/** Not between the two halves of a character. */
function beginningOf(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}
