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
  type AnswerIssue,
  findAnswersIssue,
  findOptionIssue,
  isRecord,
  messageOf,
} from '@agent-mux/core/light';
import type { Answer } from '../../schemas/request.ts';
import type { ClientNotice } from './client-events.ts';

type RequestEvent = ApprovalRequest | InputRequest;
export type Callbacks = Pick<RunOptions, 'onApprovalRequest' | 'onInputRequired'>;

export interface RequestsHost {
  callbacks: Callbacks;
  /** Sends the answer; rejects if the daemon does. */
  send(requestId: string, answer: Answer): Promise<void>;
  /** Notifies readers. */
  note(what: ClientNotice): void;
}

interface Open {
  request: RequestEvent;
  /** The caller's function was called. */
  isHandled: boolean;
}

/** Open requests of the agent. Answers are validated at once and sent in the background. */
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
        this.#open.set(event.requestId, { request: event, isHandled: false });
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

  list(): RequestEvent[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  approve(requestId: string, options: { optionId?: string; updatedInput?: unknown } = {}): void {
    const open = this.#find(requestId, 'approval_request');
    this.#settle(open, answerOf(open.request, { decision: 'allow', ...options }));
  }

  deny(requestId: string, options: { message?: string; optionId?: string } = {}): void {
    const open = this.#find(requestId, 'approval_request');
    this.#settle(open, answerOf(open.request, { decision: 'deny', ...options }));
  }

  answer(requestId: string, answers: QuestionAnswers | 'decline'): void {
    const open = this.#find(requestId, 'input_required');
    this.#settle(open, answerOf(open.request, answers === 'decline' ? { declined: true } : { answers }));
  }

  /** Calls the caller's functions for new requests. */
  askCaller(): void {
    for (const open of this.#open.values()) {
      if (open.isHandled) continue;
      open.isHandled = true;
      void this.#ask(open);
    }
  }

  async #ask(open: Open): Promise<void> {
    const { onApprovalRequest, onInputRequired } = this.#host.callbacks;
    const { request } = open;
    try {
      const answer =
        request.type === 'approval_request' ? await onApprovalRequest?.(request) : await onInputRequired?.(request);
      if (answer === undefined || !this.#isOpen(open)) return;
      this.#settle(open, answerOf(request, answer));
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
      // The agent still waits: another answer may succeed.
      if (!this.#open.has(requestId)) this.#open.set(requestId, open);
      this.#host.note({ error });
    });
  }

  #isOpen(open: Open): boolean {
    return this.#open.get(open.request.requestId) === open;
  }

  #find(requestId: string, type: RequestEvent['type']): Open {
    const open = this.#open.get(requestId);
    if (open?.request.type === type) return open;
    const ids = [...this.#open.keys()];
    const what = type === 'approval_request' ? 'approval' : 'question';
    throw new AgentMuxError('VALIDATION_ERROR', `no open ${what} "${requestId}"`, {
      hint:
        ids.length > 0
          ? `open: ${ids.join(', ')}`
          : 'no request is open: it was answered, timed out, or the turn ended',
    });
  }
}

/** Converts an answer for the daemon. Throws VALIDATION_ERROR if it was not offered. */
function answerOf(request: RequestEvent, answer: ApprovalAnswer | InputAnswer): Answer {
  if (request.type === 'approval_request') {
    if (!('decision' in answer) || (answer.decision !== 'allow' && answer.decision !== 'deny'))
      throw new AgentMuxError('VALIDATION_ERROR', 'an answer needs a decision, "allow" or "deny"');
    assertNoIssue(findOptionIssue(request.options, answer.optionId, answer.decision));
    return answer;
  }
  if ('declined' in answer) return { decision: 'decline' };
  if (!('answers' in answer) || !isRecord(answer.answers))
    throw new AgentMuxError('VALIDATION_ERROR', 'an answer needs "answers" or "declined"');
  assertNoIssue(findAnswersIssue(request.questions, answer.answers));
  return { decision: 'answer', answers: answer.answers };
}

function assertNoIssue(issue: AnswerIssue | undefined): void {
  if (issue) throw new AgentMuxError('VALIDATION_ERROR', issue.problem, { hint: issue.hint });
}
