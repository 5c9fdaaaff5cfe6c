import { StringDecoder } from 'node:string_decoder';
import type { TerminalSize } from '@agent-mux/core';
import serialize from '@xterm/addon-serialize';
import headless from '@xterm/headless';
import { createOutputFilter } from './filter-output.ts';

/** Lines of scrollback. */
const SCROLLBACK_LINES = 5000;
/** Above this, the program's writes block: a flood of output is shown as fast as it can be drawn, and not buffered. */
const MAX_UNDRAWN_CHARS = 256 * 1024;

export interface Screen {
  /** Draws output of the program. Returns the part for viewers: whole characters and drawing sequences. */
  draw(bytes: Buffer): string;
  resize(size: TerminalSize): void;
  size(): TerminalSize;
  /** Calls `done` with output that reproduces the screen, once everything before is drawn. */
  read(done: (data: string) => void): void;
  dispose(): void;
}

/** A headless terminal: holds the screen content and replies to the program's terminal queries. */
export function openScreen(
  size: TerminalSize,
  { reply, isFull }: { reply(data: string): void; isFull(isFull: boolean): void },
): Screen {
  const terminal = new headless.Terminal({ ...size, scrollback: SCROLLBACK_LINES, allowProposedApi: true });
  const reader = new serialize.SerializeAddon();
  terminal.loadAddon(reader);
  terminal.onData(reply);
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
        if (undrawn < MAX_UNDRAWN_CHARS / 2) setFull(false);
      });
      if (undrawn > MAX_UNDRAWN_CHARS) setFull(true);
      return filter(text);
    },
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    size: () => ({ cols: terminal.cols, rows: terminal.rows }),
    read: (done) => terminal.write('', () => done(reader.serialize())),
    dispose: () => terminal.dispose(),
  };
}

/**
 * Replies of a viewer's terminal to queries about device, position, colors and modes. The user did not type them, and
 * the headless terminal has already replied.
 */
const TERMINAL_REPLY =
  /^(?:\x1b\[[?>=][\d;]*c|\x1b\[\??\d+;\d+R|\x1b\[\d+n|\x1b\[\??[\d;]+\$y|\x1b\[[48];\d+;\d+t|\x1b\](?:4;\d+|1[0-2]);[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b\[[IO])+$/;

export function isTerminalReply(data: string): boolean {
  return TERMINAL_REPLY.test(data);
}
