import type { TerminalMessage } from '@agent-mux/api/browser';
import { call } from '../../../data/call.ts';
import { followStream } from '../../../data/stream.ts';

export interface ScreenState {
  /** The viewer that has the keyboard; null if none has. */
  writer: string | null;
  refused: string | null;
  ended: { code: number | null; signal: string | null } | null;
  isOpen: boolean;
}

interface Followed {
  sessionId: string;
  viewer: string;
  signal: AbortSignal;
  screen: {
    /** Replaces the whole screen. */
    show(data: string, cols: number, rows: number): void;
    write(data: string): void;
    resize(cols: number, rows: number): void;
  };
  onState(state: ScreenState): void;
}

/** Follows a terminal until its program exits, then keeps the last screen. A reconnect redraws the whole screen. */
export async function followScreen({ sessionId, viewer, signal, screen, onState }: Followed): Promise<void> {
  let state: ScreenState = { writer: null, refused: null, ended: null, isOpen: false };
  const change = (next: Partial<ScreenState>) => {
    if (signal.aborted) return;
    state = { ...state, ...next };
    onState(state);
  };
  const exited = new AbortController();
  const params = { id: sessionId };
  const apply = (message: TerminalMessage) => {
    switch (message.type) {
      case 'screen':
        screen.show(message.data, message.cols, message.rows);
        return change({ writer: message.writer, isOpen: true });
      case 'data':
        return screen.write(message.data);
      case 'size':
        return screen.resize(message.cols, message.rows);
      case 'writer':
        return change({ writer: message.writer });
      case 'rejected':
        return change({ refused: message.reason });
      case 'ended':
        change({ ended: message.exit });
        exited.abort();
    }
  };
  const showLast = async () => {
    const last = await call('getTerminal', { params, query: { viewer } }, signal);
    if (last.exit === null || signal.aborted) return false;
    screen.show(last.data, last.cols, last.rows);
    change({ ended: last.exit });
    return true;
  };
  try {
    if (await showLast()) return;
  } catch {
    // The stream reports the same error and reconnects.
  }
  await followStream<TerminalMessage>({
    op: 'getTerminal',
    params,
    query: { viewer },
    after: 0,
    signal: AbortSignal.any([signal, exited.signal]),
    onBatch: (messages) => {
      for (const message of messages) apply(message);
    },
    onState: (now, error) => {
      if (now === 'refused') change({ isOpen: false, refused: error?.message ?? null });
      else if (now === 'broken') change({ isOpen: false });
    },
  });
}
