import { summarizeRequest } from '../../approvals/summarize-request.ts';
import { type AnswerIssue, findAnswersIssue, findOptionIssue } from '../../approvals/validate-answer.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import type { EventBody } from '../../contract/events.ts';
import type { RequestAnswer } from '../../contract/live.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  InputAnswer,
  InputRequest,
  PendingRequest,
  QuestionAnswers,
  ResolvedRunOptions,
} from '../../contract/options.ts';
import type { ApprovalPolicy } from '../../contract/policy.ts';
import type { ToolKind } from '../../contract/tool-kinds.ts';
import { isRecord, messageOf } from '../../values.ts';
import { asRunError } from './failure.ts';

/** Maximum number of open requests; further ones are denied. */
const MAX_OPEN_REQUESTS = 256;

type ApprovalBody = Extract<EventBody, { type: 'approval_request' }>;
type InputBody = Extract<EventBody, { type: 'input_required' }>;
type ApprovalResolution = Extract<EventBody, { type: 'approval_resolved' }>;
type InputResolution = Extract<EventBody, { type: 'input_resolved' }>;
type By = 'caller' | 'policy' | 'timeout' | 'agent';

interface Open {
  request: PendingRequest;
  /** The event, once it has been written. */
  body: ApprovalBody | InputBody;
  timer: NodeJS.Timeout | undefined;
}

export interface RequestsHost {
  options: () => ResolvedRunOptions;
  /** Decides before a person is request. */
  policy?: ApprovalPolicy;
  write(body: EventBody, raw?: string): void;
  /** Sends the answer to the agent. */
  resolve(request: PendingRequest, answer: RequestAnswer): void;
  /** Called if the agent will never receive an answer. */
  undeliverable(error: unknown): void;
  /** Called when a request opens or the last one closes. */
  changed(waiting: boolean): void;
}

/** Open requests of the agent. Each is answered exactly once: by the caller, a policy, or a timeout. */
export class PendingRequests {
  readonly #host: RequestsHost;
  readonly #open = new Map<string, Open>();

  constructor(host: RequestsHost) {
    this.#host = host;
  }

  get waiting(): boolean {
    return this.#open.size > 0;
  }

  list(): (ApprovalRequest | InputRequest)[] {
    // Once written, a body carries its envelope.
    return [...this.#open.values()].map(({ body }) => body as ApprovalRequest | InputRequest);
  }

  ask(body: ApprovalBody | InputBody, raw?: string): void {
    // The agent repeated the request.
    if (this.#open.has(body.requestId)) return;
    const request: PendingRequest =
      body.type === 'approval_request'
        ? { kind: 'approval', requestId: body.requestId, toolName: body.toolName, options: body.options }
        : { kind: 'input', requestId: body.requestId };
    const { approvalTimeout = 0 } = this.#host.options();
    const open: Open = { request, body, timer: undefined };
    const tooMany = this.#open.size >= MAX_OPEN_REQUESTS;
    this.#open.set(body.requestId, open);
    const policy = body.type === 'approval_request' ? this.#decide(body) : undefined;
    if (!policy && !tooMany && approvalTimeout > 0) {
      body.expiresAt = Date.now() + approvalTimeout;
      open.timer = setTimeout(() => this.#expire(open), approvalTimeout);
    }
    if (body.type === 'approval_request') body.summary = summarizeRequest(body).lines;
    this.#host.write(body, raw);
    // A listener may have answered already.
    if (!this.#isOpen(open)) return;
    if (policy) {
      this.#settle(open, { kind: 'approval', answer: policy.answer }, 'policy', policy.rule);
      return;
    }
    if (tooMany) {
      this.#settle(open, denial(open, `${MAX_OPEN_REQUESTS} requests are already open`), 'policy');
      return;
    }
    this.#host.changed(true);
    void this.#askCaller(open);
  }

  approve(requestId: string, answer: { optionId?: string; updatedInput?: unknown } = {}): void {
    const open = this.#find(requestId, 'approval');
    this.#checkOption(open, answer.optionId, 'allow');
    this.#settle(open, { kind: 'approval', answer: { decision: 'allow', ...answer } }, 'caller');
  }

  deny(requestId: string, answer: { message?: string; optionId?: string } = {}): void {
    const open = this.#find(requestId, 'approval');
    this.#checkOption(open, answer.optionId, 'deny');
    this.#settle(open, { kind: 'approval', answer: { decision: 'deny', ...answer } }, 'caller');
  }

  answer(requestId: string, answers: QuestionAnswers | 'decline'): void {
    const open = this.#find(requestId, 'input');
    if (answers !== 'decline') checkAnswers(open, answers);
    this.#settle(open, { kind: 'input', answer: answers === 'decline' ? { declined: true } : { answers } }, 'caller');
  }

  /** The agent has withdrawn its request; it needs no answer. */
  withdraw(body: ApprovalResolution | InputResolution, raw?: string): void {
    const open = this.#open.get(body.requestId);
    if (!open) return;
    this.#forget(open);
    this.#host.write(body, raw);
    this.#host.changed(this.waiting);
  }

  /** The turn or the run is over: withdraws open requests. */
  cancelAll(by: By): void {
    for (const open of [...this.#open.values()]) this.#settle(open, { kind: 'cancelled' }, by);
  }

  /** The approval mode is set by the caller: rules decide only what it leaves open. */
  #decide(body: ApprovalBody): { answer: ApprovalAnswer; rule?: string } | undefined {
    const options = this.#host.options();
    const answer = policyAnswer(body, options);
    if (answer) return { answer };
    const { agent, cwd, runId, invocation } = options;
    const request = { ...body, kind: body.kind ?? 'other' };
    try {
      return this.#host.policy?.answer(request, { agent, cwd, runId, isLocal: invocation.mode === 'local' });
    } catch (error) {
      const message = `the policy failed, falling back to asking: ${messageOf(error)}`;
      this.#host.write({ type: 'debug', level: 'warn', code: 'handler_failed', message });
      return undefined;
    }
  }

  async #askCaller(open: Open): Promise<void> {
    const { onApprovalRequest, onInputRequired } = this.#host.options();
    try {
      if (open.body.type === 'approval_request') {
        const answer = await onApprovalRequest?.(open.body as ApprovalRequest);
        if (answer === undefined || !this.#isOpen(open)) return;
        if (answer?.decision !== 'allow' && answer?.decision !== 'deny')
          throw new AgentMuxError('VALIDATION_ERROR', 'an answer requires a decision: "allow" or "deny"');
        this.#checkOption(open, answer.optionId, answer.decision);
        this.#settle(open, { kind: 'approval', answer }, 'caller');
      } else {
        const answer = await onInputRequired?.(open.body as InputRequest);
        if (answer === undefined || !this.#isOpen(open)) return;
        if (!isRecord(answer) || !('declined' in answer || isRecord(answer.answers)))
          throw new AgentMuxError('VALIDATION_ERROR', 'an answer requires "answers" or "declined"');
        if ('answers' in answer) checkAnswers(open, answer.answers);
        this.#settle(open, { kind: 'input', answer }, 'caller');
      }
    } catch (error) {
      if (!this.#isOpen(open)) return;
      const message = `the handler failed: ${messageOf(error)}`;
      this.#host.write({ type: 'debug', level: 'warn', code: 'handler_failed', message });
      this.#settle(open, denial(open, message), 'policy');
    }
  }

  #expire(open: Open): void {
    if (this.#isOpen(open)) this.#settle(open, denial(open, 'no answer in time'), 'timeout');
  }

  #isOpen(open: Open): boolean {
    return this.#open.get(open.request.requestId) === open;
  }

  #forget(open: Open): void {
    clearTimeout(open.timer);
    this.#open.delete(open.request.requestId);
  }

  #settle(open: Open, answer: RequestAnswer, by: By, rule?: string): void {
    this.#forget(open);
    let undelivered = this.#send(open, answer);
    let sent = answer;
    // An agent that waits forever is worse than one that is denied.
    if (undelivered && allows(answer)) {
      sent = denial(open, 'the answer could not be sent');
      undelivered = this.#send(open, sent);
    }
    const isDelivered = sent === answer;
    this.#host.write(resolution(open, sent, isDelivered ? by : 'policy', isDelivered ? rule : undefined));
    this.#host.changed(this.waiting);
    if (undelivered) this.#host.undeliverable(undelivered.error);
  }

  #send(open: Open, answer: RequestAnswer): { error: unknown } | undefined {
    try {
      this.#host.resolve(open.request, answer);
      return undefined;
    } catch (error) {
      this.#host.write({ type: 'error', ...asRunError(error), recoverable: true });
      return { error };
    }
  }

  #find(requestId: string, kind: PendingRequest['kind']): Open {
    const open = this.#open.get(requestId);
    if (open?.request.kind === kind) return open;
    const ids = [...this.#open.keys()];
    throw new AgentMuxError(
      'VALIDATION_ERROR',
      `no open ${kind === 'approval' ? 'approval' : 'question'} "${requestId}"`,
      {
        hint:
          ids.length > 0
            ? `open: ${ids.join(', ')}`
            : 'no request is open: it was answered, timed out, or the turn ended',
      },
    );
  }

  #checkOption(open: Open, optionId: string | undefined, decision: 'allow' | 'deny'): void {
    if (open.body.type === 'approval_request') refuse(findOptionIssue(open.body.options, optionId, decision));
  }
}

function checkAnswers({ body }: Open, answers: QuestionAnswers): void {
  if (body.type === 'input_required') refuse(findAnswersIssue(body.questions, answers));
}

function refuse(issue: AnswerIssue | undefined): void {
  if (issue) throw new AgentMuxError('VALIDATION_ERROR', issue.problem, { hint: issue.hint });
}

const LOOKS: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search']);
const CHANGES: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'delete', 'move']);

/** What the approval mode alone decides, if the agent asks in spite of it. */
function policyAnswer(body: ApprovalBody, options: ResolvedRunOptions): ApprovalAnswer | undefined {
  switch (options.approvalMode) {
    case 'yolo':
      return { decision: 'allow' };
    case 'deny':
      return { decision: 'deny', message: 'denied by approvalMode "deny"' };
    case 'plan':
      return body.kind && LOOKS.has(body.kind)
        ? undefined
        : { decision: 'deny', message: 'plan mode: nothing is changed' };
    case 'accept-edits':
      return body.kind && CHANGES.has(body.kind) && !body.elevated ? { decision: 'allow' } : undefined;
    case 'prompt':
      return undefined;
  }
}

function allows(answer: RequestAnswer): boolean {
  return answer.kind === 'approval' && answer.answer.decision === 'allow';
}

function denial(open: Open, message: string): RequestAnswer {
  return open.request.kind === 'approval'
    ? { kind: 'approval', answer: { decision: 'deny', message } }
    : { kind: 'input', answer: { declined: true } satisfies InputAnswer };
}

function resolution(open: Open, answer: RequestAnswer, by: By, rule: string | undefined): EventBody {
  const { requestId } = open.request;
  if (open.request.kind === 'input') {
    const outcome = answer.kind !== 'input' ? 'cancelled' : 'declined' in answer.answer ? 'declined' : 'answered';
    return { type: 'input_resolved', requestId, outcome, by };
  }
  if (answer.kind !== 'approval') return { type: 'approval_resolved', requestId, outcome: 'cancelled', by };
  const { decision, optionId } = answer.answer;
  const message = answer.answer.decision === 'deny' ? answer.answer.message : undefined;
  return {
    type: 'approval_resolved',
    requestId,
    outcome: decision === 'allow' ? 'allowed' : 'denied',
    by,
    ...(rule === undefined ? {} : { rule }),
    ...(optionId === undefined ? {} : { optionId }),
    ...(message === undefined ? {} : { message }),
  };
}
