import type {
  AgentEvent,
  ApprovalAnswer,
  ApprovalRequest,
  InputAnswer,
  InputRequest,
  QuestionAnswers,
  RunOptions,
} from '@agent-mux/core';
import {
  AgentMuxError,
  type AnswerFault,
  findAnswersFault,
  findOptionFault,
  isRecord,
  messageOf,
} from '@agent-mux/core/light';
import type { Answer } from '../../schemas/request.ts';
import type { RunNote } from './own-notes.ts';

type Asked = ApprovalRequest | InputRequest;
export type Callbacks = Pick<RunOptions, 'onApprovalRequest' | 'onInputRequired'>;

export interface RequestsHost {
  callbacks: Callbacks;
  /** Tells the daemon; rejects where it refuses. */
  send(requestId: string, answer: Answer): Promise<void>;
  /** Something that readers are to know of. */
  note(what: RunNote): void;
}

interface Open {
  request: Asked;
  /** The caller's function was asked. */
  isAsked: boolean;
}

/** What the agent has asked and nobody has answered. Answers are checked here, at once, and sent in the background. */
export class OpenRequests {
  readonly #host: RequestsHost;
  readonly #open = new Map<string, Open>();

  constructor(host: RequestsHost) {
    this.#host = host;
  }

  take(event: AgentEvent): void {
    switch (event.type) {
      case 'approval_request':
      case 'input_required':
        this.#open.set(event.requestId, { request: event, isAsked: false });
        break;
      case 'approval_resolved':
      case 'input_resolved':
        this.#open.delete(event.requestId);
        break;
      case 'session_end':
        this.clear();
        break;
    }
  }

  clear(): void {
    this.#open.clear();
  }

  list(): Asked[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  approve(requestId: string, given: { optionId?: string; updatedInput?: unknown } = {}): void {
    const open = this.#find(requestId, 'approval_request');
    this.#settle(open, answerOf(open.request, { decision: 'allow', ...given }));
  }

  deny(requestId: string, given: { message?: string; optionId?: string } = {}): void {
    const open = this.#find(requestId, 'approval_request');
    this.#settle(open, answerOf(open.request, { decision: 'deny', ...given }));
  }

  answer(requestId: string, answers: QuestionAnswers | 'decline'): void {
    const open = this.#find(requestId, 'input_required');
    this.#settle(open, answerOf(open.request, answers === 'decline' ? { declined: true } : { answers }));
  }

  /** Asks the caller's functions about what is open and they have not been asked. */
  askCaller(): void {
    for (const open of this.#open.values()) {
      if (open.isAsked) continue;
      open.isAsked = true;
      void this.#ask(open);
    }
  }

  async #ask(open: Open): Promise<void> {
    const { onApprovalRequest, onInputRequired } = this.#host.callbacks;
    const { request } = open;
    try {
      const given =
        request.type === 'approval_request' ? await onApprovalRequest?.(request) : await onInputRequired?.(request);
      if (given === undefined || !this.#isOpen(open)) return;
      this.#settle(open, answerOf(request, given));
    } catch (error) {
      if (!this.#isOpen(open)) return;
      const message = `the handler failed: ${messageOf(error)}`;
      this.#host.note({ code: 'handler_failed', message });
      this.#settle(open, request.type === 'approval_request' ? { decision: 'deny', message } : { decision: 'decline' });
    }
  }

  #settle(open: Open, answer: Answer): void {
    const { requestId } = open.request;
    this.#open.delete(requestId);
    this.#host.send(requestId, answer).catch((error: unknown) => {
      // The agent still waits: whoever answers next may succeed.
      if (!this.#open.has(requestId)) this.#open.set(requestId, open);
      this.#host.note({ error });
    });
  }

  #isOpen(open: Open): boolean {
    return this.#open.get(open.request.requestId) === open;
  }

  #find(requestId: string, type: Asked['type']): Open {
    const open = this.#open.get(requestId);
    if (open?.request.type === type) return open;
    const ids = [...this.#open.keys()];
    const what = type === 'approval_request' ? 'approval' : 'question';
    throw new AgentMuxError('VALIDATION_ERROR', `no open ${what} "${requestId}"`, {
      hint:
        ids.length > 0 ? `open: ${ids.join(', ')}` : 'nothing is open: it was answered, timed out, or the turn ended',
    });
  }
}

/** As the daemon takes it. Throws VALIDATION_ERROR for what was not offered. */
function answerOf(request: Asked, given: ApprovalAnswer | InputAnswer): Answer {
  if (request.type === 'approval_request') {
    if (!('decision' in given) || (given.decision !== 'allow' && given.decision !== 'deny'))
      throw new AgentMuxError('VALIDATION_ERROR', 'an answer needs a decision, "allow" or "deny"');
    refuse(findOptionFault(request.options, given.optionId, given.decision));
    return given;
  }
  if ('declined' in given) return { decision: 'decline' };
  if (!('answers' in given) || !isRecord(given.answers))
    throw new AgentMuxError('VALIDATION_ERROR', 'an answer needs answers, or declined');
  refuse(findAnswersFault(request.questions, given.answers));
  return { decision: 'answer', answers: given.answers };
}

function refuse(fault: AnswerFault | undefined): void {
  if (fault) throw new AgentMuxError('VALIDATION_ERROR', fault.problem, { hint: fault.hint });
}
