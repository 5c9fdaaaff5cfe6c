import type { DaemonClient } from '@agent-mux/api';
import { isRecord } from '@agent-mux/core/light';

/** Reference to a large text that is stored separately. */
interface Blob {
  $blob: { sha256: string; preview: string; chars: number };
}

/** The event with previews instead of references; marks what is left out. */
export function withPreviews<Value>(value: Value): Value {
  return hasBlob(value)
    ? (mapBlobs(value, ({ $blob: { preview, chars } }) => `${preview}… (${chars} characters in all)`) as Value)
    : value;
}

/** The event with full texts, so that the user sees everything before deciding. */
export async function withWholeTexts<Value>(daemon: DaemonClient, value: Value): Promise<Value> {
  const texts = new Map<string, string>();
  for (const { $blob } of blobsOf(value)) {
    if (!texts.has($blob.sha256)) texts.set($blob.sha256, await readBlob(daemon, $blob));
  }
  return texts.size === 0 ? value : (mapBlobs(value, ({ $blob }) => texts.get($blob.sha256) ?? '') as Value);
}

async function readBlob(daemon: DaemonClient, { sha256, preview, chars }: Blob['$blob']): Promise<string> {
  try {
    const pieces: Buffer[] = [];
    for await (const piece of await daemon.blob(sha256)) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  } catch {
    return `${preview}… (the rest of ${chars} characters is no longer stored)`;
  }
}

function hasBlob(value: unknown): boolean {
  return blobsOf(value).length > 0;
}

function blobsOf(value: unknown): Blob[] {
  if (Array.isArray(value)) return value.flatMap(blobsOf);
  if (!isRecord(value)) return [];
  return isBlob(value) ? [value] : Object.values(value).flatMap(blobsOf);
}

function mapBlobs(value: unknown, textOf: (blob: Blob) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => mapBlobs(each, textOf));
  if (!isRecord(value)) return value;
  if (isBlob(value)) return textOf(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapBlobs(each, textOf)]));
}

function isBlob(value: Record<string, unknown>): value is Record<string, unknown> & Blob {
  const { $blob } = value;
  return (
    isRecord($blob) &&
    typeof $blob.sha256 === 'string' &&
    typeof $blob.preview === 'string' &&
    typeof $blob.chars === 'number'
  );
}
