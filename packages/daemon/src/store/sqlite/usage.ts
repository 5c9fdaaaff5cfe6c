import type { UsageDelta, UsageQuery, UsageRow } from '../store.ts';
import { createConditions } from './conditions.ts';
import type { Connection } from './connection.ts';

const SUMS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_tokens',
  'cost_usd',
  'estimated_usd',
  'unpriced_calls',
];
const COLUMNS = ['day', 'agent', 'model', 'project', 'session_id', ...SUMS];
const ADD = `ON CONFLICT DO UPDATE SET ${SUMS.map((sum) => `${sum} = ${sum} + excluded.${sum}`).join(', ')}`;
const INSERT = `INSERT INTO usage (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')}) ${ADD}`;
const LEAVE_SUMS = `INSERT INTO usage (${COLUMNS.join(', ')})
  SELECT day, agent, model, project, '', ${SUMS.join(', ')} FROM usage WHERE session_id = ? ${ADD}`;
const KEYS: Readonly<Record<UsageQuery['by'], string>> = {
  day: 'day',
  agent: 'agent',
  model: 'model',
  project: 'project',
  session: 'session_id',
};

export function addUsage(connection: Connection, sessionId: string, delta: UsageDelta): void {
  const { usage } = delta;
  const cost = delta.costUsd ?? 0;
  connection
    .prepare(INSERT)
    .run(
      delta.day,
      delta.agent,
      delta.model,
      delta.project,
      sessionId,
      wholeNumber(usage.inputTokens),
      wholeNumber(usage.outputTokens),
      wholeNumber(usage.cacheReadTokens),
      wholeNumber(usage.cacheCreationTokens),
      cost,
      delta.estimated ? cost : 0,
      delta.costUsd === null ? 1 : 0,
    );
}

/** An invalid number from an agent must not prevent its events from being stored. */
function wholeNumber(tokens: number | null): number {
  return tokens !== null && Number.isFinite(tokens) ? Math.round(tokens) : 0;
}

/** Keeps the usage of a deleted session in all totals. */
export function retainUsageOf(connection: Connection, sessionId: string): void {
  connection.prepare(LEAVE_SUMS).run(sessionId);
  connection.prepare('DELETE FROM usage WHERE session_id = ?').run(sessionId);
}

export function readUsage(connection: Connection, query: UsageQuery): UsageRow[] {
  const conditions = createConditions();
  if (query.from !== undefined) conditions.add('day >= ?', query.from);
  if (query.to !== undefined) conditions.add('day <= ?', query.to);
  if (query.agent !== undefined) conditions.add('agent = ?', query.agent);
  if (query.project !== undefined) conditions.add('project = ?', query.project);
  if (query.sessionId !== undefined) conditions.add('session_id = ?', query.sessionId);
  const sums = SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(', ');
  return connection
    .prepare(`SELECT ${KEYS[query.by]} AS key, ${sums} FROM usage ${conditions.where()} GROUP BY 1 ORDER BY 1`)
    .all(...conditions.values)
    .map((row) => ({
      key: String(row.key),
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cacheReadTokens: Number(row.cache_read_tokens),
      cacheCreationTokens: Number(row.cache_creation_tokens),
      costUsd: Number(row.cost_usd),
      estimatedUsd: Number(row.estimated_usd),
      unpricedCalls: Number(row.unpriced_calls),
    }));
}
