import type { AgentEvent, ExitReason, TokenUsage } from '../../contract/events.ts';
import type { QuotaStatus } from '../../contract/quota.ts';
import type { RunError } from '../../contract/run.ts';
import { quotaAfter } from '../../limits/quota.ts';
import { causeOf, exitReasonOf } from './failure.ts';
import { GrowingText } from './growing-text.ts';

/** So much of a turn's text is kept for the result: its beginning. What is more went over the stream alone. */
export const MAX_RESULT_TEXT_CHARS = 64 * 1024 * 1024;
const BETWEEN_MESSAGES = '\n\n';

interface Tally {
  usage: Partial<Record<keyof TokenUsage, number>>;
  costUsd: number | null;
  /** By the prices of the models. Null: of some of the tokens nobody knows what they cost. */
  estimateUsd: number | null;
}

/** What tokens of a model cost by its price; null where it is not known. */
export type Estimate = (model: string, usage: TokenUsage) => number | null;

const NOTHING: Tally = { usage: {}, costUsd: null, estimateUsd: 0 };

const FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens', 'totalTokens'] as const;

/** What a run amounts to, folded from its events. */
export class ResultFold {
  #messages: GrowingText[] = [];
  #last: GrowingText | undefined;
  #kept = 0;
  /** Characters of the turn's text that are not kept. */
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
  /** What the turn fails of, if it fails: the last trouble that was told in it, whether or not it may pass. */
  cause: RunError | null = null;
  /** How the last turn went; null before the first has ended. */
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
        this.#forgetTrouble();
        this.#kept = 0;
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
        this.#kept -= this.#messages.pop()?.length ?? 0;
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
        if (event.by === 'engine') this.#forgetTrouble();
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

  /** As the agent says; where it says nothing, by the prices of the models that its tokens are of. */
  get costUsd(): number | null {
    const { costUsd, estimateUsd, usage } = this.#total();
    return costUsd ?? (Object.keys(usage).length === 0 ? null : estimateUsd);
  }

  get costSource(): 'reported' | 'estimated' | null {
    if (this.costUsd === null) return null;
    return this.#total().costUsd === null ? 'estimated' : this.#source;
  }

  #openMessage(): GrowingText {
    const message = new GrowingText();
    this.#messages.push(message);
    return message;
  }

  #startMessage(): void {
    if (this.#last?.length === 0) return;
    if (this.#last) this.#kept += BETWEEN_MESSAGES.length;
    this.#last = this.#openMessage();
  }

  #addText(delta: string): void {
    const room = Math.max(0, MAX_RESULT_TEXT_CHARS - this.#kept);
    const kept = delta.length <= room ? delta : delta.slice(0, room);
    this.omittedTextChars += delta.length - kept.length;
    if (kept === '') return;
    this.#kept += kept.length;
    this.#last ??= this.#openMessage();
    this.#last.add(kept);
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

  /** A running total of the session stands for everything; where it lacks a number the sum of the parts has it. */
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
      // A turn that came to its end has overcome whatever was reported on the way.
      this.error = null;
      this.reason = 'completed';
    } else if (event.status === 'interrupted') {
      this.error = null;
      this.reason = 'interrupted';
    } else if (event.status === 'max_turns') {
      this.error = { code: 'MAX_TURNS', message: 'the limit of agent turns was reached' };
      this.reason = 'max_turns';
    } else {
      this.error ??= this.cause ?? {
        code: 'AGENT_ERROR',
        message: event.status === 'refused' ? 'the model refused to answer' : 'the turn failed',
      };
      this.reason = exitReasonOf(this.error.code);
    }
  }

  #forgetTrouble(): void {
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
