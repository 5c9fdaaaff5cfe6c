import { StringDecoder } from 'node:string_decoder';
import type { TerminalSize } from '@agent-mux/core';
import serialize from '@xterm/addon-serialize';
import headless from '@xterm/headless';
import { createOutputFilter } from './filter-output.ts';

/** So many lines above the screen are kept. */
const SCROLL_BACK = 5000;
/** More than this and the program waits in its writes: a flood is shown as fast as it can be drawn, and not kept. */
const MOST_UNDRAWN_CHARS = 256 * 1024;

export interface Screen {
  /** Text of the program. Returns what viewers get of it: whole characters, and what draws. */
  draw(bytes: Buffer): string;
  resize(size: TerminalSize): void;
  size(): TerminalSize;
  /** Calls with what a terminal must be told to look like this one, when all that came before is drawn. */
  read(done: (data: string) => void): void;
  dispose(): void;
}

/** A terminal that nobody sees: it knows what is on the screen, and answers what programs ask a terminal. */
export function openScreen(
  size: TerminalSize,
  { answer, isFull }: { answer(data: string): void; isFull(isFull: boolean): void },
): Screen {
  const terminal = new headless.Terminal({ ...size, scrollback: SCROLL_BACK, allowProposedApi: true });
  const reader = new serialize.SerializeAddon();
  terminal.loadAddon(reader);
  terminal.onData(answer);
  const decoder = new StringDecoder('utf8');
  const filter = createOutputFilter();
  let undrawn = 0;
  let full = false;
  const setFull = (now: boolean) => {
    if (now === full) return;
    full = now;
    isFull(now);
  };
  return {
    draw(bytes) {
      const text = decoder.write(bytes);
      undrawn += text.length;
      terminal.write(text, () => {
        undrawn -= text.length;
        if (undrawn < MOST_UNDRAWN_CHARS / 2) setFull(false);
      });
      if (undrawn > MOST_UNDRAWN_CHARS) setFull(true);
      return filter(text);
    },
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    read: (done) => terminal.write('', () => done(reader.serialize())),
    dispose: () => terminal.dispose(),
  };
}

/**
 * What a viewer's own terminal answers to questions that were put to ours: device, position, colours, modes. Typed by nobody,
 * and answered already.
 */
const ANSWER =
  /^(?:\x1b\[[?>=][\d;]*c|\x1b\[\??\d+;\d+R|\x1b\[\d+n|\x1b\[\??[\d;]+\$y|\x1b\[[48];\d+;\d+t|\x1b\](?:4;\d+|1[0-2]);[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b\[[IO])+$/;

export function isAnswer(data: string): boolean {
  return ANSWER.test(data);
}
