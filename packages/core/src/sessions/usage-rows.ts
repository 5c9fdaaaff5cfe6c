import type { TokenUsage } from '../contract/events.ts';
import type { Session, SessionMessage } from '../contract/sessions.ts';
import { sumUsage } from '../session-stores/transcript.ts';

/** Usage of one model in a session on one day. */
export interface UsageRow {
  /** `2026-01-31`, in local time; empty if unknown. */
  day: string;
  /** Empty if unknown. */
  model: string;
  usage: TokenUsage | null;
  /** As reported. */
  costUsd: number | null;
}

type Spent = Pick<SessionMessage, 'timestamp' | 'model' | 'usage' | 'costUsd'>;

/** Per message if messages have usage, otherwise for the whole session. Usage of inactive branches counts too. */
export function sumByDay(session: Session): UsageRow[] {
  const spent: Spent[] = listMessagesOnce(session).filter(({ usage, costUsd }) => usage || typeof costUsd === 'number');
  const perMessage = spent.some(({ usage }) => usage) || !session.usage;
  const all: readonly Spent[] = perMessage ? spent : [{ usage: session.usage }];
  const groups = new Map<string, Spent[]>();
  for (const one of all) {
    const day = dayOf(one.timestamp ?? session.updatedAt ?? session.createdAt);
    const key = `${day}\n${one.model ?? session.model ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  const rows = [...groups].map(([key, ones]): UsageRow => {
    const [day = '', model = ''] = key.split('\n');
    const costs = ones.map(({ costUsd }) => costUsd).filter((cost) => typeof cost === 'number');
    return {
      day,
      model,
      usage: sumUsage(ones.map(({ usage }) => usage)) ?? null,
      costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    };
  });
  return withCostOf(session, rows);
}

/** The session costs more than its messages report: the rest is distributed by tokens. */
function withCostOf(session: Session, rows: UsageRow[]): UsageRow[] {
  if (typeof session.costUsd !== 'number') return rows;
  if (rows.length === 0) {
    const day = dayOf(session.updatedAt ?? session.createdAt);
    return [{ day, model: session.model ?? '', usage: null, costUsd: session.costUsd }];
  }
  const rest = Math.max(0, session.costUsd - rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0));
  const weights = rows.map(({ usage }) => tokensOf(usage));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return rows.map((row, index) => {
    const share = whole > 0 ? (weights[index] ?? 0) / whole : 1 / rows.length;
    return { ...row, costUsd: (row.costUsd ?? 0) + rest * share };
  });
}

/** Messages of the active branch, then those that only others have. */
export function listMessagesOnce({ messages, branches = [] }: Session): SessionMessage[] {
  const seen = new Set(messages.map(({ id }) => id));
  const left: SessionMessage[] = [];
  for (const { active, messages: others } of branches) {
    if (active) continue;
    for (const message of others) {
      if (message.id === undefined || seen.has(message.id)) continue;
      seen.add(message.id);
      left.push(message);
    }
  }
  return [...messages, ...left];
}

export function dayOf(time: number | undefined): string {
  if (time === undefined || !Number.isFinite(time)) return '';
  const date = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function tokensOf(usage: TokenUsage | null): number {
  if (!usage) return 0;
  return usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}
