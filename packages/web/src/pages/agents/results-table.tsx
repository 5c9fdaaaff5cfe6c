import type { VerifyResult } from '@agent-mux/api/browser';
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { durationOf } from '../../components/format.logic.ts';

const LABELS = { passed: 'passed', failed: 'failed', skipped: 'skipped' } as const;
const SHAPES = { passed: CircleCheck, failed: CircleX, skipped: CircleDashed } as const;
const TONES = { passed: 'good', failed: 'bad', skipped: 'plain' } as const;

/** Verification results, one row per case. */
export function ResultsTable({ results }: { results: readonly VerifyResult[] }) {
  return (
    <div className="table-frame">
      <table className="table results-table">
        <caption className="hidden-text">Verification results</caption>
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col">Mode</th>
            <th scope="col">Case</th>
            <th scope="col" className="right">
              Duration
            </th>
          </tr>
        </thead>
        <tbody>
          {results.map(({ mode, case: id, title, status, detail, durationMs }) => {
            const Shape = SHAPES[status];
            return (
              <tr key={`${mode} ${id}`}>
                <td data-tone={TONES[status]}>
                  <span className="result-status">
                    <Shape className="icon" aria-hidden /> {LABELS[status]}
                  </span>
                </td>
                <td>{mode ?? ''}</td>
                <th scope="row">
                  <span className="word">{title}</span>
                  {detail === undefined ? null : <p className="muted result-detail">{detail}</p>}
                </th>
                <td className="right number">{durationOf(durationMs)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
