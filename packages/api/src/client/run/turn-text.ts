import type { AgentEvent } from '@agent-mux/core';
import { TextBuffer } from '@agent-mux/core/light';

/** Maximum number of characters part per turn: its start. */
const MAX_TEXT_CHARS = 64 * 1024 * 1024;

/** The agent's text in the current turn. */
export class TurnText {
  #messages: TextBuffer[] = [];
  #chars = 0;

  take(event: AgentEvent): void {
    switch (event.type) {
      case 'turn_start':
        this.#messages = [];
        this.#chars = 0;
        break;
      case 'message_start':
        if (event.parentToolCallId === undefined) this.#messages.push(new TextBuffer());
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
    const part = delta.slice(0, Math.max(0, MAX_TEXT_CHARS - this.#chars));
    if (this.#messages.length === 0) this.#messages.push(new TextBuffer());
    this.#messages.at(-1)!.add(part);
    this.#chars += part.length;
  }
}
