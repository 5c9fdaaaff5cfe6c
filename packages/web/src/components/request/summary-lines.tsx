import type { ApprovalEvent } from '../../data/items.ts';
import { Scrolled } from '../primitives.tsx';

/**
 * Every line of a request, as the engine formatted it. Nothing is omitted, and everything is rendered as plain text.
 */
export function SummaryLines({ event }: { event: ApprovalEvent }) {
  const lines = event.summary ?? linesOf(event.input);
  if (lines.length === 0) return null;
  return (
    <Scrolled className="summary" label="Request details">
      {lines.map(({ kind, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key and never move.
        <span key={at} data-kind={kind}>
          {MARKS[kind]}
          {text}
          {'\n'}
        </span>
      ))}
    </Scrolled>
  );
}

type Line = NonNullable<ApprovalEvent['summary']>[number];

const MARKS: Readonly<Record<Line['kind'], string>> = { field: '', text: '', added: '+ ', removed: '- ', same: '  ' };

function linesOf(input: unknown): Line[] {
  if (input === undefined || input === null) return [];
  const text = typeof input === 'string' ? input : JSON.stringify(input, null, 2);
  return text.split('\n').map((line) => ({ kind: 'text', text: line }));
}
