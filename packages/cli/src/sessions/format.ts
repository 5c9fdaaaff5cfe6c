import { basename } from 'node:path';
import type { SessionSummary, TokenUsage } from '@agent-mux/core';
import { count } from '../run/format.ts';
import { toOneLine } from '../screen/plain.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const UNITS: readonly (readonly [limit: number, length: number, unit: string])[] = [
  [MINUTE, 1000, 's'],
  [60 * MINUTE, MINUTE, 'min'],
  [2 * DAY, 60 * MINUTE, 'h'],
  [60 * DAY, DAY, 'days'],
  [24 * 30.44 * DAY, 30.44 * DAY, 'months'],
  [Number.POSITIVE_INFINITY, 365.25 * DAY, 'years'],
];

/** Age as one number: 5 min, 30 h, 12 days, 4 months. */
export function formatAge(time: number | undefined, now: number): string {
  if (time === undefined) return '?';
  const ms = Math.max(0, now - time);
  const [, length, unit] = UNITS.find(([limit]) => ms < limit) ?? [0, 1, 'ms'];
  return `${Math.floor(ms / length)} ${unit}`;
}

/** `~` marks an estimate; empty if unknown. */
export function formatMoney(costUsd: number | null, isEstimated = false): string {
  if (costUsd === null) return '-';
  const amount = costUsd > 0 && costUsd < 0.01 ? '<$0.01' : `$${costUsd.toFixed(2)}`;
  return `${isEstimated ? '~' : ''}${amount}`;
}

export function tokens(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : count(value);
}

export function formatTokens(usage: TokenUsage | null | undefined): string | undefined {
  if (!usage) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  const cached = cacheReadTokens ? `, ${count(cacheReadTokens)} from the cache` : '';
  return `${tokens(inputTokens)} in, ${tokens(outputTokens)} out${cached}`;
}

export function titleOf({ title, firstPrompt }: Pick<SessionSummary, 'title' | 'firstPrompt'>): string {
  return toOneLine(title ?? firstPrompt ?? '(no prompt)', Number.POSITIVE_INFINITY);
}

export function folderName(cwd: string | undefined): string {
  return cwd === undefined ? '-' : toOneLine(basename(cwd) || cwd, Number.POSITIVE_INFINITY);
}

const SHORTEST = 8;

/** Shortens ids to unique prefixes of at least 8 characters. */
export function shortIds(ids: readonly string[]): string[] {
  const sorted = [...new Set(ids)].sort();
  const least = new Map<string, number>();
  sorted.forEach((id, at) => {
    const near = [sorted[at - 1], sorted[at + 1]].filter((other) => other !== undefined);
    const common = Math.max(0, ...near.map((other) => sharedLength(id, other)));
    least.set(id, Math.max(SHORTEST, common + 1));
  });
  return ids.map((id) => id.slice(0, least.get(id)));
}

function sharedLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
