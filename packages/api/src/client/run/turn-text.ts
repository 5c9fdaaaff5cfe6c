import type { AgentEvent } from '@agent-mux/core';
import { GrowingText } from '@agent-mux/core/light';

/** So much of a turn's text is kept: its beginning. */
const MAX_TEXT_CHARS = 64 * 1024 * 1024;

/** What the agent has said in the turn so far. */
export class TurnText {
  #messages: GrowingText[] = [];
  #chars = 0;

  take(event: AgentEvent): void {
    switch (event.type) {
      case 'turn_start':
        this.#messages = [];
        this.#chars = 0;
        break;
      case 'message_start':
        if (event.parentToolCallId === undefined) this.#messages.push(new GrowingText());
        break;
      case 'message_discard':
        this.#chars -= this.#messages.pop()?.length ?? 0;
        break;
      case 'text_delta':
        if (event.parentToolCallId === undefined) this.#add(event.delta);
        break;
    }
  }

  toString(): string {
    return this.#messages
      .map(String)
      .filter((text) => text !== '')
      .join('\n\n');
  }

  #add(delta: string): void {
    const kept = delta.slice(0, Math.max(0, MAX_TEXT_CHARS - this.#chars));
    if (this.#messages.length === 0) this.#messages.push(new GrowingText());
    this.#messages.at(-1)!.add(kept);
    this.#chars += kept.length;
  }
}
