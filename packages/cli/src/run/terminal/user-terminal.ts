import { createInterface } from 'node:readline/promises';
import type { ReadStream } from 'node:tty';
import { escapeControls } from '@agent-mux/core/light';
import { Footer, type FooterRows } from '../../screen/footer.ts';
import { paint } from '../../screen/paint.ts';
import { cut } from '../../screen/plain.ts';
import { columnsOf, widthOf, wrapToWidth } from '../../screen/width.ts';
import { layoutPrompt, stripColors } from '../position-prompt.ts';
import { Echo, isInForeground } from './echo.ts';
import { Keyboard } from './keyboard.ts';
import type { Key } from './keys.ts';
import { LineEditor, type Outcome } from './line-editor.ts';
import type { Terminal } from './terminal.ts';

/** Time does not pass for a stopped process: this fires after it resumes. */
const STOP_MS = 20;

/** Handlers of a line that can be typed at any time. */
export interface Composing {
  prompt: string;
  history: readonly string[];
  onMessage(text: string): void;
  /** Ctrl-D on an empty line. */
  onLeave(): void;
}

/**
 * The user's terminal. Prompts and input are shown on stderr, so that stdout carries only the answer, below everything written
 * meanwhile.
 */
export class UserTerminal implements Terminal {
  readonly footer: Footer;
  readonly #input: ReadStream;
  readonly #keyboard: Keyboard;
  #composing: (Composing & { editor: LineEditor }) | undefined;
  #question: { text: string; editor: LineEditor } | undefined;
  #status: string | undefined;
  /** Typed between two questions. */
  #ahead: Key[] | undefined;
  #echo: Echo | undefined;
  #stopped: NodeJS.Timeout | undefined;
  /** Set while the shell owns the terminal. */
  #takeBack: (() => void) | undefined;

  constructor(input: ReadStream) {
    this.#input = input;
    this.#keyboard = new Keyboard(input, process.stderr, { marksPastes: !this.isPlain });
    this.footer = new Footer(process.stderr);
    this.footer.forOutput = () => {
      this.#status = undefined;
      return this.#rows();
    };
    process.stderr.on('resize', this.#onResize);
    process.on('SIGTSTP', this.#onStop);
  }

  /** Disables echo while nothing is composed: typed characters would corrupt the status row. */
  hush(): void {
    this.#echo = new Echo();
    this.#echo.off();
  }

  /** Prints a permanent line; replaced by the owner of the screen. */
  echo = (line: string): void => this.footer.write(process.stderr, `${line}\n`);

  /** Ignores cursor movement. */
  get isPlain(): boolean {
    return process.env.TERM === 'dumb';
  }

  /** Sets the status row above the input. */
  set status(text: string | undefined) {
    this.#status = this.isPlain ? undefined : text;
    this.#draw();
  }

  /** Allows a line to be typed at any time. */
  compose(composing: Composing): void {
    const editor = new LineEditor(composing.history);
    editor.text = this.#composing?.editor.text ?? '';
    this.#composing = { ...composing, editor };
    this.#keyboard.hold((key) => this.#onComposed(key));
    this.#draw();
  }

  /** The current line; a message sent too early can be put back before it. */
  get draft(): string {
    return this.#composing?.editor.text ?? '';
  }

  set draft(text: string) {
    if (this.#composing) this.#composing.editor.text = text;
    this.#draw();
  }

  /** Clears the line; it stays in the history. */
  clearDraft(): void {
    this.#composing?.editor.take();
    this.#draw();
  }

  /**
   * Directs input to a question. Input typed before does not answer it: it stays in the composed line, or is reported as
   * discarded.
   */
  async attend(): Promise<void> {
    if (this.#ahead) return;
    const early = await this.#typedEarly();
    this.#ahead = [];
    this.#keyboard.hold((key) => this.#ahead?.push(key));
    if (early === '') return;
    const shown = cut(escapeControls(early.replaceAll('\n', ' ⏎ ')), 200);
    const notice = `typed before the question, so not used as an answer: ${shown}`;
    for (const row of wrapToWidth(notice, columnsOf(process.stderr) - 3))
      this.echo(paint(process.stderr).dim(`  ${row}`));
  }

  /** Ends the question: back to the composed line, or to the shell's mode. */
  dismiss(): void {
    this.#ahead = undefined;
    if (this.#composing) this.#keyboard.hold((key) => this.#onComposed(key));
    else this.#keyboard.release();
    this.#draw();
  }

  async ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted) return undefined;
    const isAlone = this.#ahead === undefined;
    await this.attend();
    try {
      return await (this.isPlain ? this.#askPlainly(question, signal) : this.#askBelow(question, signal));
    } finally {
      if (isAlone) this.dismiss();
    }
  }

  async #askBelow(question: string, signal?: AbortSignal): Promise<string | undefined> {
    const editor = new LineEditor();
    const answer = await new Promise<string | undefined>((resolve) => {
      if (signal?.aborted) return resolve(undefined);
      signal?.addEventListener('abort', () => resolve(undefined), { once: true });
      const onKey = (key: Key) => {
        const outcome = editor.press(key);
        if (outcome === 'send') this.#answered(() => resolve(editor.text));
        else if (outcome === 'end-of-input') this.#answered(() => resolve(undefined));
        else if (outcome === 'interrupt') interruptSelf(() => resolve(undefined));
        else this.#common(outcome);
        this.#draw();
      };
      this.#question = { text: question, editor };
      this.#keyboard.hold(onKey);
      this.#draw();
      for (const key of this.#ahead?.splice(0) ?? []) {
        if (this.#question) onKey(key);
        else this.#ahead?.push(key);
      }
    });
    this.#answered(() => {});
    const { above, prompt } = layoutPrompt(question, widthOf(editor.text));
    for (const row of above) this.echo(row);
    this.echo(`${prompt}${editor.text.replaceAll('\n', ' ')}`);
    return answer;
  }

  /** Further keys go to the next question. */
  #answered(resolve: () => void): void {
    this.#question = undefined;
    this.#keyboard.hold((key) => this.#ahead?.push(key));
    resolve();
  }

  close(): void {
    this.#composing = undefined;
    this.#question = undefined;
    this.#status = undefined;
    this.footer.clear();
    this.#keyboard.release();
    this.#echo?.on();
    this.#echo = undefined;
    process.stderr.off('resize', this.#onResize);
    process.off('SIGTSTP', this.#onStop);
    clearTimeout(this.#stopped);
    if (this.#input === process.stdin) this.#input.pause();
    else this.#input.destroy();
  }

  async #typedEarly(): Promise<string> {
    let early = '';
    if (!this.#composing) {
      this.#keyboard.hold((key) => {
        if (key.type !== 'key') early += key.text;
        else if (key.name === 'enter' || key.name === 'newline') early += '\n';
        else if (key.name === 'backspace') early = early.slice(0, -1);
        else if (key.name === 'interrupt') interruptSelf(() => {});
      });
    }
    await this.#keyboard.catchUp();
    return early.trim();
  }

  #onComposed(key: Key): void {
    const composing = this.#composing;
    if (!composing) return;
    const outcome = composing.editor.press(key);
    if (outcome === 'send') {
      const text = composing.editor.take();
      this.#draw();
      if (text.trim() !== '') composing.onMessage(text);
    } else if (outcome === 'end-of-input') composing.onLeave();
    else if (outcome === 'interrupt') interruptSelf(() => composing.onLeave());
    else this.#common(outcome);
    this.#draw();
  }

  #common(outcome: Outcome): void {
    if (outcome === 'redraw') this.footer.write(process.stderr, '\x1b[2J\x1b[H');
    if (outcome === 'suspend') this.#suspend();
  }

  /** Stops the whole process group, as the terminal does it: npx and a shell may be part of it. */
  #suspend(): void {
    if (process.platform === 'win32') return;
    this.#leaveTerminal();
    process.kill(0, 'SIGTSTP');
  }

  #leaveTerminal(): void {
    if (this.#takeBack) return;
    if (isInForeground()) this.footer.clear();
    this.footer.forget();
    this.#takeBack = this.#keyboard.lend();
    this.#echo?.on();
  }

  /** Returns the terminal to the shell while this process is stopped. Not stopped if no shell could resume it. */
  readonly #onStop = () => {
    this.#leaveTerminal();
    process.off('SIGTSTP', this.#onStop);
    process.kill(process.pid, 'SIGTSTP');
    this.#stopped = setTimeout(this.#onContinue, STOP_MS);
  };

  readonly #onContinue = () => {
    process.on('SIGTSTP', this.#onStop);
    this.#takeBack?.();
    this.#takeBack = undefined;
    this.#echo?.off();
    this.#onResize();
  };

  readonly #onResize = () => {
    // The row was rendered for another width; the next one follows soon.
    this.#status = undefined;
    this.footer.resize(this.#rows());
  };

  #draw(): void {
    if (!this.#takeBack) this.footer.set(this.#rows());
  }

  #rows(): FooterRows {
    if (this.isPlain) return { rows: [] };
    const columns = columnsOf(process.stderr);
    const rows: string[] = [];
    let cursor: FooterRows['cursor'];
    if (this.#status !== undefined && !this.#question) rows.push(this.#status);
    const line = this.#question
      ? { prompt: this.#question.text, editor: this.#question.editor }
      : this.#composing && (rows.length > 0 || this.#isIdle || this.draft !== '')
        ? { prompt: this.#composing.prompt, editor: this.#composing.editor }
        : undefined;
    if (line) {
      const { above, prompt } = layoutPrompt(line.prompt);
      rows.push(...above);
      const typed = line.editor.rows(prompt, widthOf(stripColors(prompt)), columns);
      cursor = { row: rows.length + typed.cursor.row, column: typed.cursor.column };
      rows.push(...typed.rows);
    }
    return { rows, ...(cursor ? { cursor } : {}) };
  }

  /** Nothing is being written, so the line is shown even if empty. */
  #isIdle = true;

  set isIdle(idle: boolean) {
    this.#isIdle = idle;
    this.#draw();
  }

  async #askPlainly(question: string, signal?: AbortSignal): Promise<string | undefined> {
    this.#keyboard.release();
    const asking = createInterface({ input: this.#input, output: process.stderr });
    asking.on('SIGINT', () => interruptSelf(() => asking.close()));
    const ended = new Promise<undefined>((resolve) => asking.once('close', () => resolve(undefined)));
    try {
      return await Promise.race([asking.question(question, signal ? { signal } : {}), ended]);
    } catch {
      return undefined;
    } finally {
      asking.close();
      this.#input.pause();
    }
  }
}

/** Ctrl-C is a key while the terminal is held: emits the signal if there is a listener, fallback calls the fallback. */
function interruptSelf(fallback: () => void): void {
  if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT');
  else fallback();
}
