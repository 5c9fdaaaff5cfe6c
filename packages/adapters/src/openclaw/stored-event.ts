import zlib from 'node:zlib';
import { type Json, parseRecord, text } from '../shared/json.ts';

/** The largest event that the gateway stores. */
const LIMIT = 4 * 1024 * 1024;

/** Large events are compressed. Undefined: broken, or compressed on a Node that cannot decompress it (before 22.15). */
export function eventOf({ event_json, event_zstd }: Json): Json | undefined {
  const plain = text(event_json);
  if (plain !== undefined) return parseRecord(plain) ?? undefined;
  if (!(event_zstd instanceof Uint8Array) || typeof zlib.zstdDecompressSync !== 'function') return undefined;
  try {
    return parseRecord(zlib.zstdDecompressSync(event_zstd, { maxOutputLength: LIMIT }).toString('utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}
