import type { ReadStream } from 'node:tty';
import { type Key, KeyReader } from './keys.ts';

/** An Enter at the end of a burst of characters may be followed by more of a paste. */
const BURST_MS = 25;
const PASTES_MARKED = '\x1b[?2004h';
const PASTES_UNMARKED = '\x1b[?2004l';

type OnKey = (key: Key) => void;

/**
 * Reads keys while the terminal is held. In between, the terminal is as the shell left it: Ctrl-C is a signal, and typed input
 * stays for the next reader.
 */
export class Keyboard {
  readonly #input: ReadStream;
  readonly #output: { write(text: string): unknown };
  readonly #marksPastes: boolean;
  readonly #reader = new KeyReader();
  #onKey: OnKey | undefined;
  /** An Enter that may still turn out to be part of a paste. */
  #enter: { timer: NodeJS.Timeout; onKey: OnKey } | undefined;

  constructor(input: ReadStream, output: { write(text: string): unknown }, { marksPastes }: { marksPastes: boolean }) {
    this.#input = input;
    this.#marksPastes = marksPastes;
    this.#output = output;
    input.setEncoding('utf8');
    // The terminal was closed; SIGHUP follows.
    input.on('error', () => {});
  }

  get isHeld(): boolean {
    return this.#onKey !== undefined;
  }

  /** Releases the terminal; the returned function restores the previous state. */
  lend(): () => void {
    const onKey = this.#onKey;
    this.release();
    return () => {
      if (onKey && !this.isHeld) this.hold(onKey);
    };
  }

  /** Sends keys to `onKey` from now on. */
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

  /** Resolves when everything typed until now has been delivered. */
  async catchUp(): Promise<void> {
    // The event loop reads pending input between two of these.
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
      // More input came at once, so the Enter is a line break of a paste.
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

  /** No more input came: delivers the Enter to the handler of that time. */
  #settleEnter(): void {
    this.#takeEnter()?.onKey({ type: 'key', name: 'enter' });
  }
}
