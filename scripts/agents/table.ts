import { type CaseResult, verifyCases } from '@agent-mux/testkit';

export interface Outcome extends CaseResult {
  /** It failed among others and passed alone. */
  flaky: boolean;
}

/** `partly`: it holds, but quirks of the CLI switch some of its assertions off. It does not count as passed. */
export function statusOf({
  ok,
  notAsserted = [],
}: Pick<CaseResult, 'ok' | 'notAsserted'>): 'passed' | 'partly' | 'failed' {
  if (!ok) return 'failed';
  return notAsserted.length > 0 ? 'partly' : 'passed';
}

export function countOf(outcomes: readonly CaseResult[]): Record<ReturnType<typeof statusOf>, number> {
  const counts = { passed: 0, partly: 0, failed: 0 };
  for (const outcome of outcomes) counts[statusOf(outcome)] += 1;
  return counts;
}

const LABELS = { passed: '', partly: 'partly ', failed: 'FAIL ' } as const;

const seconds = (ms: number) => (ms / 1000).toFixed(1);

/** Cases down, agents and modes across; a cell has the seconds that it took. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const columns = [...new Set(outcomes.map(columnOf))];
  const ids = [...verifyCases.map(({ id }) => id), ...outcomes.map((outcome) => outcome.case)];
  const cases = [...new Set(ids)].filter((id) => outcomes.some((outcome) => outcome.case === id));
  const cell = (id: string, column: string) => {
    const found = outcomes.find((outcome) => outcome.case === id && columnOf(outcome) === column);
    if (!found) return '-';
    const label = found.flaky ? 'flaky ' : LABELS[statusOf(found)];
    return `${label}${seconds(found.ms)}`;
  };
  const total = (column: string) => {
    const ms = outcomes.filter((outcome) => columnOf(outcome) === column).reduce((sum, outcome) => sum + outcome.ms, 0);
    return seconds(ms);
  };
  const rows = [
    ['case', ...columns],
    ...cases.map((id) => [id, ...columns.map((column) => cell(id, column))]),
    ['seconds', ...columns.map(total)],
  ];
  return align(rows);
}

const columnOf = ({ agent, mode }: CaseResult): string => `${agent}/${mode}`;

function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  ');
  return rows.map(line).join('\n');
}
