import type { Budget } from '@agent-mux/api';
import { UsageError } from '../usage-error.ts';

/** `5usd`, `$5`, `200ktokens`, `2mtokens`; several separated by commas. */
const AMOUNT = /^(?:\$(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) ?([km]?) ?(usd|tokens?))$/i;
const TIMES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6 };

export function parseBudget(text: string): Budget {
  const budget: Budget = {};
  for (const part of text.split(',')) {
    const [whole, dollars, amount, times = '', unit = ''] = AMOUNT.exec(part.trim()) ?? [];
    const value = Number(dollars ?? amount) * (TIMES[times.toLowerCase()] ?? 1);
    if (whole === undefined || !(value > 0))
      throw new UsageError(`invalid budget "${part.trim()}"`, 'use 5usd, 200ktokens, or both: 5usd,2mtokens');
    if (/^tokens?$/i.test(unit)) budget.tokens = value;
    else budget.usd = value;
  }
  return budget;
}
