import type { Session } from '../schemas/session.ts';
import type { TerminalMessage, TerminalScreen } from '../schemas/terminal.ts';
import type { Http } from './http.ts';
import { readStream, type StreamOptions } from './sse.ts';

/** The agent's own screen. A viewer names itself; one of them has the keyboard. */
export interface TerminalCalls {
  /** For a session without a process. */
  open(id: string, wish: { cols: number; rows: number; prompt?: string }): Promise<Session>;
  /** As it is, or as it was when its program ended. */
  screen(id: string): Promise<TerminalScreen>;
  /** Begins with the whole screen, also after a lost connection. Ends with its program. */
  watch(
    id: string,
    viewer: string,
    options?: Omit<StreamOptions, 'after' | 'isCounted'>,
  ): AsyncGenerator<TerminalMessage[]>;
  type(id: string, viewer: string, data: string): Promise<void>;
  size(id: string, viewer: string, size: { cols: number; rows: number }): Promise<void>;
  claim(id: string, viewer: string): Promise<void>;
}

export function terminalCalls(http: Http): TerminalCalls {
  const at = (id: string, rest = '') => `/sessions/${encodeURIComponent(id)}/terminal${rest}`;
  const post = <Reply>(path: string, body: unknown): Promise<Reply> => http.json({ method: 'POST', path, body });
  return {
    open: (id, wish) => post(at(id), wish),
    screen: (id) => http.json({ path: at(id) }),
    async *watch(id, viewer, options) {
      const call = { path: at(id), query: { viewer } };
      for await (const batch of readStream<TerminalMessage>(
        http,
        call,
        { ...options, after: 0, isCounted: false },
        hasEnded,
      ))
        yield batch.map(({ value }) => value);
    },
    type: (id, viewer, data) => post(at(id, '/input'), { viewer, data }),
    size: (id, viewer, size) => post(at(id, '/size'), { viewer, ...size }),
    claim: (id, viewer) => post(at(id, '/claim'), { viewer }),
  };
}

function hasEnded({ last }: { last: TerminalMessage | undefined }): boolean {
  return last?.type === 'ended';
}
