import type { Session } from '../schemas/session.ts';
import type { TerminalMessage, TerminalScreen } from '../schemas/terminal.ts';
import type { Http } from './http.ts';
import { readStream, type StreamOptions } from './sse.ts';

/** The agent's terminal. Viewers choose an id; one of them has the keyboard. */
export interface TerminalCalls {
  /** For a session without a process. */
  open(id: string, options: { cols: number; rows: number; prompt?: string }): Promise<Session>;
  /** The current screen, or the last one if the program has exited. */
  screen(id: string): Promise<TerminalScreen>;
  /** Starts with the whole screen, also after a reconnect. Ends with the program. */
  watch(
    id: string,
    viewer: string,
    options?: Omit<StreamOptions, 'after' | 'isCounted'>,
  ): AsyncGenerator<TerminalMessage[]>;
  write(id: string, viewer: string, data: string): Promise<void>;
  resize(id: string, viewer: string, size: { cols: number; rows: number }): Promise<void>;
  claim(id: string, viewer: string): Promise<void>;
}

export function terminalCalls(http: Http): TerminalCalls {
  const at = (id: string, rest = '') => `/sessions/${encodeURIComponent(id)}/terminal${rest}`;
  const post = <Reply>(path: string, body: unknown): Promise<Reply> => http.json({ method: 'POST', path, body });
  return {
    open: (id, options) => post(at(id), options),
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
    write: (id, viewer, data) => post(at(id, '/input'), { viewer, data }),
    resize: (id, viewer, size) => post(at(id, '/resize'), { viewer, ...size }),
    claim: (id, viewer) => post(at(id, '/claim'), { viewer }),
  };
}

function hasEnded({ last }: { last: TerminalMessage | undefined }): boolean {
  return last?.type === 'ended';
}
