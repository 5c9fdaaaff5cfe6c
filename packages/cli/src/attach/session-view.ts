import type { SessionEvent } from '@agent-mux/api';
import type { AgentEvent } from '@agent-mux/core';
import { withPreviews } from '../requests/blobs.ts';
import type { TextView } from '../run/text-view.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';

/** Shows a session: its runs as `amux run` shows them, and the messages between them. */
export class SessionView {
  readonly #screen: Screen;
  readonly #text: TextView;

  constructor(screen: Screen, text: TextView) {
    this.#screen = screen;
    this.#text = text;
  }

  event(stored: SessionEvent): void | Promise<void> {
    const event = withPreviews(stored);
    if (event.type === 'user_message') this.#said(event);
    else if (event.type === 'keeper_lost') this.#warn(event.message);
    else if (isAgentEvent(event)) return this.#text.event(event);
  }

  #said({ text, attachments, delivery }: Extract<SessionEvent, { type: 'user_message' }>): void {
    this.#text.tools.close();
    const { paint } = this.#screen;
    const [first = '', ...rest] = text
      .trimEnd()
      .split('\n')
      .flatMap((line) => this.#screen.rows(line, ''));
    if (delivery === 'turn') this.#screen.space();
    this.#screen.loud(paint.bold(`› ${first}`));
    for (const line of rest) this.#screen.loud(paint.bold(`  ${line}`));
    if (attachments.length > 0)
      this.#screen.note(`with ${attachments.map(({ name }) => toOneLine(name, 100)).join(', ')}`);
    if (delivery === 'steer') this.#screen.note('steered: delivered to the running turn');
  }

  #warn(text: string): void {
    this.#screen.loud(`${this.#screen.paint.yellow('!')} ${toOneLine(text, 400)}`);
  }
}

export function isAgentEvent(event: SessionEvent): event is AgentEvent {
  return event.type !== 'user_message' && event.type !== 'keeper_lost' && event.type !== 'run_result';
}
