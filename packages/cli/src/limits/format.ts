import type { Session, SessionLimit } from '@agent-mux/api';
import { untilTime } from '../screen/time.ts';

type Limited = Pick<Session, 'limit' | 'waitingFor'>;

/** What happens next to a limited session, with a countdown. */
export function formatOutlook({ limit, waitingFor }: Limited, now: number): string {
  if (limit)
    return limit.continuesAt === null
      ? formatLimitState(limit, now)
      : formatContinuation(limit, limit.continuesAt, now);
  if (!waitingFor) return '';
  return waitingFor.until === null
    ? 'paused until you continue it'
    : `queued messages are sent ${untilTime(waitingFor.until, now)}`;
}

function formatContinuation({ reason }: SessionLimit, at: number, now: number): string {
  const when = at <= now ? 'continues at any moment' : `continues ${untilTime(at, now)}`;
  return reason === null ? when : `${when} (${reason})`;
}

function formatLimitState({ state, kind, reason, resetsAt }: SessionLimit, now: number): string {
  if (kind === 'budget') {
    const reset = resetsAt === null ? '' : `resets ${untilTime(resetsAt, now)}`;
    return [reset, reason].filter(Boolean).join('; ');
  }
  const reset = resetsAt === null ? '' : resetsAt <= now ? 'reset' : `resets ${untilTime(resetsAt, now)}`;
  const text = {
    paused: 'paused until you continue it',
    continued: 'continues now',
    cancelled: 'does not continue automatically',
    gave_up: 'does not continue automatically',
    scheduled: '',
    outside_hours: '',
    capped: '',
  }[state];
  return [reset, text, state === 'continued' ? null : reason].filter(Boolean).join('; ');
}

export function formatBudget({ usd, tokens }: { usd?: number | null; tokens?: number | null }): string {
  return [
    ...(usd === undefined || usd === null ? [] : [`$${usd.toFixed(2)}`]),
    ...(tokens === undefined || tokens === null ? [] : [`${Math.round(tokens)} tokens`]),
  ].join(', ');
}
