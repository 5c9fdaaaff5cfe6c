import { text } from 'node:stream/consumers';
import { isRecord } from '@agent-mux/core/light';
import type { DaemonClient } from '../daemon-client.ts';

/** A long text is replaced by a preview and a reference. An image has no preview. */
const CUT_TEXT = /\n\[(\d+) more characters; all of it is blob ([0-9a-f]{64})\]$/;
const MOVED_TEXT = /^\[(\d+) characters; all of it is blob ([0-9a-f]{64})\]$/;

interface BlobNote {
  sha256: string;
  /** Used if the full value is gone. */
  instead: unknown;
  /** Length of the full value. */
  chars: number;
  /** The value is not a text: this is its JSON. */
  isJson: boolean;
}

/** Whether an event's JSON may refer to a blob. Fast, as it is called for every event. */
export function mayHaveBlobs(json: string): boolean {
  return json.includes('"$blob"') || json.includes('all of it is blob ');
}

/**
 * Restores long values, which the daemon stores separately, so that a handle returns them in full like an in-process run. Values
 * that are gone keep their preview.
 */
export async function resolveBlobs<Value>(client: DaemonClient, value: Value): Promise<Value> {
  return (await fill(client, value)) as Value;
}

async function fill(client: DaemonClient, value: unknown): Promise<unknown> {
  const note = typeof value === 'string' ? noteInText(value) : isRecord(value) ? noteInValue(value) : undefined;
  if (note) return fetchBlob(client, note);
  if (Array.isArray(value)) return Promise.all(value.map((each) => fill(client, each)));
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) filled[name] = await fill(client, each);
  return filled;
}

function noteInValue({ $blob: note }: Record<string, unknown>): BlobNote | undefined {
  if (!isRecord(note)) return undefined;
  const { sha256, preview, chars, json } = note;
  if (typeof sha256 !== 'string' || typeof preview !== 'string' || typeof chars !== 'number') return undefined;
  return { sha256, instead: preview, chars, isJson: json === true };
}

function noteInText(value: string): BlobNote | undefined {
  if (!value.endsWith(']')) return undefined;
  const [moved, cut] = [MOVED_TEXT.exec(value), CUT_TEXT.exec(value)];
  const found = moved ?? cut;
  if (!found?.[2]) return undefined;
  const shown = moved ? 0 : found.index;
  return { sha256: found[2], instead: value, chars: shown + Number(found[1]), isJson: false };
}

async function fetchBlob(client: DaemonClient, { sha256, instead, chars, isJson }: BlobNote): Promise<unknown> {
  try {
    const whole = await text(await client.blob(sha256));
    // An agent's text may look like a note.
    if (whole.length !== chars) return instead;
    return isJson ? JSON.parse(whole) : whole;
  } catch {
    return instead;
  }
}
