import type { Budget, Session } from '@agent-mux/api/browser';

/** Actions that a person can take on a limit. */
export type LimitOffer = 'continue' | 'cancel' | 'now' | 'raise' | 'settings';

type Limited = Pick<Session, 'limit' | 'waitingFor' | 'queuedMessages' | 'isTerminated'>;

/** Only actions that have an effect. */
export function limitOffers({ limit, waitingFor, queuedMessages, isTerminated }: Limited): readonly LimitOffer[] {
  if (isTerminated) return [];
  const kind = limit?.kind ?? waitingFor?.kind;
  if (kind === 'budget') {
    const raise = limit?.per === undefined || limit.per === 'session' ? 'raise' : 'settings';
    return queuedMessages > 0 ? [raise, 'now'] : [raise];
  }
  if (!limit) return waitingFor ? ['now'] : [];
  switch (limit.state) {
    case 'scheduled':
    case 'outside_hours':
    case 'capped':
      return ['cancel', 'now'];
    case 'continued':
      return [];
    default:
      return ['continue', 'now'];
  }
}

/** How a limited session proceeds, and when; null if unknown. */
export function limitOutlook({ limit, waitingFor }: Pick<Session, 'limit' | 'waitingFor'>): {
  text: string;
  at: number | null;
} | null {
  if (limit?.continuesAt) return { text: 'continues automatically', at: limit.continuesAt };
  if (limit?.state === 'continued') return { text: 'continuing now', at: null };
  const resetsAt = limit?.resetsAt ?? waitingFor?.until ?? null;
  if (resetsAt !== null) return { text: 'resets', at: resetsAt };
  if (limit?.kind === 'budget') return null;
  return limit ? { text: 'reset time unknown', at: null } : null;
}

const TOKENS = /^(\d+(?:\.\d+)?) ?([km]?)$/i;
const TIMES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6 };

/** Parses the two fields: dollars, and tokens such as 200k or 2m. Returns an error message if one is invalid. */
export function readAmounts({ usd, tokens }: { usd: string; tokens: string }): Budget | string {
  const dollars = usd.trim().replace(/^\$ ?/, '');
  const [, count, times = ''] = TOKENS.exec(tokens.trim()) ?? [];
  if (dollars !== '' && !(Number(dollars) > 0)) return `"${usd.trim()}" is not an amount of money. Use 5 or 0.50`;
  if (tokens.trim() !== '' && !(Number(count) > 0))
    return `"${tokens.trim()}" is not a number of tokens. Use 200000, 200k or 2m`;
  if (dollars === '' && count === undefined) return 'Enter an amount: money, tokens or both';
  return {
    ...(dollars === '' ? {} : { usd: Number(dollars) }),
    ...(count === undefined ? {} : { tokens: Number(count) * (TIMES[times.toLowerCase()] ?? 1) }),
  };
}

/** Initial values of the two fields. */
export function amountTexts(budget: Budget | null): { usd: string; tokens: string } {
  return {
    usd: budget?.usd === undefined ? '' : `${budget.usd}`,
    tokens: budget?.tokens === undefined ? '' : `${budget.tokens}`,
  };
}
