import { isRecord } from '../values.ts';
import type { TokenUsage } from './events.ts';

export interface CostRecord {
  usage: TokenUsage;
  costUsd: number | null;
}

/** Names under which agents report a count, without underscores and case. */
const COUNT_NAMES = {
  inputTokens: ['inputtokens', 'prompttokens', 'prompttokencount', 'inputtokencount', 'input', 'prompt'],
  outputTokens: [
    'outputtokens',
    'completiontokens',
    'candidatestokencount',
    'outputtokencount',
    'output',
    'completion',
  ],
  cacheReadTokens: [
    'cachereadtokens',
    'cachereadinputtokens',
    'cachedinputtokens',
    'cachedcontenttokencount',
    'cachedtokens',
    'cacheread',
    'cached',
  ],
  cacheCreationTokens: [
    'cachecreationtokens',
    'cachecreationinputtokens',
    'cachewritetokens',
    'cachewriteinputtokens',
    'cachewrite',
  ],
  totalTokens: ['totaltokens', 'totaltokencount', 'total'],
} as const satisfies Record<keyof TokenUsage, readonly string[]>;

const COST_NAMES = ['costusd', 'totalcostusd', 'totalcost', 'cost', 'usd'];
/** Objects that hold the counts one level down. */
const USAGE_CONTAINERS = ['usage', 'tokenusage', 'tokens', 'usagemetadata', 'stats'];
/** Objects next to the counts that refine them. */
const CACHE_DETAILS = ['prompttokensdetails', 'inputtokensdetails', 'inputtokendetails'];

/**
 * Extracts token counts and cost from any shape an agent reports: nested or flat, camelCase or snake_case. A missing
 * count is null. Null if nothing is recognized.
 */
export function readCostRecord(raw: unknown): CostRecord | null {
  if (!isRecord(raw)) return null;
  const outer = indexByPlainName(raw);
  const inner = findFirstRecord(outer, USAGE_CONTAINERS);
  const levels = inner ? [indexByPlainName(inner), outer] : [outer];

  const usage: TokenUsage = {
    inputTokens: findFirstNumber(levels, COUNT_NAMES.inputTokens),
    outputTokens: findFirstNumber(levels, COUNT_NAMES.outputTokens),
    cacheReadTokens: findFirstNumber(levels, COUNT_NAMES.cacheReadTokens) ?? readCacheDetail(levels, ['read']),
    cacheCreationTokens:
      findFirstNumber(levels, COUNT_NAMES.cacheCreationTokens) ?? readCacheDetail(levels, ['write', 'creation']),
    totalTokens: findFirstNumber(levels, COUNT_NAMES.totalTokens),
  };
  if (usage.totalTokens === null && usage.inputTokens !== null && usage.outputTokens !== null) {
    usage.totalTokens = usage.inputTokens + usage.outputTokens;
  }
  const costUsd = findFirstNumber(levels, COST_NAMES) ?? readCostTotal(levels);
  const empty = costUsd === null && Object.values(usage).every((count) => count === null);
  return empty ? null : { usage, costUsd };
}

type PlainNames = Map<string, unknown>;

function indexByPlainName(record: Record<string, unknown>): PlainNames {
  return new Map(Object.entries(record).map(([name, value]) => [name.replaceAll('_', '').toLowerCase(), value]));
}

function findFirstRecord(level: PlainNames, names: readonly string[]): Record<string, unknown> | undefined {
  return names.map((name) => level.get(name)).find(isRecord);
}

function findFirstNumber(levels: readonly PlainNames[], names: readonly string[]): number | null {
  for (const level of levels) {
    for (const name of names) {
      const value = level.get(name);
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    }
  }
  return null;
}

function readCacheDetail(levels: readonly PlainNames[], names: readonly string[]): number | null {
  for (const level of levels) {
    const cache = level.get('cache');
    const found = isRecord(cache) ? findFirstNumber([indexByPlainName(cache)], names) : null;
    if (found !== null) return found;
    const details = findFirstRecord(level, CACHE_DETAILS);
    if (details && names.includes('read'))
      return findFirstNumber([indexByPlainName(details)], COUNT_NAMES.cacheReadTokens);
  }
  return null;
}

function readCostTotal(levels: readonly PlainNames[]): number | null {
  for (const level of levels) {
    const cost = level.get('cost');
    if (isRecord(cost)) return findFirstNumber([indexByPlainName(cost)], ['total', ...COST_NAMES]);
  }
  return null;
}
