import { text } from 'node:stream/consumers';
import { isRecord } from '@agent-mux/core/light';
import type { DaemonClient } from '../daemon-client.ts';

interface BlobNote {
  sha256: string;
  preview: string;
}

/** Whether an event's JSON may have a string in it that lies elsewhere. */
export function mayLackParts(json: string): boolean {
  return json.includes('"$blob"');
}

/**
 * The daemon keeps long strings beside the event, with their beginning in its place; a run in process has them whole, and so
 * has a handle. What is not there any more stays as its beginning.
 */
export async function fetchParts<Value>(client: DaemonClient, value: Value): Promise<Value> {
  return (await fill(client, value)) as Value;
}

async function fill(client: DaemonClient, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => fill(client, each)));
  if (!isRecord(value)) return value;
  const note = noteOf(value);
  if (note) return fetchBlob(client, note);
  const filled: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) filled[name] = await fill(client, each);
  return filled;
}

function noteOf(value: Record<string, unknown>): BlobNote | undefined {
  const { $blob: note } = value;
  if (!isRecord(note) || typeof note.sha256 !== 'string' || typeof note.preview !== 'string') return undefined;
  return { sha256: note.sha256, preview: note.preview };
}

async function fetchBlob(client: DaemonClient, { sha256, preview }: BlobNote): Promise<string> {
  try {
    return await text(await client.blob(sha256));
  } catch {
    return preview;
  }
}
