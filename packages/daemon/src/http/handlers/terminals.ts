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

type Operations = 'openTerminal' | 'getTerminal' | 'writeTerminal' | 'resizeTerminal' | 'claimTerminal';

interface TerminalParts extends Pick<ApiParts, 'service' | 'store' | 'paths'> {
  streams: Streams;
}

/**
 * Maximum backlog of a viewer that does not read. Above it, reading pauses and the viewer gets the screen again later.
 */
const MAX_BACKLOG_CHARS = 1_000_000;
const LAST_SCREEN_LIMIT = 64 * 1024 * 1024;
const SCREEN_TIMEOUT_MS = 5000;

export function terminalHandlers({ service, store, paths, streams }: TerminalParts): Pick<Handlers, Operations> {
  const viewers = new Map<string, TerminalLink>();
  const folderOf = async (id: string) => {
    const session = await findSession(store, id);
    return { id: session.id, folder: join(paths.sessions, session.id) };
  };
  const linkOf = async (options: string, viewer: string) => {
    const { id } = await folderOf(options);
    const link = viewers.get(`${id}/${viewer}`);
    if (link) return link;
    throw new DaemonError('NOT_FOUND', `"${viewer}" is not a viewer of the terminal of session ${id}`, {
      hint: 'open the stream with this viewer name first',
    });
  };
  return {
    openTerminal: async ({ params, body, actor }) => service.openTerminal((await folderOf(params.id)).id, body, actor),

    async getTerminal({ params, query, request, actor }) {
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
        return streams.open({ ...source, close }, actor);
      } catch (error) {
        close();
        throw error;
      }
    },

    async writeTerminal({ params, body }) {
      (await linkOf(params.id, body.viewer)).send({ type: 'input', data: body.data });
      return undefined;
    },
    async resizeTerminal({ params, body: { viewer, cols, rows } }) {
      (await linkOf(params.id, viewer)).send({ type: 'size', cols, rows });
      return undefined;
    },
    async claimTerminal({ params, body }) {
      (await linkOf(params.id, body.viewer)).send({ type: 'claim' });
      return undefined;
    },
  };
}

/** The keeper's messages as a stream that is pulled by its reader. */
async function watch(
  folder: string,
  viewer: string,
  onEnd: () => Promise<void>,
): Promise<{ source: StreamSource; link: TerminalLink }> {
  let backlog = '';
  let count = 0;
  let isOver = false;
  let wake = () => {};
  const receive = (message: FromTerminal) => {
    count += 1;
    backlog += `id: ${count}\ndata: ${JSON.stringify(message)}\n\n`;
    if (backlog.length > MAX_BACKLOG_CHARS) link.pause();
    if (message.type === 'ended') void onEnd();
    wake();
  };
  const gone = () => {
    isOver = true;
    wake();
  };
  const link = await connectTerminal(folder, viewer, { receive, gone }).catch((error: unknown) => {
    throw asRefusal(error);
  });
  const source: StreamSource = {
    after: 0,
    async read() {
      const text = backlog;
      backlog = '';
      link.resume();
      return { text, last: count, isEnd: isOver && text === '' };
    },
    wait: (_, signal) =>
      new Promise((resolve) => {
        if (backlog !== '' || isOver) return resolve();
        wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  return { source, link };
}

async function readScreen(folder: string): Promise<TerminalScreen> {
  const { promise, resolve } = Promise.withResolvers<TerminalScreen | null>();
  const receive = (message: FromTerminal) => {
    if (message.type !== 'screen') return;
    const { data, cols, rows } = message;
    resolve({ data, cols, rows, exit: null });
  };
  const link = await connectTerminal(folder, 'snapshot', { receive, gone: () => resolve(null) }).catch(() => null);
  const timeout = setTimeout(() => resolve(null), SCREEN_TIMEOUT_MS);
  const live = link && (await promise);
  clearTimeout(timeout);
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
  throw new DaemonError('NOT_FOUND', 'this session has no terminal', { hint: 'open one with POST' });
}
