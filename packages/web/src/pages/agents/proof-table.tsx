import type { Proof } from '@agent-mux/api/browser';
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { durationOf } from '../../parts/format.logic.ts';

const WORDS = { passed: 'holds', failed: 'fails', skipped: 'not tried' } as const;
const SHAPES = { passed: CircleCheck, failed: CircleX, skipped: CircleDashed } as const;
const TONES = { passed: 'good', failed: 'bad', skipped: 'plain' } as const;

/** What was tried, case by case. */
export function ProofTable({ proofs }: { proofs: readonly Proof[] }) {
  return (
    <div className="table-frame">
      <table className="table proof-table">
        <caption className="hidden-text">What was tried, and what came of it</caption>
        <thead>
          <tr>
            <th scope="col">Result</th>
            <th scope="col">Mode</th>
            <th scope="col">Case</th>
            <th scope="col" className="right">
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {proofs.map(({ mode, case: id, title, status, detail, durationMs }) => {
            const Shape = SHAPES[status];
            return (
              <tr key={`${mode} ${id}`}>
                <td data-tone={TONES[status]}>
                  <span className="proof-result">
                    <Shape className="icon" aria-hidden /> {WORDS[status]}
                  </span>
                </td>
                <td>{mode ?? ''}</td>
                <th scope="row">
                  <span className="word">{title}</span>
                  {detail === undefined ? null : <p className="muted proof-detail">{detail}</p>}
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
