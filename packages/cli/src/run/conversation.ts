import type { AgentEvent, RunHandle } from '@agent-mux/core';
import { messageOf } from '@agent-mux/core/light';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';
import { columnsOf, wrapToWidth } from '../screen/width.ts';
import type { Interrupts } from './interrupts.ts';
import { addToHistory, readHistory } from './terminal/history.ts';
import type { StatusLine } from './terminal/status-line.ts';
import type { UserTerminal } from './terminal/user-terminal.ts';

const PROMPT = '› ';
const LEAVE: ReadonlySet<string> = new Set(['/exit', '/quit']);
const HELP = [
  'Enter sends; Alt-Enter, or a backslash at the end of a line, starts a new line; a paste is one message',
  'up and down recall earlier messages, also from other conversations',
  'a message sent during a turn steers the agent if it supports that; otherwise it is queued',
  'Ctrl-C interrupts the turn, again aborts the run; Ctrl-D, /exit or /quit exit',
];

/** Parses a line as a command to amux. */
export function parseSlashCommand(text: string): 'leave' | 'help' | undefined {
  if (LEAVE.has(text.trim())) return 'leave';
  return text.trim() === '/help' ? 'help' : undefined;
}

type Typing = Pick<UserTerminal, 'compose' | 'draft' | 'clearDraft' | 'isIdle'>;

/** A conversation at a terminal: a typed message starts the next turn, steers the running one, or is queued. */
export class Conversation {
  readonly #handle: Pick<RunHandle, 'send' | 'steer' | 'end'>;
  readonly #terminal: Typing;
  readonly #screen: Screen;
  readonly #interrupts: Pick<Interrupts, 'betweenTurns'>;
  readonly #waiting: Pick<StatusLine, 'pause'> | undefined;
  readonly #canSteer: boolean;
  readonly #queue: string[] = [];
  #inTurn = true;
  #isLeaving = false;

  constructor(options: {
    handle: Pick<RunHandle, 'send' | 'steer' | 'end'>;
    terminal: Typing;
    screen: Screen;
    interrupts: Pick<Interrupts, 'betweenTurns'>;
    waiting: Pick<StatusLine, 'pause'> | undefined;
    canSteer: boolean;
  }) {
    this.#handle = options.handle;
    this.#terminal = options.terminal;
    this.#screen = options.screen;
    this.#interrupts = options.interrupts;
    this.#waiting = options.waiting;
    this.#canSteer = options.canSteer;
    this.#terminal.isIdle = false;
    this.#terminal.compose({
      prompt: PROMPT,
      history: readHistory(),
      onMessage: (text) => void this.#take(text),
      onLeave: () => this.#leave(),
    });
  }

  event(event: AgentEvent): void {
    if (event.type === 'turn_start') {
      this.#inTurn = true;
      this.#interrupts.betweenTurns = undefined;
      this.#terminal.isIdle = false;
    } else if (event.type === 'turn_end') {
      this.#inTurn = false;
      this.#afterTurn(event.status === 'interrupted');
    }
  }

  #afterTurn(isInterrupted: boolean): void {
    if (this.#isLeaving) return;
    if (isInterrupted && this.#queue.length > 0) {
      // The message was meant for the interrupted turn.
      this.#terminal.draft = [...this.#queue.splice(0), this.#terminal.draft].filter(Boolean).join('\n');
    }
    const next = this.#queue.shift();
    if (next !== undefined) {
      void this.#send(next);
      return;
    }
    this.#becomeIdle();
  }

  #becomeIdle(): void {
    this.#inTurn = false;
    this.#waiting?.pause();
    this.#interrupts.betweenTurns = () => this.#onInterrupt();
    this.#terminal.isIdle = true;
  }

  async #take(text: string): Promise<void> {
    const word = parseSlashCommand(text);
    if (word === 'leave') return this.#leave();
    if (word === 'help') {
      for (const line of HELP) this.#note(line);
      return;
    }
    addToHistory(text);
    if (!this.#inTurn) return this.#send(text);
    if (this.#canSteer) {
      try {
        await this.#handle.steer(text);
        this.#echo(text);
        this.#note('steered: delivered to the running turn');
        return;
      } catch {
        // The turn has just ended, or the agent does not accept steering.
        if (!this.#inTurn) return this.#send(text);
      }
    }
    this.#queue.push(text);
    this.#note(`queued until the turn ends: ${toOneLine(text, 300)}`);
  }

  async #send(text: string): Promise<void> {
    this.#inTurn = true;
    this.#interrupts.betweenTurns = undefined;
    this.#echo(text);
    this.#terminal.isIdle = false;
    await this.#handle.send(text).catch((error: unknown) => {
      // A message that could not be sent returns to the input line.
      this.#terminal.draft = [text, this.#terminal.draft].filter(Boolean).join('\n');
      this.#note(messageOf(error));
      this.#becomeIdle();
    });
  }

  /** Ctrl-C between two turns: clears the line first, then exits. */
  #onInterrupt(): void {
    if (this.#terminal.draft !== '') {
      this.#terminal.clearDraft();
      return;
    }
    this.#note('Ctrl-C again or Ctrl-D exits; /help lists the keys');
    this.#interrupts.betweenTurns = () => (this.#terminal.draft === '' ? this.#leave() : this.#onInterrupt());
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#interrupts.betweenTurns = undefined;
    if (this.#inTurn) this.#note('exiting after this turn; Ctrl-C interrupts it');
    if (this.#queue.length > 0) this.#note(`not sent: ${this.#queue.map((text) => toOneLine(text, 300)).join(' · ')}`);
    this.#terminal.isIdle = false;
    void this.#handle.end().catch(() => {});
  }

  #echo(text: string): void {
    const { paint } = this.#screen;
    const [first = '', ...rest] = text.trimEnd().split('\n');
    this.#screen.loud(paint.bold(`${PROMPT}${first}`));
    for (const line of rest) this.#screen.loud(paint.bold(`  ${line}`));
  }

  #note(text: string): void {
    this.#screen.note(text);
  }
}

/** Reads the first message; undefined if there is none. */
export function firstMessage(terminal: UserTerminal): Promise<string | undefined> {
  const { dim, bold } = paint(process.stderr);
  const note = (text: string) => {
    for (const row of wrapToWidth(text, columnsOf(process.stderr) - 3)) terminal.echo(dim(`  ${row}`));
  };
  note('Enter sends, Ctrl-D exits, /help lists the keys');
  return new Promise((resolve) => {
    let isWarned = false;
    const done = (text?: string) => {
      process.off('SIGINT', onInterrupt);
      terminal.isIdle = false;
      if (text !== undefined) terminal.echo(`${bold(`${PROMPT}${text.trimEnd().replaceAll('\n', '\n  ')}`)}\n`);
      resolve(text);
    };
    const onInterrupt = () => {
      if (terminal.draft !== '') terminal.clearDraft();
      else if (isWarned) done();
      else {
        isWarned = true;
        note('Ctrl-C again or Ctrl-D exits');
      }
    };
    process.on('SIGINT', onInterrupt);
    terminal.compose({
      prompt: PROMPT,
      history: readHistory(),
      onMessage: (text) => {
        const word = parseSlashCommand(text);
        if (word === 'help') for (const line of HELP) note(line);
        else if (word === 'leave') done();
        else {
          addToHistory(text);
          done(text);
        }
      },
      onLeave: () => done(),
    });
  });
}
