import type { AgentEvent, RunHandle } from '@agent-mux/core';
import { messageOf } from '@agent-mux/core/light';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';
import { columnsOf, wrapToWidth } from '../screen/width.ts';
import type { Interrupts } from './interrupts.ts';
import { addToHistory, readHistory } from './terminal/history.ts';
import type { PersonTerminal } from './terminal/person-terminal.ts';
import type { Waiting } from './terminal/waiting.ts';

const PROMPT = '› ';
const LEAVE: ReadonlySet<string> = new Set(['/exit', '/quit']);
const HELP = [
  'Enter sends; Alt-Enter, or a backslash at the end of a line, begins a new line; a paste is one message',
  'up and down bring back what was sent before, also in other conversations',
  'what is sent while the agent works reaches it at once where it can be steered, else after the turn',
  'Ctrl-C interrupts the turn, again ends the run; Ctrl-D, /exit or /quit leave',
];

/** Whether a line is a word to amux itself, and which. */
export function wordToAmux(text: string): 'leave' | 'help' | undefined {
  if (LEAVE.has(text.trim())) return 'leave';
  return text.trim() === '/help' ? 'help' : undefined;
}

type Typing = Pick<PersonTerminal, 'compose' | 'draft' | 'clearDraft' | 'isIdle'>;

/** A conversation at a terminal: what is typed is the next turn, or goes into the one that runs, or waits for its end. */
export class Conversation {
  readonly #handle: Pick<RunHandle, 'send' | 'steer' | 'end'>;
  readonly #terminal: Typing;
  readonly #screen: Screen;
  readonly #interrupts: Pick<Interrupts, 'betweenTurns'>;
  readonly #waiting: Pick<Waiting, 'pause'> | undefined;
  readonly #canSteer: boolean;
  readonly #queue: string[] = [];
  #inTurn = true;
  #isLeaving = false;

  constructor(given: {
    handle: Pick<RunHandle, 'send' | 'steer' | 'end'>;
    terminal: Typing;
    screen: Screen;
    interrupts: Pick<Interrupts, 'betweenTurns'>;
    waiting: Pick<Waiting, 'pause'> | undefined;
    canSteer: boolean;
  }) {
    this.#handle = given.handle;
    this.#terminal = given.terminal;
    this.#screen = given.screen;
    this.#interrupts = given.interrupts;
    this.#waiting = given.waiting;
    this.#canSteer = given.canSteer;
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
      // It was meant for a turn that went another way.
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
    const word = wordToAmux(text);
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
        this.#note('steered: the agent has it now');
        return;
      } catch {
        // The turn has just ended, or the agent takes no more.
        if (!this.#inTurn) return this.#send(text);
      }
    }
    this.#queue.push(text);
    this.#note(`queued, sent after this turn: ${toOneLine(text, 300)}`);
  }

  async #send(text: string): Promise<void> {
    this.#inTurn = true;
    this.#interrupts.betweenTurns = undefined;
    this.#echo(text);
    this.#terminal.isIdle = false;
    await this.#handle.send(text).catch((error: unknown) => {
      // What could not be sent is not lost.
      this.#terminal.draft = [text, this.#terminal.draft].filter(Boolean).join('\n');
      this.#note(messageOf(error));
      this.#becomeIdle();
    });
  }

  /** Between two turns: away with the line, then with the conversation. */
  #onInterrupt(): void {
    if (this.#terminal.draft !== '') {
      this.#terminal.clearDraft();
      return;
    }
    this.#note('Ctrl-C again or Ctrl-D leaves; /help tells the keys');
    this.#interrupts.betweenTurns = () => (this.#terminal.draft === '' ? this.#leave() : this.#onInterrupt());
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#interrupts.betweenTurns = undefined;
    if (this.#inTurn) this.#note('leaving after this turn; Ctrl-C interrupts it');
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

/** The first thing that is said; undefined: nothing. */
export function firstMessage(terminal: PersonTerminal): Promise<string | undefined> {
  const { dim, bold } = paint(process.stderr);
  const note = (text: string) => {
    for (const row of wrapToWidth(text, columnsOf(process.stderr) - 3)) terminal.echo(dim(`  ${row}`));
  };
  note('Enter sends, Ctrl-D leaves, /help tells the keys');
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
        note('Ctrl-C again or Ctrl-D leaves');
      }
    };
    process.on('SIGINT', onInterrupt);
    terminal.compose({
      prompt: PROMPT,
      history: readHistory(),
      onMessage: (text) => {
        const word = wordToAmux(text);
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
