import type { Budget, Session } from '@agent-mux/api/browser';

/** What a person may say to a limit. */
export type LimitOffer = 'wait' | 'cancel' | 'now' | 'raise' | 'settings';

type Limited = Pick<Session, 'limit' | 'waitsFor' | 'queuedMessages' | 'isTerminated'>;

/** Only what would change something is offered. */
export function limitOffers({ limit, waitsFor, queuedMessages, isTerminated }: Limited): readonly LimitOffer[] {
  if (isTerminated) return [];
  const kind = limit?.kind ?? waitsFor?.kind;
  if (kind === 'budget') {
    const raise = limit?.per === undefined || limit.per === 'session' ? 'raise' : 'settings';
    return queuedMessages > 0 ? [raise, 'now'] : [raise];
  }
  if (!limit) return waitsFor ? ['now'] : [];
  switch (limit.state) {
    case 'waits':
    case 'outside_hours':
    case 'capped':
      return ['cancel', 'now'];
    case 'continued':
      return [];
    default:
      return ['wait', 'now'];
  }
}

/** What becomes of it, before the time that it is about; null: nothing is known. */
export function limitOutlook({ limit, waitsFor }: Pick<Session, 'limit' | 'waitsFor'>): {
  words: string;
  at: number | null;
} | null {
  if (limit?.continuesAt) return { words: 'goes on by itself', at: limit.continuesAt };
  if (limit?.state === 'continued') return { words: 'goes on now', at: null };
  const lifted = limit?.resetsAt ?? waitsFor?.until ?? null;
  if (lifted !== null) return { words: limit?.kind === 'budget' ? 'begins anew' : 'lifted', at: lifted };
  if (limit?.kind === 'budget') return null;
  return limit ? { words: 'nobody has said when it is lifted', at: null } : null;
}

const TOKENS = /^(\d+(?:\.\d+)?) ?([km]?)$/i;
const TIMES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6 };

/** What two fields say: dollars, and tokens such as 200k or 2m. A string: what is wrong with it. */
export function readAmounts({ usd, tokens }: { usd: string; tokens: string }): Budget | string {
  const dollars = usd.trim().replace(/^\$ ?/, '');
  const [, count, times = ''] = TOKENS.exec(tokens.trim()) ?? [];
  if (dollars !== '' && !(Number(dollars) > 0)) return `"${usd.trim()}" is no sum of money: say 5 or 0.50`;
  if (tokens.trim() !== '' && !(Number(count) > 0))
    return `"${tokens.trim()}" is no number of tokens: say 200000, 200k or 2m`;
  if (dollars === '' && count === undefined) return 'Say how much: money, tokens or both';
  return {
    ...(dollars === '' ? {} : { usd: Number(dollars) }),
    ...(count === undefined ? {} : { tokens: Number(count) * (TIMES[times.toLowerCase()] ?? 1) }),
  };
}

/** For the two fields. */
export function amountTexts(budget: Budget | null): { usd: string; tokens: string } {
  return {
    usd: budget?.usd === undefined ? '' : `${budget.usd}`,
    tokens: budget?.tokens === undefined ? '' : `${budget.tokens}`,
  };
}
