import type { Session } from '@agent-mux/api';
import { isRecord, parseIfJson } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import type { ChangePage, EventPage, Store } from '../../store/store.ts';
import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiLimits } from '../limits.ts';
import type { ApiParts } from '../parts.ts';
import type { StreamPage, StreamSource, Streams } from '../streams.ts';
import { wantsStream } from '../wants-stream.ts';

type Operations = 'listEvents' | 'listChanges';

/** Maximum events per read of a stream; the size is bounded as well. */
const STREAM_EVENTS = 2_000;
const STREAM_CHANGES = 200;
/** Maximum size of a JSON page. */
const PAGE_BYTES = 4_000_000;
/** Final events of a launch. */
const LAST_EVENTS = ['run_result', 'keeper_lost'];

interface EventParts extends Pick<ApiParts, 'service' | 'store'> {
  streams: Streams;
  limits: ApiLimits;
}

export function eventHandlers(parts: EventParts): Pick<Handlers, Operations> {
  const { service, store, streams, limits } = parts;
  return {
    async listEvents({ params, query, request, actor }) {
      const { id } = await findSession(store, params.id);
      if (!wantsStream(request)) {
        const page = await store.readEvents(id, query.after ?? -1, query.limit, PAGE_BYTES);
        return rawJson(`{"events":[${page.lines.join(',')}],"lastSeq":${page.lastSeq},"hasMore":${page.hasMore}}`);
      }
      const source: StreamSource = {
        after: startOf(request, query.after, -1),
        read: (after) => readEventPage(store, id, after, { bytes: limits.pageBytes, untilEnd: query.until === 'end' }),
        wait: (after, signal) => service.waitForEvents(id, after, signal),
      };
      return streams.open(source, actor);
    },

    async listChanges({ query, request, actor }) {
      if (!wantsStream(request)) return store.readChanges(query.after ?? 0, query.limit);
      const source: StreamSource = {
        after: startOf(request, query.after, 0),
        read: async (after) => writeChanges(await store.readChanges(after, STREAM_CHANGES)),
        wait: (after, signal) => service.waitForChanges(after, signal),
      };
      return streams.open(source, actor);
    },
  };
}

/** Last-Event-ID of a reconnecting reader takes precedence over the query. */
function startOf(request: Request, after: number | undefined, first: number): number {
  const last = request.headers.get('last-event-id');
  if (last === null || last === '') return after ?? first;
  if (!/^-?\d{1,15}$/.test(last) || Number(last) < first) {
    const problem = 'must be the id of an event';
    throw new DaemonError('VALIDATION_ERROR', `Last-Event-ID: ${problem}`, {
      issues: [{ field: 'Last-Event-ID', problem }],
    });
  }
  return Number(last);
}

async function readEventPage(
  store: Store,
  id: string,
  after: number,
  { bytes, untilEnd }: { bytes: number; untilEnd: boolean },
): Promise<StreamPage> {
  const found = await store.readEvents(id, after, STREAM_EVENTS, bytes);
  if (found.lines.length > 0) return pageOf(found, after, untilEnd);
  const session = await store.getSession(id);
  if (!session) return { text: '', last: after, isEnd: true };
  // The row is newer, so events may have arrived in between. Seqs are skipped if content is not stored.
  const since = session.lastSeq > after ? await store.readEvents(id, after, STREAM_EVENTS, bytes) : found;
  if (since.lines.length > 0) return pageOf(since, after, untilEnd);
  const last = Math.max(after, session.lastSeq);
  return { text: '', last, isEnd: untilEnd && last <= session.lastSeq && (await hasEnded(store, session)) };
}

/** The end of a launch is checked only when there is nothing more to read. */
function pageOf(page: EventPage, after: number, untilEnd: boolean): StreamPage {
  return { text: writeEvents(page, after), last: page.lastSeq, isEnd: false, isNewest: !page.hasMore && !untilEnd };
}

async function hasEnded(store: Store, session: Session): Promise<boolean> {
  if (session.isTerminated) return true;
  const { activity, queuedMessages, lastSeq } = session;
  // Queued or running work starts another launch.
  if (lastSeq < 0 || queuedMessages > 0 || activity === 'spawning' || activity === 'active') return false;
  const { lines } = await store.readEvents(session.id, lastSeq - 1, 1);
  const last = parseIfJson(lines[0] ?? '');
  return isRecord(last) && LAST_EVENTS.includes(`${last.type}`);
}

function writeEvents({ lines, lastSeq }: EventPage, after: number): string {
  const isDense = lastSeq - after === lines.length;
  return lines.map((line, at) => `id: ${isDense ? after + 1 + at : seqOf(line)}\ndata: ${line}\n\n`).join('');
}

function seqOf(line: string): number {
  const event = parseIfJson(line);
  return isRecord(event) ? Number(event.seq) : -1;
}

/** Events have names, so that an EventSource can listen to `session.updated` only. */
function writeChanges({ changes, lastRev }: ChangePage): StreamPage {
  const text = changes
    .map((change) => {
      const name = `${change.kind}.${change.value === null ? 'removed' : 'updated'}`;
      return `event: ${name}\nid: ${change.rev}\ndata: ${JSON.stringify(change)}\n\n`;
    })
    .join('');
  return { text, last: lastRev, isEnd: false };
}

function rawJson(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
