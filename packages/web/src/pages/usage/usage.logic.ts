import type { UsageRow } from '@agent-mux/api/browser';
import { moneyOf, tokensOf } from '../../components/format.logic.ts';

export type By = 'day' | 'agent' | 'model' | 'project';
export type Measure = 'cost' | 'tokens';

const DAY_MS = 24 * 3600_000;

/** A day in local time, in the daemon's format. */
function dayOf(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** First day of a period that ends today. Computed at noon, so that daylight saving changes lose no day. */
export function firstDayOf(days: number, now: number): string {
  return dayOf(new Date(now).setHours(12, 0, 0, 0) - (days - 1) * DAY_MS);
}

/** One row per day of the period, so that days without usage show as gaps. */
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
    unpricedCalls: 0,
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
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
  };
}

/** Excludes cache reads, which are the majority of tokens and nearly free. */
export function tokensIn({ inputTokens, outputTokens, cacheCreationTokens }: UsageRow): number {
  return inputTokens + outputTokens + cacheCreationTokens;
}

export function measureOf(row: UsageRow, measure: Measure): number {
  return measure === 'cost' ? row.costUsd : tokensIn(row);
}

/** The known cost, marked if partly estimated or incomplete; a dash if nothing is known. */
export function costText({ costUsd, estimatedUsd, unpricedCalls }: UsageRow): string {
  if (costUsd === 0 && unpricedCalls > 0) return moneyOf(null);
  return `${moneyOf(costUsd, estimatedUsd > 0)}${unpricedCalls > 0 ? ' +' : ''}`;
}

/** Full description, for tooltips and screen readers. */
export function costDescription({ costUsd, estimatedUsd, unpricedCalls }: UsageRow): string {
  const parts = [moneyOf(costUsd)];
  if (estimatedUsd > 0)
    parts.push(estimatedUsd >= costUsd ? 'all of it estimated' : `${moneyOf(estimatedUsd)} of it estimated`);
  if (unpricedCalls > 0)
    parts.push(`${unpricedCalls} ${unpricedCalls === 1 ? 'call' : 'calls'} of unknown cost not included`);
  return parts.join(', ');
}

export function valueText(row: UsageRow, measure: Measure): string {
  return measure === 'cost' ? costText(row) : tokensOf(tokensIn(row));
}

/** Rows sorted by the measure, largest first. */
export function rankRows(rows: readonly UsageRow[], measure: Measure): UsageRow[] {
  return [...rows].sort((a, b) => measureOf(b, measure) - measureOf(a, measure) || a.key.localeCompare(b.key));
}

/** A round number at or above the largest, for the top of a chart. */
export function ceilingOf(values: readonly number[]): number {
  const max = Math.max(0, ...values);
  if (max === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= max) ?? 10;
  return step * power;
}
