import type { AgentEvent, ExitReason, TokenUsage } from '../../contract/events.ts';
import type { QuotaStatus } from '../../contract/quota.ts';
import type { RunError } from '../../contract/run.ts';
import { quotaAfter } from '../../limits/quota.ts';
import { causeOf, exitReasonOf } from './failure.ts';
import { TextBuffer } from './text-buffer.ts';

/** Maximum characters of a turn's text in the result; the rest is only in the event stream. */
export const MAX_RESULT_TEXT_CHARS = 64 * 1024 * 1024;
const BETWEEN_MESSAGES = '\n\n';

interface Tally {
  usage: Partial<Record<keyof TokenUsage, number>>;
  costUsd: number | null;
  /** Estimate from model prices. Null if the price of some tokens is unknown. */
  estimateUsd: number | null;
}

/** Cost of a model's tokens by its price; null if unknown. */
export type Estimate = (model: string, usage: TokenUsage) => number | null;

const NOTHING: Tally = { usage: {}, costUsd: null, estimateUsd: 0 };

const FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'totalTokens'] as const;

/** Folds the events of a run into its result. */
export class ResultFold {
  #messages: TextBuffer[] = [];
  #last: TextBuffer | undefined;
  #storedChars = 0;
  /** Characters of the turn's text that are not in the result. */
  omittedTextChars = 0;
  readonly #estimate: Estimate;
  #added: Tally = NOTHING;
  #turn: Tally | undefined;
  #session: Tally | undefined;
  #source: 'reported' | 'estimated' | null = null;
  model: string | null = null;
  serviceTier: string | null = null;
  quota: QuotaStatus | null = null;
  structured: unknown;
  error: RunError | null = null;
  /** The error of the turn, if it fails: the last failure reported in it, recoverable or not. */
  cause: RunError | null = null;
  /** Status of the last turn; null before the first has ended. */
  reason: ExitReason | null = null;

  constructor(estimate: Estimate = () => null) {
    this.#estimate = estimate;
  }

  take(event: AgentEvent): void {
    if (event.type === 'text_delta') {
      if (event.parentToolCallId === undefined) this.#addText(event.delta);
      return;
    }
    this.quota = quotaAfter(this.quota, event);
    switch (event.type) {
      case 'session_start':
        this.model = event.model ?? this.model;
        break;
      case 'turn_start':
        this.#messages = [];
        this.#last = undefined;
        this.#clearErrors();
        this.#storedChars = 0;
        this.omittedTextChars = 0;
        this.reason = null;
        this.structured = undefined;
        break;
      case 'message_start':
        if (event.parentToolCallId === undefined) {
          this.#startMessage();
          this.model = event.model ?? this.model;
        }
        break;
      case 'message_discard':
        this.#storedChars -= this.#messages.pop()?.length ?? 0;
        this.#last = this.#openMessage();
        break;
      case 'cost':
        this.#cost(event);
        break;
      case 'turn_end':
        this.#endTurn(event);
        break;
      case 'auth_error':
      case 'context_exceeded':
      case 'rate_limit_error':
      case 'crash':
      case 'timeout':
        this.cause = causeOf(event) ?? this.cause;
        this.error = causeOf(event) ?? this.error;
        break;
      case 'error':
        this.cause = causeOf(event) ?? this.cause;
        if (!event.recoverable) this.error = this.cause;
        break;
      case 'aborted':
        this.error = { code: 'ABORTED', message: event.reason ?? 'the run was aborted' };
        break;
      case 'session_end':
        this.reason = event.reason;
        break;
      case 'retry':
        if (event.by === 'engine') this.#clearErrors();
        break;
    }
  }

  get text(): string {
    return this.#messages
      .map(String)
      .filter((text) => text !== '')
      .join(BETWEEN_MESSAGES);
  }

  get usage(): TokenUsage | null {
    const total = this.#total();
    if (FIELDS.every((field) => total.usage[field] === undefined)) return null;
    const usage = Object.fromEntries(FIELDS.map((field) => [field, total.usage[field] ?? null])) as Record<
      keyof TokenUsage,
      number | null
    >;
    if (usage.totalTokens === null && usage.inputTokens !== null && usage.outputTokens !== null) {
      usage.totalTokens = usage.inputTokens + usage.outputTokens;
    }
    return usage;
  }

  /** As reported by the agent; otherwise estimated from model prices. */
  get costUsd(): number | null {
    const { costUsd, estimateUsd, usage } = this.#total();
    return costUsd ?? (Object.keys(usage).length === 0 ? null : estimateUsd);
  }

  get costSource(): 'reported' | 'estimated' | null {
    if (this.costUsd === null) return null;
    return this.#total().costUsd === null ? 'estimated' : this.#source;
  }

  #openMessage(): TextBuffer {
    const message = new TextBuffer();
    this.#messages.push(message);
    return message;
  }

  #startMessage(): void {
    if (this.#last?.length === 0) return;
    if (this.#last) this.#storedChars += BETWEEN_MESSAGES.length;
    this.#last = this.#openMessage();
  }

  #addText(delta: string): void {
    const capacity = Math.max(0, MAX_RESULT_TEXT_CHARS - this.#storedChars);
    const stored = delta.length <= capacity ? delta : delta.slice(0, capacity);
    this.omittedTextChars += delta.length - stored.length;
    if (stored === '') return;
    this.#storedChars += stored.length;
    this.#last ??= this.#openMessage();
    this.#last.add(stored);
  }

  #cost(event: Extract<AgentEvent, { type: 'cost' }>): void {
    const tally: Tally = { usage: {}, costUsd: event.costUsd, estimateUsd: this.#estimateOf(event) };
    for (const field of FIELDS) {
      const count = event.usage[field];
      if (count !== null) tally.usage[field] = count;
    }
    if (event.costUsd !== null) this.#source = event.source;
    if (event.model) this.model = event.model;
    if (event.serviceTier) this.serviceTier = event.serviceTier;
    if (event.scope === 'delta') this.#added = sum(this.#added, tally);
    else if (event.scope === 'turn') this.#turn = tally;
    else this.#session = tally;
  }

  #estimateOf({ usage, ...event }: Extract<AgentEvent, { type: 'cost' }>): number | null {
    const model = event.model ?? this.model;
    if (FIELDS.every((field) => usage[field] === null)) return 0;
    return model ? this.#estimate(model, usage) : null;
  }

  /** A running total of the session replaces the sum of its parts, which fills in missing numbers. */
  #total(): Tally {
    const parts = this.#turn ? sum(this.#added, this.#turn) : this.#added;
    if (!this.#session) return parts;
    const { usage, costUsd, estimateUsd } = this.#session;
    const ownTokens = Object.keys(usage).length > 0;
    return {
      usage: { ...parts.usage, ...usage },
      costUsd: costUsd ?? parts.costUsd,
      estimateUsd: ownTokens ? estimateUsd : parts.estimateUsd,
    };
  }

  #endTurn(event: Extract<AgentEvent, { type: 'turn_end' }>): void {
    if (this.#turn) {
      this.#added = sum(this.#added, this.#turn);
      this.#turn = undefined;
    }
    this.structured = event.structured;
    if (event.status === 'completed') {
      // A completed turn has recovered from everything reported during it.
      this.error = null;
      this.reason = 'completed';
    } else if (event.status === 'interrupted') {
      this.error = null;
      this.reason = 'interrupted';
    } else if (event.status === 'max_turns') {
      this.error = { code: 'MAX_TURNS', message: 'the agent turn limit was reached' };
      this.reason = 'max_turns';
    } else {
      this.error ??= this.cause ?? {
        code: 'AGENT_ERROR',
        message: event.status === 'refused' ? 'the model refused to answer' : 'the turn failed',
      };
      this.reason = exitReasonOf(this.error.code);
    }
  }

  #clearErrors(): void {
    this.error = null;
    this.cause = null;
  }
}

function sum(a: Tally, b: Tally): Tally {
  const usage = { ...a.usage };
  for (const field of FIELDS) {
    const more = b.usage[field];
    if (more !== undefined) usage[field] = (usage[field] ?? 0) + more;
  }
  return {
    usage,
    costUsd: b.costUsd === null ? a.costUsd : (a.costUsd ?? 0) + b.costUsd,
    estimateUsd: a.estimateUsd === null || b.estimateUsd === null ? null : a.estimateUsd + b.estimateUsd,
  };
}
