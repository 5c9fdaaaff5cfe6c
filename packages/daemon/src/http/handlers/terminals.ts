import { join } from 'node:path';
import type { TerminalScreen } from '@agent-mux/api';
import { isRecord, parseIfJson, readRegularFile } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import { asRefusal } from '../../sessions/keeper-link.ts';
import { connectTerminal, type TerminalLink } from '../../terminals/connect-terminal.ts';
import type { FromTerminal } from '../../terminals/protocol.ts';
import { LAST_SCREEN } from '../../terminals/run-terminal.ts';
import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';
import type { StreamSource, Streams } from '../streams.ts';
import { wantsStream } from '../wants-stream.ts';

type Operations = 'openTerminal' | 'watchTerminal' | 'typeInTerminal' | 'sizeTerminal' | 'claimTerminal';

interface TerminalParts extends Pick<ApiParts, 'service' | 'store' | 'places'> {
  streams: Streams;
}

/** So much may wait for a viewer that does not read; then its terminal is not read from, and shows the screen anew. */
const MOST_WAITING_CHARS = 1_000_000;
const LAST_SCREEN_LIMIT = 64 * 1024 * 1024;
const SCREEN_PATIENCE_MS = 5000;

export function terminalHandlers({ service, store, places, streams }: TerminalParts): Pick<Handlers, Operations> {
  const viewers = new Map<string, TerminalLink>();
  const folderOf = async (id: string) => {
    const session = await findSession(store, id);
    return { id: session.id, folder: join(places.sessions, session.id) };
  };
  const linkOf = async (given: string, viewer: string) => {
    const { id } = await folderOf(given);
    const link = viewers.get(`${id}/${viewer}`);
    if (link) return link;
    throw new DaemonError('NOT_FOUND', `"${viewer}" does not watch the terminal of session ${id}`, {
      hint: 'open the stream first, under the same name',
    });
  };
  return {
    openTerminal: async ({ params, body, who }) => service.openTerminal((await folderOf(params.id)).id, body, who),

    async watchTerminal({ params, query, request, who }) {
      const { id, folder } = await folderOf(params.id);
      if (!wantsStream(request)) return readScreen(folder);
      const { source, link } = await watch(folder, query.viewer, () => service.terminalEnded(id));
      const key = `${id}/${query.viewer}`;
      viewers.get(key)?.close();
      viewers.set(key, link);
      const close = () => {
        link.close();
        if (viewers.get(key) === link) viewers.delete(key);
      };
      try {
        return streams.open({ ...source, close }, who);
      } catch (error) {
        close();
        throw error;
      }
    },

    async typeInTerminal({ params, body }) {
      (await linkOf(params.id, body.viewer)).tell({ type: 'input', data: body.data });
      return undefined;
    },
    async sizeTerminal({ params, body: { viewer, cols, rows } }) {
      (await linkOf(params.id, viewer)).tell({ type: 'size', cols, rows });
      return undefined;
    },
    async claimTerminal({ params, body }) {
      (await linkOf(params.id, body.viewer)).tell({ type: 'claim' });
      return undefined;
    },
  };
}

/** What a keeper says, as a stream that is pulled by its reader. */
async function watch(
  folder: string,
  viewer: string,
  onEnd: () => Promise<void>,
): Promise<{ source: StreamSource; link: TerminalLink }> {
  let waiting = '';
  let count = 0;
  let isOver = false;
  let wake = () => {};
  const hear = (message: FromTerminal) => {
    count += 1;
    waiting += `id: ${count}\ndata: ${JSON.stringify(message)}\n\n`;
    if (waiting.length > MOST_WAITING_CHARS) link.pause();
    if (message.type === 'ended') void onEnd();
    wake();
  };
  const gone = () => {
    isOver = true;
    wake();
  };
  const link = await connectTerminal(folder, viewer, { hear, gone }).catch((error: unknown) => {
    throw asRefusal(error);
  });
  const source: StreamSource = {
    after: 0,
    async read() {
      const text = waiting;
      waiting = '';
      link.resume();
      return { text, last: count, isEnd: isOver && text === '' };
    },
    wait: (_, signal) =>
      new Promise((resolve) => {
        if (waiting !== '' || isOver) return resolve();
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  return { source, link };
}

async function readScreen(folder: string): Promise<TerminalScreen> {
  const { promise, resolve } = Promise.withResolvers<TerminalScreen | null>();
  const hear = (message: FromTerminal) => {
    if (message.type !== 'screen') return;
    const { data, cols, rows } = message;
    resolve({ data, cols, rows, exit: null });
  };
  const link = await connectTerminal(folder, 'glance', { hear, gone: () => resolve(null) }).catch(() => null);
  const patience = setTimeout(() => resolve(null), SCREEN_PATIENCE_MS);
  const live = link && (await promise);
  clearTimeout(patience);
  link?.close();
  return live ?? readLastScreen(folder);
}

async function readLastScreen(folder: string): Promise<TerminalScreen> {
  const text = await readRegularFile(join(folder, LAST_SCREEN), { limit: LAST_SCREEN_LIMIT, followLinks: false }).catch(
    () => null,
  );
  const last = text && parseIfJson(text.toString('utf8'));
  if (isRecord(last) && typeof last.data === 'string' && isRecord(last.exit)) {
    const { code, signal } = last.exit;
    const exit = {
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
    };
    return { data: last.data, cols: Number(last.cols), rows: Number(last.rows), exit };
  }
  throw new DaemonError('NOT_FOUND', 'this session has no terminal', { hint: 'POST opens one' });
}
