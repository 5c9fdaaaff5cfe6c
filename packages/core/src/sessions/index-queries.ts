import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { TokenUsage } from '../contract/events.ts';
import type { CostGroup, SessionHit, SessionSummary } from '../contract/session-queries.ts';
import { prefixBelow } from '../files/within.ts';
import { sumUsage } from '../session-stores/transcript.ts';
import type { ResolvedFilter } from './filter-times.ts';
import { foldersOf } from './folders.ts';
import { type FoundText, findText } from './index-search.ts';
import type { Prices } from './prices.ts';
import type { SessionSource } from './sources.ts';
import { dayOf, type UsageRow } from './usage-rows.ts';

type Row = Record<string, SQLOutputValue>;
type Bound = string | number;

/** A condition with its parameter values. */
interface Condition {
  sql: string;
  values: Bound[];
}

const COLUMNS = `s.id, s.agent, s.path, s.key, s.session_id, s.title, s.first_prompt, s.cwd, s.model, s.created_at,
  s.updated_at, s.parent_id, s.messages, s.tool_calls, s.warnings`;

export function listSessions(
  database: DatabaseSync,
  sources: readonly SessionSource[],
  filter: ResolvedFilter,
  prices: Prices,
): { sessions: SessionSummary[]; total: number } {
  const { sql, values } = all(ofSources(sources), { sql: 's.messages > 0', values: [] }, ...ofFilter(filter));
  const { limit = -1 } = filter;
  const rows = database
    .prepare(`SELECT ${COLUMNS} FROM sessions s WHERE ${sql} ORDER BY s.updated_at DESC, s.id LIMIT ?`)
    .all(...values, limit);
  const count = database.prepare(`SELECT count(*) AS total FROM sessions s WHERE ${sql}`).get(...values);
  return { sessions: summarize(database, rows, prices), total: Number(count?.total ?? 0) };
}

export function searchSessions(
  database: DatabaseSync,
  sources: readonly SessionSource[],
  { text, filter }: { text: string; filter: ResolvedFilter },
  prices: Prices,
): SessionHit[] {
  const condition = all(ofSources(sources), ...ofFilter(filter));
  const found: FoundText[] = findText(database, text, condition, filter.limit);
  const rows = rowsOf(
    database,
    found.map(({ id }) => id),
  );
  const byId = new Map(summarize(database, rows, prices).map((summary, index) => [rows[index]?.id, summary]));
  return found.flatMap(({ id, snippet }) => {
    const session = byId.get(id);
    return session ? [{ session, snippet }] : [];
  });
}

/**
 * Sessions with exactly this id, otherwise those with this prefix; newest first. Agents leave empty files, some under
 * the id of a session with messages: those count only if there are no others.
 */
export function findSessionsNamed(
  database: DatabaseSync,
  sources: readonly SessionSource[],
  id: string,
  prices: Prices,
): { exact: boolean; found: SessionSummary[] } {
  const ask = (condition: Condition) => {
    const { sql, values } = all(ofSources(sources), condition);
    const query = `SELECT ${COLUMNS} FROM sessions s WHERE ${sql} ORDER BY s.updated_at DESC, s.id LIMIT 20`;
    const found = summarize(database, database.prepare(query).all(...values), prices);
    const spoken = found.filter(({ messageCount }) => messageCount > 0);
    return spoken.length > 0 ? spoken : found;
  };
  const exact = ask({ sql: 's.session_id = ?', values: [id] });
  if (exact.length > 0) return { exact: true, found: exact };
  return { exact: false, found: ask({ sql: 'substr(s.session_id, 1, ?) = ?', values: [id.length, id] }) };
}

/** Usage for each model of each agent in each group: the caller applies the prices. */
export interface UsedInGroup {
  group: string | null;
  agent: string;
  model: string;
  session: number;
  usage: TokenUsage | null;
  costUsd: number | null;
}

const GROUP_COLUMNS: Readonly<Record<CostGroup, string>> = {
  agent: 's.agent',
  model: 'u.model',
  day: 'u.day',
  project: 's.cwd',
};

export function sumUsageBy(
  database: DatabaseSync,
  sources: readonly SessionSource[],
  by: CostGroup,
  { since, until, model, ...filter }: ResolvedFilter,
): UsedInGroup[] {
  const { sql, values } = all(
    ofSources(sources),
    ...ofFilter(filter),
    ...(since === undefined ? [] : [{ sql: 'u.day >= ?', values: [dayOf(since)] }]),
    ...(until === undefined ? [] : [{ sql: `u.day <> '' AND u.day <= ?`, values: [dayOf(until - 1)] }]),
    ...(model === undefined ? [] : [contains('u.model', model)]),
  );
  return database
    .prepare(
      `SELECT ${GROUP_COLUMNS[by]} AS named, s.agent, u.session, u.model, u.input, u.output, u.cache_read, u.cache_creation,
         u.total, u.cost FROM usage u JOIN sessions s ON s.id = u.session WHERE ${sql}`,
    )
    .all(...values)
    .map((row) => ({
      group: textOf(row.named) || null,
      agent: textOf(row.agent),
      session: Number(row.session),
      ...usageOf(row),
    }));
}

function rowsOf(database: DatabaseSync, ids: readonly number[]): Row[] {
  const query = `SELECT ${COLUMNS} FROM sessions s WHERE s.id IN (SELECT value FROM json_each(?))`;
  return database.prepare(query).all(JSON.stringify(ids));
}

function summarize(database: DatabaseSync, rows: readonly Row[], prices: Prices): SessionSummary[] {
  const used = new Map<number, UsageRow[]>();
  const query = database.prepare('SELECT * FROM usage WHERE session IN (SELECT value FROM json_each(?))');
  for (const row of query.iterate(JSON.stringify(rows.map(({ id }) => id)))) {
    const id = Number(row.session);
    const known = used.get(id);
    if (known) known.push({ day: textOf(row.day), ...usageOf(row) });
    else used.set(id, [{ day: textOf(row.day), ...usageOf(row) }]);
  }
  return rows.map((row) => summaryOf(row, used.get(Number(row.id)) ?? [], prices));
}

function summaryOf(row: Row, used: readonly UsageRow[], prices: Prices): SessionSummary {
  const agent = textOf(row.agent);
  const summary: SessionSummary = {
    agent,
    sessionId: textOf(row.session_id),
    messageCount: Number(row.messages),
    toolCallCount: Number(row.tool_calls),
    usage: sumUsage(used.map(({ usage }) => usage ?? undefined)) ?? null,
    ...costOf(agent, used, prices),
    path: textOf(row.path),
  };
  if (row.title) summary.title = textOf(row.title);
  if (row.first_prompt) summary.firstPrompt = textOf(row.first_prompt);
  if (row.cwd) summary.cwd = textOf(row.cwd);
  if (row.model) summary.model = textOf(row.model);
  if (row.created_at !== null) summary.createdAt = Number(row.created_at);
  if (row.updated_at !== null) summary.updatedAt = Number(row.updated_at);
  if (row.parent_id) summary.parentSessionId = textOf(row.parent_id);
  if (row.key) summary.key = textOf(row.key);
  if (row.warnings) summary.warnings = warningsOf(textOf(row.warnings));
  return summary;
}

/** Sum of the known costs; unknown if the cost of some tokens is. */
function costOf(
  agent: string,
  used: readonly UsageRow[],
  prices: Prices,
): Pick<SessionSummary, 'costUsd' | 'costSource'> {
  let sum: number | null = used.length === 0 ? null : 0;
  let estimated = false;
  for (const { model, usage, costUsd } of used) {
    const cost = costUsd ?? prices.estimate(agent, model, usage);
    if (costUsd === null) estimated = true;
    sum = sum === null || cost === null ? null : sum + cost;
  }
  return { costUsd: sum, costSource: sum === null ? null : estimated ? 'estimated' : 'reported' };
}

function usageOf(row: Row): Omit<UsageRow, 'day'> {
  const usage: TokenUsage = {
    inputTokens: numberOf(row.input),
    outputTokens: numberOf(row.output),
    cacheReadTokens: numberOf(row.cache_read),
    cacheCreationTokens: numberOf(row.cache_creation),
    totalTokens: numberOf(row.total),
  };
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, totalTokens } = usage;
  const isEmpty = (inputTokens ?? outputTokens ?? cacheReadTokens ?? cacheCreationTokens ?? totalTokens) === null;
  return { model: textOf(row.model), usage: isEmpty ? null : usage, costUsd: numberOf(row.cost) };
}

function ofSources(sources: readonly SessionSource[]): Condition {
  if (sources.length === 0) return { sql: '0', values: [] };
  return any(sources.map((source) => ofSource(source, sources)));
}

/** Excludes what another requested source with precedence can read at the same location. */
function ofSource({ agent, root, precededBy }: SessionSource, requested: readonly SessionSource[]): Condition {
  const first = precededBy.filter((name) => requested.some((source) => source.agent === name));
  const already = `NOT EXISTS (SELECT 1 FROM sessions e
    WHERE e.agent = ? AND e.root = s.root AND e.path = s.path AND e.key = s.key AND e.messages > 0)`;
  return all(
    { sql: '(s.agent = ? AND s.root = ?)', values: [agent, root] },
    ...first.map((name) => ({ sql: already, values: [name] })),
  );
}

function ofFilter({ cwd, since, until, model }: ResolvedFilter): Condition[] {
  const conditions: Condition[] = [];
  if (cwd !== undefined) conditions.push(any(foldersOf(cwd).map(within)));
  if (since !== undefined) conditions.push({ sql: 's.updated_at >= ?', values: [since] });
  if (until !== undefined) conditions.push({ sql: 's.updated_at < ?', values: [until] });
  if (model !== undefined) {
    const used = contains('u.model', model);
    const usedToo = { ...used, sql: `EXISTS (SELECT 1 FROM usage u WHERE u.session = s.id AND ${used.sql})` };
    conditions.push(any([contains('s.model', model), usedToo]));
  }
  return conditions;
}

function within(folder: string): Condition {
  const below = prefixBelow(folder);
  return { sql: '(s.cwd = ? OR substr(s.cwd, 1, ?) = ?)', values: [folder, below.length, below] };
}

function contains(column: string, part: string): Condition {
  return { sql: `instr(lower(${column}), ?) > 0`, values: [part.toLowerCase()] };
}

function all(...conditions: Condition[]): Condition {
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) };
}

function any(conditions: Condition[]): Condition {
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(' OR ')})`,
    values: conditions.flatMap(({ values }) => values),
  };
}

function warningsOf(text: string): string[] {
  const warnings: unknown = JSON.parse(text);
  return Array.isArray(warnings) ? warnings.map(String) : [];
}

function textOf(value: SQLOutputValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null;
}
