import type { UsageRow } from '@agent-mux/api/browser';
import { moneyOf, tokensOf } from '../../parts/format.logic.ts';

export type By = 'day' | 'agent' | 'model' | 'project';
export type Measure = 'cost' | 'tokens';

const DAY_MS = 24 * 3600_000;

/** A day by the clock of this machine, as the daemon names it. */
export function dayOf(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The first of so many days that end today; by noon, so that a change of the clock loses none. */
export function firstDayOf(days: number, now: number): string {
  return dayOf(new Date(now).setHours(12, 0, 0, 0) - (days - 1) * DAY_MS);
}

/** Every day of the span has a row: a day without work is a gap that is seen. */
export function fillDays(rows: readonly UsageRow[], days: number, now: number): UsageRow[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const noon = new Date(now).setHours(12, 0, 0, 0);
  return Array.from({ length: days }, (_, at) => {
    const key = dayOf(noon - (days - 1 - at) * DAY_MS);
    return known.get(key) ?? emptyRow(key);
  });
}

function emptyRow(key: string): UsageRow {
  return {
    key,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    costUsd: 0,
    estimatedUsd: 0,
    unknownCosts: 0,
  };
}

export function totalOf(rows: readonly UsageRow[]): UsageRow {
  return rows.reduce((sum, row) => addRow(sum, row), emptyRow('total'));
}

function addRow(a: UsageRow, b: UsageRow): UsageRow {
  return {
    key: a.key,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
    costUsd: a.costUsd + b.costUsd,
    estimatedUsd: a.estimatedUsd + b.estimatedUsd,
    unknownCosts: a.unknownCosts + b.unknownCosts,
  };
}

/** What was read from a cache is counted for itself: it is most of all tokens, and nearly free. */
export function tokensIn({ inputTokens, outputTokens, cacheCreationTokens }: UsageRow): number {
  return inputTokens + outputTokens + cacheCreationTokens;
}

export function measureOf(row: UsageRow, measure: Measure): number {
  return measure === 'cost' ? row.costUsd : tokensIn(row);
}

/** The known sum, marked where a part is estimated and where calls are missing in it. Nothing known at all is a dash. */
export function costText({ costUsd, estimatedUsd, unknownCosts }: UsageRow): string {
  if (costUsd === 0 && unknownCosts > 0) return moneyOf(null);
  return `${moneyOf(costUsd, estimatedUsd > 0)}${unknownCosts > 0 ? ' +' : ''}`;
}

/** In words, for whoever points at it or listens. */
export function costWords({ costUsd, estimatedUsd, unknownCosts }: UsageRow): string {
  const parts = [moneyOf(costUsd)];
  if (estimatedUsd > 0)
    parts.push(estimatedUsd >= costUsd ? 'all of it estimated' : `${moneyOf(estimatedUsd)} of it estimated`);
  if (unknownCosts > 0)
    parts.push(`${unknownCosts} ${unknownCosts === 1 ? 'call' : 'calls'} of unknown cost not in it`);
  return parts.join(', ');
}

export function valueText(row: UsageRow, measure: Measure): string {
  return measure === 'cost' ? costText(row) : tokensOf(tokensIn(row));
}

/** The largest first; what has no name says so. */
export function rankRows(rows: readonly UsageRow[], measure: Measure): UsageRow[] {
  return [...rows].sort((a, b) => measureOf(b, measure) - measureOf(a, measure) || a.key.localeCompare(b.key));
}

/** A round number at or above the largest, for the top of a chart. */
export function ceilingOf(values: readonly number[]): number {
  const most = Math.max(0, ...values);
  if (most === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= most) ?? 10;
  return step * power;
}
