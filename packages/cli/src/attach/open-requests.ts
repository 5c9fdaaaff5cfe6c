import type { Answer, DaemonClient, Remember, Request } from '@agent-mux/api';
import type { ApprovalRequest, InputRequest } from '@agent-mux/core';
import { messageOf } from '@agent-mux/core/light';
import { openRequests } from '../daemon/pages.ts';
import { withWholeTexts } from '../requests/blobs.ts';
import { eventOf } from '../requests/event-of.ts';
import type { Answers } from '../run/request-handlers.ts';

/** Open requests of the session and how to answer them. */
export class OpenRequests implements Answers {
  readonly #daemon: DaemonClient;
  readonly #session: string;
  readonly #say: (text: string) => void;
  /** By the agent's request id, which is unique among open requests. */
  #open = new Map<string, Request>();
  readonly #answeredHere = new Set<string>();

  constructor(daemon: DaemonClient, session: string, say: (text: string) => void) {
    this.#daemon = daemon;
    this.#session = session;
    this.#say = say;
  }

  /** Queries the daemon and returns the open requests. */
  async refresh(): Promise<(ApprovalRequest | InputRequest)[]> {
    const open = await openRequests(this.#daemon, this.#session);
    const whole = await Promise.all(
      open.map(async (request) => ({ ...request, event: await withWholeTexts(this.#daemon, request.event) })),
    );
    this.#open = new Map(whole.map((request) => [request.agentRequestId, request]));
    return this.pending();
  }

  pending(): (ApprovalRequest | InputRequest)[] {
    return [...this.#open.values()].map(eventOf);
  }

  /** True if it was open and another client has answered it. */
  resolved(requestId: string): boolean {
    const wasOpen = this.#open.delete(requestId);
    return wasOpen && !this.#answeredHere.has(requestId);
  }

  approve(requestId: string, options: { optionId?: string; remember?: Remember } = {}): void {
    this.#give(requestId, { decision: 'allow', ...options });
  }

  deny(requestId: string, options: { message?: string; optionId?: string } = {}): void {
    this.#give(requestId, { decision: 'deny', ...options });
  }

  answer(requestId: string, answers: Record<string, string[]> | 'decline'): void {
    this.#give(requestId, answers === 'decline' ? { decision: 'decline' } : { decision: 'answer', answers });
  }

  #give(requestId: string, answer: Answer): void {
    const request = this.#open.get(requestId);
    if (!request) return;
    this.#answeredHere.add(requestId);
    this.#daemon.requests.answer(request.id, answer).catch((error: unknown) => {
      this.#answeredHere.delete(requestId);
      this.#say(`the answer was rejected: ${messageOf(error)}; run "amux inbox" to list open requests`);
    });
  }
}
