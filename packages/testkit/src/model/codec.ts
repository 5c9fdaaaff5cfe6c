import type { JsonObject } from './json.ts';
import type { Failure, Reply } from './reply.ts';
import type { Conversation, Malformed, ModelApi, ModelRequest } from './request.ts';

/** Written to the socket at once. Only deltas count for `afterChunks`; a truncated answer never reaches `finish`. */
export interface Frame {
  kind: 'open' | 'delta' | 'finish';
  data: string;
  delayMs: number;
}

/**
 * Context of an answer, in addition to its content. `id` is unique over restarts: ids of a resumed session must not
 * repeat.
 */
export interface Exchange {
  id: string;
  request: ModelRequest;
  now: Date;
}

/** One wire API: reads its requests, writes its answers. Pure. */
export interface Codec {
  api: ModelApi;
  read(body: JsonObject, target: URL): Conversation | Malformed;
  stream(reply: Reply, exchange: Exchange): Iterable<Frame>;
  whole(reply: Reply, exchange: Exchange): JsonObject;
  error(failure: Failure): JsonObject;
}

export function sse(kind: Frame['kind'], value: unknown, options: { event?: string; delayMs?: number } = {}): Frame {
  const name = options.event === undefined ? '' : `event: ${options.event}\n`;
  return { kind, data: `${name}data: ${JSON.stringify(value)}\n\n`, delayMs: options.delayMs ?? 0 };
}

/** The entry of a table of errors for a status; statuses that are not in it share the row of their hundred. */
export function rowFor<Row>(table: Readonly<Record<number, Row>>, status: number, fallback: Row): Row {
  return table[status] ?? table[Math.floor(status / 100) * 100] ?? fallback;
}

/** A name from a path; one with invalid encoding is used unchanged. */
export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
