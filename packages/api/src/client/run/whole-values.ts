import { text } from 'node:stream/consumers';
import { isRecord } from '@agent-mux/core/light';
import type { DaemonClient } from '../daemon-client.ts';

/** A text of the contract stays a text: its beginning, and where the whole is. Of a picture nothing is shown. */
const CUT_TEXT = /\n\[(\d+) more characters; all of it is blob ([0-9a-f]{64})\]$/;
const MOVED_TEXT = /^\[(\d+) characters; all of it is blob ([0-9a-f]{64})\]$/;

interface BlobNote {
  sha256: string;
  /** What to make do with where the whole is gone. */
  instead: unknown;
  /** Of the whole. */
  chars: number;
  /** It was no text: this is its JSON. */
  isJson: boolean;
}

/** Whether an event's JSON may have a part that lies elsewhere. Quick: it is asked for every event. */
export function mayLackParts(json: string): boolean {
  return json.includes('"$blob"') || json.includes('all of it is blob ');
}

/**
 * The daemon keeps long values beside the event, with their beginning in its place; a run in process has them whole, and so
 * has a handle. What is not there any more stays as its beginning.
 */
export async function fetchParts<Value>(client: DaemonClient, value: Value): Promise<Value> {
  return (await fill(client, value)) as Value;
}

async function fill(client: DaemonClient, value: unknown): Promise<unknown> {
  const note = typeof value === 'string' ? noteInText(value) : isRecord(value) ? noteInPlace(value) : undefined;
  if (note) return fetchBlob(client, note);
  if (Array.isArray(value)) return Promise.all(value.map((each) => fill(client, each)));
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) filled[name] = await fill(client, each);
  return filled;
}

function noteInPlace({ $blob: note }: Record<string, unknown>): BlobNote | undefined {
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
    // An agent may say what a note says.
    if (whole.length !== chars) return instead;
    return isJson ? JSON.parse(whole) : whole;
  } catch {
    return instead;
  }
}
