import type { AgentEvent, EventOf } from '@agent-mux/core';
import { duration, formatCost, formatTokens } from './format.ts';

interface Amount {
  input: number | null;
  output: number | null;
  usd: number | null;
}

const NOTHING: Amount = { input: null, output: null, usd: null };

/** Time, tokens and cost of one turn, as far as the agent reports them. */
export class TurnTally {
  #startedAt = 0;
  /** Sum of this turn. */
  #added = NOTHING;
  /** Latest total reported for this turn. */
  #turn: Amount | undefined;
  /** Latest total of the session, and the one before this turn. */
  #session: Amount | undefined;
  #before: Amount = NOTHING;
  #isEstimated = false;

  event(event: AgentEvent): void {
    if (event.type === 'turn_start') {
      this.#startedAt = event.timestamp;
      this.#added = NOTHING;
      this.#turn = undefined;
      this.#before = this.#session ?? this.#before;
      this.#isEstimated = false;
    } else if (event.type === 'cost') this.#cost(event);
  }

  /** Called at the end of a turn. */
  parts(now: number): string[] {
    const session = this.#session && combine(this.#session, this.#before, (all, before) => all - before);
    const { input, output, usd } = this.#turn ?? (this.#added === NOTHING && session ? session : this.#added);
    return [
      duration(Math.max(0, now - this.#startedAt)),
      ...formatCost(usd, this.#isEstimated),
      ...formatTokens({ inputTokens: input, outputTokens: output, totalTokens: null }),
    ];
  }

  #cost({ usage, costUsd, scope, source }: EventOf<'cost'>): void {
    const amount: Amount = { input: usage.inputTokens, output: usage.outputTokens, usd: costUsd };
    if (costUsd !== null && source === 'estimated') this.#isEstimated = true;
    if (scope === 'delta') this.#added = combine(this.#added, amount, (all, more) => all + more);
    else if (scope === 'turn') this.#turn = amount;
    else this.#session = amount;
  }
}

/** Falls back to the known value if the other one is unknown. */
function combine(a: Amount, b: Amount, how: (a: number, b: number) => number): Amount {
  const both = (one: number | null, other: number | null) =>
    one === null ? other : other === null ? one : how(one, other);
  return { input: both(a.input, b.input), output: both(a.output, b.output), usd: both(a.usd, b.usd) };
}
