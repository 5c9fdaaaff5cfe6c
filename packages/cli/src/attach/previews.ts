import { isRecord } from '@agent-mux/core';

/** What is kept elsewhere because it is large, in the place of its text. */
interface Blob {
  $blob: { preview: string; chars: number };
}

/** The same event with texts where only their beginnings are stored; what is left out is said. */
export function withPreviews<Value>(value: Value): Value {
  return hasBlob(value) ? (showBlobs(value) as Value) : value;
}

function hasBlob(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasBlob);
  return isRecord(value) && (isBlob(value) || Object.values(value).some(hasBlob));
}

function showBlobs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(showBlobs);
  if (!isRecord(value)) return value;
  if (isBlob(value)) {
    const { preview, chars } = value.$blob;
    return `${preview}… (${chars} characters in all)`;
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, showBlobs(each)]));
}

function isBlob(value: Record<string, unknown>): value is Record<string, unknown> & Blob {
  return isRecord(value.$blob) && typeof value.$blob.preview === 'string' && typeof value.$blob.chars === 'number';
}
