import '../../styles/tables.css';
import type { UsageRow } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { ChartColumn } from 'lucide-react';
import { useMemo } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { projectOf, tokensOf } from '../../components/format.logic.ts';
import { Empty } from '../../components/primitives.tsx';
import { useQuery } from '../../components/router.tsx';
import { Segments } from '../../components/segments.tsx';
import { call } from '../../data/call.ts';
import { CellBar, DayChart } from './charts.tsx';
import { LimitsPart } from './limits-part.tsx';
import { QuotaPart } from './quota-part.tsx';
import {
  type By,
  costDescription,
  costText,
  fillDays,
  firstDayOf,
  type Measure,
  measureOf,
  rankRows,
  tokensIn,
  totalOf,
} from './usage.logic.ts';

const DAYS = [7, 30, 90] as const;
const GROUPS: readonly { by: Exclude<By, 'day'>; title: string; unnamed: string }[] = [
  { by: 'agent', title: 'By agent', unnamed: 'unknown agent' },
  { by: 'model', title: 'By model', unnamed: 'unknown model' },
  { by: 'project', title: 'By project', unnamed: 'no folder' },
];
const MAX_ROWS = 50;

/** Cost, token usage, provider limits and budgets. */
export function UsagePage() {
  const [chosenDays, setDays] = useQuery('days');
  const [measured, setMeasure] = useQuery('show');
  const days = DAYS.find((each) => String(each) === chosenDays) ?? 30;
  const measure: Measure = measured === 'tokens' ? 'tokens' : 'cost';
  return (
    <div className="page">
      <header className="page-head">
        <h1>Usage</h1>
        <span className="grow" />
        <Segments
          label="Measure"
          value={measure}
          choices={[
            ['cost', 'Cost'],
            ['tokens', 'Tokens'],
          ]}
          onChange={(value) => setMeasure(value === 'cost' ? '' : value)}
        />
        <Segments
          label="Period"
          value={String(days)}
          choices={DAYS.map((each) => [String(each), `${each} days`] as const)}
          onChange={(value) => setDays(value === '30' ? '' : value)}
        />
      </header>
      <div className="parts">
        <LimitsPart />
        <Days days={days} measure={measure} />
        <div className="parts-grid">
          {GROUPS.map((group) => (
            <Group key={group.by} {...group} days={days} measure={measure} />
          ))}
        </div>
        <QuotaPart />
      </div>
    </div>
  );
}

function useUsage(by: By, days: number) {
  return useAnswer({
    queryKey: ['usage', by, days],
    queryFn: async ({ signal }) =>
      (await call('getUsage', { query: { by, from: firstDayOf(days, Date.now()) } }, signal)).rows,
    staleTime: 10_000,
    refetchInterval: 60_000,
  });
}

function Days({ days, measure }: { days: number; measure: Measure }) {
  const usage = useUsage('day', days);
  const rows = useMemo(() => fillDays(usage.data ?? [], days, Date.now()), [usage.data, days]);
  if (usage.error) return <ErrorMessage error={usage.error} />;
  if (!usage.data) return <p className="loading">Loading…</p>;
  if (usage.data.length === 0) {
    return (
      <Empty icon={<ChartColumn />} title={`No usage in ${days} days`}>
        <p className="muted">Every finished turn of every session is counted here.</p>
      </Empty>
    );
  }
  const total = totalOf(rows);
  return (
    <section aria-labelledby="usage-days">
      <h2 id="usage-days">By day</h2>
      <dl className="facts">
        <div>
          <dt>Cost</dt>
          <dd title={costDescription(total)}>{costText(total)}</dd>
        </div>
        <div>
          <dt>Input and output tokens</dt>
          <dd>{tokensOf(tokensIn(total))}</dd>
        </div>
        <div>
          <dt>Cache reads</dt>
          <dd>{tokensOf(total.cacheReadTokens)}</dd>
        </div>
      </dl>
      {total.estimatedUsd > 0 || total.unpricedCalls > 0 ? (
        <p className="muted">
          {costDescription(total)}.{' '}
          <span className="faint">~ estimated from list prices, + additional unknown cost.</span>
        </p>
      ) : null}
      <DayChart
        label={
          measure === 'cost'
            ? 'Cost by day; the table below has the numbers'
            : 'Tokens by day; the table below has the numbers'
        }
        rows={rows}
        measure={measure}
      />
      <details>
        <summary>As a table</summary>
        <UsageTable
          caption="Usage by day"
          head="Day"
          rows={rows.filter((row) => usage.data.some(({ key }) => key === row.key)).reverse()}
          measure={measure}
          nameOf={(key) => key}
        />
      </details>
    </section>
  );
}

interface GroupProps {
  by: Exclude<By, 'day'>;
  title: string;
  unnamed: string;
  days: number;
  measure: Measure;
}

function Group({ by, title, unnamed, days, measure }: GroupProps) {
  const usage = useUsage(by, days);
  if (usage.error) return <ErrorMessage error={usage.error} />;
  if (!usage.data || usage.data.length === 0) return null;
  return (
    <section aria-labelledby={`usage-${by}`} data-wide={by === 'project'}>
      <h2 id={`usage-${by}`}>{title}</h2>
      <UsageTable
        caption={`Usage ${title.toLowerCase()}`}
        head={by}
        rows={rankRows(usage.data, measure).slice(0, MAX_ROWS)}
        measure={measure}
        nameOf={(key) => (key === '' ? unnamed : by === 'project' ? projectOf(key) : key)}
      />
    </section>
  );
}

interface TableProps {
  caption: string;
  head: string;
  rows: readonly UsageRow[];
  measure: Measure;
  nameOf(key: string): string;
}

function UsageTable({ caption, head, rows, measure, nameOf }: TableProps) {
  const max = Math.max(...rows.map((row) => measureOf(row, measure)), 0);
  return (
    <div className="table-frame">
      <table className="table">
        <caption className="hidden-text">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" className="word">
              {head}
            </th>
            <th scope="col" className="bar-cell">
              <span className="hidden-text">Share</span>
            </th>
            <th scope="col" className="right">
              In
            </th>
            <th scope="col" className="right">
              Out
            </th>
            <th scope="col" className="right">
              Cached
            </th>
            <th scope="col" className="right">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} data-step tabIndex={-1}>
              <th scope="row" title={row.key} className="cut">
                {nameOf(row.key)}
              </th>
              <td className="bar-cell">
                <CellBar share={max === 0 ? 0 : measureOf(row, measure) / max} />
              </td>
              <td className="right number">{tokensOf(row.inputTokens + row.cacheCreationTokens)}</td>
              <td className="right number">{tokensOf(row.outputTokens)}</td>
              <td className="right number">{tokensOf(row.cacheReadTokens)}</td>
              <td className="right number" title={costDescription(row)}>
                {costText(row)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
