import type { DaemonClient, SessionEvent } from '@agent-mux/api';
import { isProblem } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core/light';
import { addToHistory, readHistory } from '../run/terminal/history.ts';
import type { UserTerminal } from '../run/terminal/user-terminal.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';

const PROMPT = '› ';
const LEAVE: ReadonlySet<string> = new Set(['/leave', '/exit', '/quit', '/detach']);
const HELP = [
  'Enter sends; Alt-Enter, or a backslash at the end of a line, starts a new line; a paste is one message',
  'a message sent during a turn steers the agent if it supports that; otherwise it is queued',
  'up and down recall earlier messages, also from other conversations',
  'Ctrl-C interrupts the turn, again detaches; Ctrl-D or /leave detach; the session keeps running',
];

interface TypingOptions {
  daemon: DaemonClient;
  session: string;
  terminal: Pick<UserTerminal, 'compose' | 'draft' | 'isIdle'>;
  screen: Screen;
  leave(): void;
}

/** Sends typed messages to the session through the daemon, so that detaching loses no queued message. */
export class AttachInput {
  readonly #options: TypingOptions;
  #inTurn = false;
  #canSteer = true;

  constructor(options: TypingOptions) {
    this.#options = options;
  }

  /** Enables typing; called once past events are shown, which would interleave with the input line. */
  start(): void {
    this.#options.terminal.compose({
      prompt: PROMPT,
      history: readHistory(),
      onMessage: (text) => void this.#take(text),
      onLeave: () => this.#options.leave(),
    });
    this.#options.terminal.isIdle = !this.#inTurn;
  }

  event(event: SessionEvent): void {
    if (event.type === 'turn_start') this.#inTurn = true;
    else if (['turn_end', 'run_result', 'keeper_lost'].includes(event.type)) this.#inTurn = false;
    else return;
    this.#options.terminal.isIdle = !this.#inTurn;
  }

  async #take(text: string): Promise<void> {
    const word = text.trim();
    if (LEAVE.has(word)) return this.#options.leave();
    if (word === '/help') return this.#note(...HELP);
    addToHistory(text);
    try {
      const { state } = await this.#send(text);
      if (state === 'queued' && this.#inTurn) this.#note(`queued until the turn ends: ${toOneLine(text, 300)}`);
    } catch (error) {
      // A message that could not be sent returns to the input line.
      const { terminal } = this.#options;
      terminal.draft = [text, terminal.draft].filter(Boolean).join('\n');
      this.#note(`not sent: ${messageOf(error)}`);
    }
  }

  async #send(text: string) {
    const { daemon, session } = this.#options;
    if (this.#inTurn && this.#canSteer) {
      try {
        return await daemon.sessions.send(session, { text, mode: 'steer' });
      } catch (error) {
        if (!isProblem(error, 'CAPABILITY_ERROR', 'NO_ACTIVE_TURN')) throw error;
        this.#canSteer = isProblem(error, 'NO_ACTIVE_TURN');
      }
    }
    return daemon.sessions.send(session, { text, mode: 'queue' });
  }

  #note(...lines: string[]): void {
    for (const line of lines) this.#options.screen.note(line);
  }
}
