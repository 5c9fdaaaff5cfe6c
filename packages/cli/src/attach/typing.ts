import type { DaemonClient, SessionEvent } from '@agent-mux/api';
import { isProblem } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core/light';
import { addToHistory, readHistory } from '../run/terminal/history.ts';
import type { PersonTerminal } from '../run/terminal/person-terminal.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';

const PROMPT = '› ';
const LEAVE: ReadonlySet<string> = new Set(['/leave', '/exit', '/quit', '/detach']);
const HELP = [
  'Enter sends; Alt-Enter, or a backslash at the end of a line, begins a new line; a paste is one message',
  'what is sent while the agent works reaches it at once where it can be steered, else after the turn',
  'up and down bring back what was sent before, also in other conversations',
  'Ctrl-C interrupts the turn, again leaves; Ctrl-D or /leave leave; the session stays',
];

interface Given {
  daemon: DaemonClient;
  session: string;
  terminal: Pick<PersonTerminal, 'compose' | 'draft' | 'isIdle'>;
  screen: Screen;
  leave(): void;
}

/** What is typed goes to the session, through the daemon: whoever leaves takes nothing along that waits. */
export class Typing {
  readonly #given: Given;
  #inTurn = false;
  #canSteer = true;

  constructor(given: Given) {
    this.#given = given;
  }

  /** From now on a line may be typed; before, it would be torn by what is shown of the past. */
  begin(): void {
    this.#given.terminal.compose({
      prompt: PROMPT,
      history: readHistory(),
      onMessage: (text) => void this.#take(text),
      onLeave: () => this.#given.leave(),
    });
    this.#given.terminal.isIdle = !this.#inTurn;
  }

  event(event: SessionEvent): void {
    if (event.type === 'turn_start') this.#inTurn = true;
    else if (['turn_end', 'run_result', 'keeper_lost'].includes(event.type)) this.#inTurn = false;
    else return;
    this.#given.terminal.isIdle = !this.#inTurn;
  }

  async #take(text: string): Promise<void> {
    const word = text.trim();
    if (LEAVE.has(word)) return this.#given.leave();
    if (word === '/help') return this.#note(...HELP);
    addToHistory(text);
    try {
      const { state } = await this.#send(text);
      if (state === 'queued' && this.#inTurn) this.#note(`queued, sent after this turn: ${toOneLine(text, 300)}`);
    } catch (error) {
      // What could not be sent is not lost.
      const { terminal } = this.#given;
      terminal.draft = [text, terminal.draft].filter(Boolean).join('\n');
      this.#note(`not sent: ${messageOf(error)}`);
    }
  }

  async #send(text: string) {
    const { daemon, session } = this.#given;
    if (this.#inTurn && this.#canSteer) {
      try {
        return await daemon.sessions.send(session, { text, mode: 'steer' });
      } catch (error) {
        if (!isProblem(error, 'CAPABILITY_ERROR', 'NO_TURN')) throw error;
        this.#canSteer = isProblem(error, 'NO_TURN');
      }
    }
    return daemon.sessions.send(session, { text, mode: 'queue' });
  }

  #note(...lines: string[]): void {
    for (const line of lines) this.#given.screen.note(line);
  }
}
