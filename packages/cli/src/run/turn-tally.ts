import type { AgentEvent, EventOf } from '@agent-mux/core';
import { duration, moneyWords, tokenWords } from './amounts.ts';

interface Amount {
  input: number | null;
  output: number | null;
  usd: number | null;
}

const NOTHING: Amount = { input: null, output: null, usd: null };

/** What one turn of a conversation took: time, tokens and money, as far as the agent tells. */
export class TurnTally {
  #begun = 0;
  /** Added up in this turn. */
  #added = NOTHING;
  /** The last total that was told of this turn. */
  #turn: Amount | undefined;
  /** The last total of the session, and that of the turn before. */
  #session: Amount | undefined;
  #before: Amount = NOTHING;
  #isEstimated = false;

  event(event: AgentEvent): void {
    if (event.type === 'turn_start') {
      this.#begun = event.timestamp;
      this.#added = NOTHING;
      this.#turn = undefined;
      this.#before = this.#session ?? this.#before;
      this.#isEstimated = false;
    } else if (event.type === 'cost') this.#cost(event);
  }

  /** At the end of a turn. */
  parts(now: number): string[] {
    const session = this.#session && combine(this.#session, this.#before, (all, before) => all - before);
    const { input, output, usd } = this.#turn ?? (this.#added === NOTHING && session ? session : this.#added);
    return [
      duration(Math.max(0, now - this.#begun)),
      ...moneyWords(usd, this.#isEstimated),
      ...tokenWords({ inputTokens: input, outputTokens: output, totalTokens: null }),
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

/** A count that one side does not know is that of the other. */
function combine(a: Amount, b: Amount, how: (a: number, b: number) => number): Amount {
  const both = (one: number | null, other: number | null) =>
    one === null ? other : other === null ? one : how(one, other);
  return { input: both(a.input, b.input), output: both(a.output, b.output), usd: both(a.usd, b.usd) };
}
