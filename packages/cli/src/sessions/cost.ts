import type { CostGroup, CostRow, SessionCosts } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { askSessions, queryOf } from './flags.ts';
import { money, tokens } from './words.ts';

export async function showCosts(given: Given): Promise<number> {
  const { COST_GROUPS } = await import('@agent-mux/core');
  const wanted = textFlag(given, 'by') ?? 'agent';
  const by = COST_GROUPS.find((known) => known === wanted);
  if (!by) throw new UsageError(`--by: "${wanted}" is not one of ${COST_GROUPS.join(', ')}`);
  const query = await queryOf(given);
  return withClient(given, async ({ sessions }) => {
    const costs = await askSessions(given, (onProgress) => sessions.costs({ ...query, by, onProgress }));
    if (isOn(given, 'json')) return printJson<'sessions cost'>(costs);
    if (costs.rows.length === 0) return print('No session tells what it used.');
    print(costTable(costs, by));
    const { dim } = paint(process.stdout);
    const { estimatedUsd, unpricedTokens } = costs.total;
    if (estimatedUsd > 0)
      print(dim(`\n~ in part or whole from the prices of the models: ${money(estimatedUsd)} in all`));
    if (unpricedTokens > 0) print(dim(`? ${tokens(unpricedTokens)} tokens have no known cost, and are not in the sum`));
    return 0;
  });
}

function costTable({ rows, total }: SessionCosts, by: CostGroup): string {
  const head = [by.toUpperCase(), 'SESSIONS', 'INPUT', 'OUTPUT', 'CACHE READ', 'CACHE WRITE', 'COST'];
  const body = rows.map((row) => [row.group ?? '(not told)', ...cells(row)]);
  const { bold } = paint(process.stdout);
  const last = body.length + 1;
  return addHead([head, ...body, ['total', ...cells(total)]], (cell, row) => (row === last ? bold(cell) : cell), {
    keep: [1, 2, 3, 4, 5, 6],
  });
}

function cells({ sessions, usage, costUsd, estimatedUsd, unpricedTokens }: CostRow): string[] {
  return [
    String(sessions),
    tokens(usage?.inputTokens),
    tokens(usage?.outputTokens),
    tokens(usage?.cacheReadTokens),
    tokens(usage?.cacheCreationTokens),
    `${money(costUsd, estimatedUsd > 0)}${costUsd !== null && unpricedTokens > 0 ? ' ?' : ''}`,
  ];
}
