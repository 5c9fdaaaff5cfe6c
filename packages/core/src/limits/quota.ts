import type { AgentEvent, RateLimitWindow } from '../contract/events.ts';
import type { QuotaStatus } from '../contract/quota.ts';
import { believableTime } from './time.ts';

/** Window name for a rejection that names none. */
const UNNAMED_WINDOW = 'requests';

/** Schema id of the stored files. */
export const QUOTA_SCHEMA = 'agent-mux.quota/1';
/** Maximum number of windows per agent. */
export const MAX_WINDOWS = 100;

/** The limits of an agent after one of its events; unchanged if the event says nothing about them. */
export function quotaAfter(known: QuotaStatus | null, event: AgentEvent): QuotaStatus | null {
  switch (event.type) {
    case 'rate_limit_status':
      return quotaOf(event, event.windows, event.limited);
    case 'rate_limit_error': {
      const windows = namedOf(known);
      if (windows.some(({ exhausted }) => exhausted)) return quotaOf(event, windows, true);
      const refused = { window: UNNAMED_WINDOW, usedPercent: null, resetsAt: event.resetsAt ?? null, exhausted: true };
      return quotaOf(event, [...windows, refused], true);
    }
    case 'turn_end':
      return event.status === 'completed' && known ? quotaAfterSuccess(known, event.timestamp) : known;
    default:
      return known;
  }
}

/** A request was answered, so earlier rejections no longer apply. Reported window states are kept. */
export function quotaAfterSuccess(known: QuotaStatus, now: number): QuotaStatus {
  const named = namedOf(known);
  const isRefusal = known.windows.length > named.length || (known.limited && !named.some(({ exhausted }) => exhausted));
  return isRefusal ? quotaOf({ agent: known.agent, timestamp: now }, named, false) : known;
}

/** The state as of now: a window after its reset is open, and its usage is unknown. */
export function quotaAt(known: QuotaStatus, now: number): QuotaStatus {
  const isOver = ({ resetsAt }: RateLimitWindow) => resetsAt !== null && resetsAt <= now;
  if (!known.windows.some(isOver)) return known;
  const windows = known.windows
    .filter((window) => !(isOver(window) && window.window === UNNAMED_WINDOW))
    .map((window) => (isOver(window) ? { ...window, usedPercent: null, resetsAt: null, exhausted: false } : window));
  const limited = known.limited && windows.some(({ exhausted }) => exhausted);
  return { ...quotaOf({ agent: known.agent, timestamp: known.asOf }, windows, limited) };
}

function namedOf(known: QuotaStatus | null): RateLimitWindow[] {
  return known?.windows.filter(({ window }) => window !== UNNAMED_WINDOW) ?? [];
}

function quotaOf(
  { agent, timestamp }: Pick<AgentEvent, 'agent' | 'timestamp'>,
  reported: readonly RateLimitWindow[],
  limited: boolean,
): QuotaStatus {
  const windows = reported
    .slice(0, MAX_WINDOWS)
    .map((window) => ({ ...window, resetsAt: believableTime(window.resetsAt, timestamp) ?? null }));
  const exhausted = windows.filter((window) => window.exhausted);
  const times = (exhausted.length > 0 ? exhausted : windows).flatMap(({ resetsAt }) => resetsAt ?? []);
  return {
    agent,
    limited: limited || exhausted.length > 0,
    windows,
    earliestResetAt: times.length === 0 ? null : Math.min(...times),
    asOf: timestamp,
  };
}
