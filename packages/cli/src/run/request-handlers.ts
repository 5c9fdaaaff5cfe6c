import type { Remember } from '@agent-mux/api';
import type { AgentEvent, ApprovalRequest, InputRequest } from '@agent-mux/core';
import { escapeControls, summarizeRequest } from '@agent-mux/core/light';

/** Handles the requests of an agent. */
export interface RequestHandler {
  event(event: AgentEvent): void;
  /** Number of requests denied for lack of a terminal. */
  readonly notAsked?: number;
}

/** The part of a run handle needed to answer requests. */
export interface Answers {
  approve(requestId: string, options?: { optionId?: string; remember?: Remember }): void;
  deny(requestId: string, options?: { message?: string; optionId?: string }): void;
  answer(requestId: string, answers: Record<string, string[]> | 'decline'): void;
  pending(): readonly (ApprovalRequest | InputRequest)[];
}

/** Without a terminal: denies every request at once and reports it on stderr. */
export class DenyAll implements RequestHandler {
  readonly #answers: Answers;
  readonly #say: (text: string) => void;
  notAsked = 0;

  constructor(answers: Answers, say: (text: string) => void) {
    this.#answers = answers;
    this.#say = say;
  }

  event(event: AgentEvent): void {
    if (!isOpen(this.#answers, event)) return;
    this.notAsked += 1;
    if (event.type === 'approval_request') {
      this.#answers.deny(event.requestId, { message: 'no terminal to ask on' });
      const { title } = summarizeRequest(event);
      this.#say(`denied, no terminal to ask on: ${title} (use --approval-mode to decide in advance)`);
    } else if (event.type === 'input_required') {
      this.#answers.answer(event.requestId, 'decline');
      this.#say(
        `not answered, no terminal to ask on: ${event.questions.map((q) => escapeControls(q.question)).join(' ')}`,
      );
    }
  }
}

/** For the demo without a terminal: allows everything and reports it. */
export class AllowAll implements RequestHandler {
  readonly #answers: Answers;
  readonly #say: (text: string) => void;

  constructor(answers: Answers, say: (text: string) => void) {
    this.#answers = answers;
    this.#say = say;
  }

  event(event: AgentEvent): void {
    if (!isOpen(this.#answers, event)) return;
    if (event.type === 'approval_request') {
      this.#say(`approved automatically, no terminal to ask on: ${summarizeRequest(event).title}`);
      this.#answers.approve(event.requestId);
    } else if (event.type === 'input_required') this.#answers.answer(event.requestId, 'decline');
  }
}

/** False if an approval mode has already answered the request. */
export function isOpen(answers: Answers, event: AgentEvent): event is ApprovalRequest | InputRequest {
  if (event.type !== 'approval_request' && event.type !== 'input_required') return false;
  return answers.pending().some(({ requestId }) => requestId === event.requestId);
}
