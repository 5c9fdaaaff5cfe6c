import type { CostGroup, CostRow, SessionCosts } from '@agent-mux/core';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { queryOf, querySessions } from './flags.ts';
import { formatMoney, tokens } from './format.ts';

export async function showCosts(args: ParsedArgs): Promise<number> {
  const { COST_GROUPS } = await import('@agent-mux/core');
  const wanted = stringFlag(args, 'by') ?? 'agent';
  const by = COST_GROUPS.find((known) => known === wanted);
  if (!by) throw new UsageError(`--by: invalid value "${wanted}"`, `use one of ${COST_GROUPS.join(', ')}`);
  const query = await queryOf(args);
  return withClient(args, async ({ sessions }) => {
    const costs = await querySessions(args, (onProgress) => sessions.costs({ ...query, by, onProgress }));
    if (hasFlag(args, 'json')) return printJson<'sessions cost'>(costs);
    if (costs.rows.length === 0) return print('No session reports usage.');
    print(costTable(costs, by));
    const { dim } = paint(process.stdout);
    const { estimatedUsd, unpricedTokens } = costs.total;
    if (estimatedUsd > 0) print(dim(`\n~ includes estimates from model prices: ${formatMoney(estimatedUsd)} in total`));
    if (unpricedTokens > 0) print(dim(`? ${tokens(unpricedTokens)} tokens have no known cost and are not included`));
    return 0;
  });
}

function costTable({ rows, total }: SessionCosts, by: CostGroup): string {
  const head = [by.toUpperCase(), 'SESSIONS', 'INPUT', 'OUTPUT', 'CACHE READ', 'CACHE WRITE', 'COST'];
  const body = rows.map((row) => [row.group ?? '(unknown)', ...cells(row)]);
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
    `${formatMoney(costUsd, estimatedUsd > 0)}${costUsd !== null && unpricedTokens > 0 ? ' ?' : ''}`,
  ];
}
