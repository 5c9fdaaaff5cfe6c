import { setTimeout as sleep } from 'node:timers/promises';
import type { ReaderRecord } from '../oracle/evidence.ts';
import type { Address } from './api.ts';

const PAUSE_MS = 50;

export interface Reader extends ReaderRecord {
  /** The seq of the last event that it saw. */
  readonly last: number;
  stop(): Promise<void>;
}

export interface ReaderOptions {
  name: string;
  sessionId: string;
  /** Address of the daemon; undefined: not running. */
  address: () => Address | undefined;
  onEvent?: (event: Record<string, unknown>) => void;
  /** Disconnects after this many events; each time it stays a little longer, or a flood would never end. */
  hangUpAfter?: number;
  /** Resumes with the header that browsers send instead of the query. */
  byHeader?: boolean;
}

/** Follows a session by seq through everything, as a browser or a program would: it reconnects after failures. */
export function followSession(options: ReaderOptions): Reader {
  const events: { id: number; data: string }[] = [];
  const stopping = new AbortController();
  let connections = 0;
  const last = () => events.at(-1)?.id ?? -1;

  const take = (frame: string): void => {
    const fields = Map.groupBy(frame.split('\n'), (line) => line.slice(0, line.indexOf(':')));
    const readField = (field: string) =>
      fields
        .get(field)
        ?.map((line) => line.slice(field.length + 1).replace(/^ /, ''))
        .join('\n');
    const [id, data] = [readField('id'), readField('data')];
    if (id === undefined || data === undefined) return;
    events.push({ id: Number(id), data });
    options.onEvent?.(JSON.parse(data));
  };

  const readOnce = async (): Promise<void> => {
    const address = options.address();
    if (!address) return;
    const hangUp = new AbortController();
    const after = options.byHeader ? '' : `?after=${last()}`;
    const response = await fetch(`${address.url}/api/v1/sessions/${options.sessionId}/events${after}`, {
      headers: {
        authorization: `Bearer ${address.token}`,
        accept: 'text/event-stream',
        ...(options.byHeader && last() >= 0 ? { 'last-event-id': String(last()) } : {}),
      },
      signal: AbortSignal.any([stopping.signal, hangUp.signal]),
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return;
    }
    connections += 1;
    const startedAt = events.length;
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        take(frame);
        if (options.hangUpAfter !== undefined && events.length - startedAt >= options.hangUpAfter * connections) {
          hangUp.abort();
          return;
        }
      }
    }
  };

  const work = (async () => {
    while (!stopping.signal.aborted) {
      // Broken connections are expected here.
      await readOnce().catch(() => {});
      await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    name: options.name,
    events,
    get connections() {
      return connections;
    },
    get last() {
      return last();
    },
    stop: async () => {
      stopping.abort();
      await work;
    },
  };
}
