import type { UsageRow } from '@agent-mux/api/browser';
import { moneyOf, tokensOf } from '../../components/format.logic.ts';
import { ceilingOf, costDescription, type Measure, measureOf, valueText } from './usage.logic.ts';

const HEIGHT = 100;

interface ChartProps {
  label: string;
  rows: readonly UsageRow[];
  measure: Measure;
}

/** One column per day. The table below the chart is the accessible alternative. */
export function DayChart({ label, rows, measure }: ChartProps) {
  const top = ceilingOf(rows.map((row) => measureOf(row, measure)));
  const width = rows.length * 10;
  return (
    <figure className="chart">
      <div className="chart-frame">
        <span className="chart-top faint number">
          {measure === 'tokens' ? tokensOf(top) : top < 0.01 ? `$${top}` : moneyOf(top)}
        </span>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <line className="chart-line" x1="0" x2={width} y1="0.5" y2="0.5" />
          <line className="chart-line" x1="0" x2={width} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          {rows.map((row, at) => {
            const whole = (measureOf(row, measure) / top) * HEIGHT;
            const estimated = measure === 'cost' ? (row.estimatedUsd / top) * HEIGHT : 0;
            return (
              <g key={row.key} className="chart-day">
                <title>{`${row.key}: ${measure === 'cost' ? costDescription(row) : `${valueText(row, measure)} tokens`}`}</title>
                <rect className="chart-reach" x={at * 10} y="0" width="10" height={HEIGHT} />
                <rect className="chart-bar" x={at * 10 + 1.5} y={HEIGHT - whole} width="7" height={whole - estimated} />
                <rect className="chart-guess" x={at * 10 + 1.5} y={HEIGHT - estimated} width="7" height={estimated} />
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption className="chart-ends faint number">
        <span>{rows[0]?.key}</span>
        <span>{rows.at(-1)?.key}</span>
      </figcaption>
    </figure>
  );
}

/** A bar in a table cell; another cell shows the number. */
export function CellBar({ share }: { share: number }) {
  return (
    <svg className="cell-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden>
      <rect className="cell-bar-all" width="100" height="6" rx="2" />
      <rect className="cell-bar-part" width={Math.max(0, Math.min(100, share * 100))} height="6" rx="2" />
    </svg>
  );
}
