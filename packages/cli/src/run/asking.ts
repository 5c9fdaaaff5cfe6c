import type { Remember } from '@agent-mux/api';
import type { AgentEvent, ApprovalRequest, InputRequest } from '@agent-mux/core';
import { makeVisible, summarizeRequest } from '@agent-mux/core/light';

/** Who answers what an agent asks. */
export interface Answerer {
  event(event: AgentEvent): void;
  /** So many were denied because there was nobody to ask. */
  readonly notAsked?: number;
}

/** The part of a run's handle that answers need. */
export interface Answers {
  approve(requestId: string, options?: { optionId?: string; remember?: Remember }): void;
  deny(requestId: string, options?: { message?: string; optionId?: string }): void;
  answer(requestId: string, answers: Record<string, string[]> | 'decline'): void;
  pending(): readonly (ApprovalRequest | InputRequest)[];
}

/** Nobody is there: what would be asked is refused at once and said on stderr. */
export class Refusing implements Answerer {
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
      this.#answers.deny(event.requestId, { message: 'there is no terminal on which somebody could be asked' });
      const { title } = summarizeRequest(event);
      this.#say(`denied, since there is no terminal to ask on: ${title} (--approval-mode decides it beforehand)`);
    } else if (event.type === 'input_required') {
      this.#answers.answer(event.requestId, 'decline');
      this.#say(
        `not answered, since there is no terminal: ${event.questions.map((q) => makeVisible(q.question)).join(' ')}`,
      );
    }
  }
}

/** For a demonstration without a person: everything is allowed, and said. */
export class Agreeing implements Answerer {
  readonly #answers: Answers;
  readonly #say: (text: string) => void;

  constructor(answers: Answers, say: (text: string) => void) {
    this.#answers = answers;
    this.#say = say;
  }

  event(event: AgentEvent): void {
    if (!isOpen(this.#answers, event)) return;
    if (event.type === 'approval_request') {
      this.#say(`approved for you, since there is no terminal: ${summarizeRequest(event).title}`);
      this.#answers.approve(event.requestId);
    } else if (event.type === 'input_required') this.#answers.answer(event.requestId, 'decline');
  }
}

/** An approval mode may have answered before anybody was asked. */
export function isOpen(answers: Answers, event: AgentEvent): event is ApprovalRequest | InputRequest {
  if (event.type !== 'approval_request' && event.type !== 'input_required') return false;
  return answers.pending().some(({ requestId }) => requestId === event.requestId);
}
