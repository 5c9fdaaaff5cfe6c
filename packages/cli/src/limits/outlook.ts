import type { Session, SessionLimit } from '@agent-mux/api';
import { untilTime } from '../screen/time.ts';

type Limited = Pick<Session, 'limit' | 'waitsFor'>;

/** What becomes of a session that a limit has stopped, with its countdown. */
export function outlook({ limit, waitsFor }: Limited, now: number): string {
  if (limit) return limit.continuesAt === null ? stateWords(limit, now) : goesOn(limit, limit.continuesAt, now);
  if (!waitsFor) return '';
  return waitsFor.until === null ? 'waits for you' : `what is queued is sent ${untilTime(waitsFor.until, now)}`;
}

function goesOn({ reason }: SessionLimit, at: number, now: number): string {
  const when = at <= now ? 'goes on at any moment' : `goes on ${untilTime(at, now)}`;
  return reason === null ? when : `${when} (${reason})`;
}

function stateWords({ state, kind, reason, resetsAt }: SessionLimit, now: number): string {
  if (kind === 'budget') {
    const lifted = resetsAt === null ? '' : `lifted ${untilTime(resetsAt, now)}`;
    return [lifted, reason].filter(Boolean).join('; ');
  }
  const lifted = resetsAt === null ? '' : resetsAt <= now ? 'lifted' : `lifted ${untilTime(resetsAt, now)}`;
  const words = {
    stopped: 'waits for you',
    continued: 'goes on now',
    cancelled: 'does not go on by itself',
    gave_up: 'does not go on by itself',
    waits: '',
    outside_hours: '',
    capped: '',
  }[state];
  return [lifted, words, state === 'continued' ? null : reason].filter(Boolean).join('; ');
}

export function budgetWords({ usd, tokens }: { usd?: number | null; tokens?: number | null }): string {
  return [
    ...(usd === undefined || usd === null ? [] : [`$${usd.toFixed(2)}`]),
    ...(tokens === undefined || tokens === null ? [] : [`${Math.round(tokens)} tokens`]),
  ].join(', ');
}
