import type { ReadStream } from 'node:tty';
import { type Key, KeyReader } from './keys.ts';

/** An Enter at the end of several characters that come at once may be followed by more of them: a paste. */
const BURST_MS = 25;
const PASTES_MARKED = '\x1b[?2004h';
const PASTES_UNMARKED = '\x1b[?2004l';

type OnKey = (key: Key) => void;

/**
 * The keys of a terminal, while somebody holds it. In between it is as the shell left it: Ctrl-C is a signal, and what is
 * typed waits for whoever reads next.
 */
export class Keyboard {
  readonly #input: ReadStream;
  readonly #output: { write(text: string): unknown };
  readonly #marksPastes: boolean;
  readonly #reader = new KeyReader();
  #onKey: OnKey | undefined;
  /** An Enter of which it is not known yet whether it ends the line. */
  #enter: { timer: NodeJS.Timeout; onKey: OnKey } | undefined;

  constructor(input: ReadStream, output: { write(text: string): unknown }, { marksPastes }: { marksPastes: boolean }) {
    this.#input = input;
    this.#marksPastes = marksPastes;
    this.#output = output;
    input.setEncoding('utf8');
    // A terminal that was closed: SIGHUP follows.
    input.on('error', () => {});
  }

  get isHeld(): boolean {
    return this.#onKey !== undefined;
  }

  /** Lets go of the terminal; what is returned takes it again as it was held. */
  lend(): () => void {
    const onKey = this.#onKey;
    this.release();
    return () => {
      if (onKey && !this.isHeld) this.hold(onKey);
    };
  }

  /** Keys go to `onKey` from now on. */
  hold(onKey: OnKey): void {
    this.#settleEnter();
    const isNew = !this.isHeld;
    this.#onKey = onKey;
    if (!isNew) return;
    this.#input.setRawMode(true);
    if (this.#marksPastes) this.#output.write(PASTES_MARKED);
    this.#input.on('data', this.#onData);
    this.#input.resume();
    process.on('exit', this.#restore);
  }

  release(): void {
    this.#settleEnter();
    if (!this.isHeld) return;
    this.#onKey = undefined;
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#restore();
    process.off('exit', this.#restore);
  }

  /** Resolves when everything that was typed until now has been handed over. */
  async catchUp(): Promise<void> {
    // The loop reads what is there between two of these.
    for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#settleEnter();
  }

  readonly #restore = () => {
    if (this.#marksPastes) this.#output.write(PASTES_UNMARKED);
    if (!this.#input.destroyed) this.#input.setRawMode(false);
  };

  readonly #onData = (chunk: string) => {
    const keys = this.#reader.read(chunk);
    if (this.#enter && keys.length > 0) {
      const { onKey } = this.#takeEnter() ?? {};
      // More came at once, so it is a line break of what is pasted.
      onKey?.({ type: 'key', name: 'newline' });
    }
    keys.forEach((key, index) => {
      const isEnter = key.type === 'key' && key.name === 'enter';
      const isLast = index === keys.length - 1;
      if (!isEnter || keys.length === 1) this.#onKey?.(key);
      else if (!isLast) this.#onKey?.({ type: 'key', name: 'newline' });
      else this.#waitForMore();
    });
  };

  #waitForMore(): void {
    const onKey = this.#onKey;
    if (onKey) this.#enter = { timer: setTimeout(() => this.#settleEnter(), BURST_MS), onKey };
  }

  #takeEnter(): { onKey: OnKey } | undefined {
    const enter = this.#enter;
    clearTimeout(enter?.timer);
    this.#enter = undefined;
    return enter;
  }

  /** Nothing more came: it was an Enter, for whoever was typed to at that time. */
  #settleEnter(): void {
    this.#takeEnter()?.onKey({ type: 'key', name: 'enter' });
  }
}
