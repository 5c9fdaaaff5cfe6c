import type { OperationResponse } from '@agent-mux/api/browser';
import { ChevronRight } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { Button } from '../../../components/primitives.tsx';
import { type PatchLine, readPatch } from './patch.logic.ts';

export type FileDiff = OperationResponse<'getDiff'>['files'][number];

/** Further lines are rendered on request. */
const MAX_LINES = 600;
const MARKS: Readonly<Record<PatchLine['kind'], string>> = { added: '+', removed: '-', same: '', note: '' };

/** One changed file. `isOpen` is the initial state; the user can toggle it. */
export const DiffOfFile = memo(function DiffOfFile({ file, isOpen }: { file: FileDiff; isOpen: boolean }) {
  const [chosen, setChosen] = useState<boolean>();
  const isShown = chosen ?? isOpen;
  return (
    <section className="changed" aria-label={file.path} data-step tabIndex={-1}>
      <h3>
        <button
          type="button"
          className="changed-head"
          aria-expanded={isShown}
          data-open
          onClick={() => setChosen(!isShown)}
        >
          <ChevronRight className="icon tool-fold" aria-hidden />
          <span className="changed-status">{file.status}</span>
          <code className="changed-path">
            {file.oldPath === null ? '' : `${file.oldPath} → `}
            {file.path}
          </code>
          <Counts added={file.added} removed={file.removed} />
        </button>
      </h3>
      {isShown ? <Patch patch={file.patch} /> : null}
    </section>
  );
});

export function Counts({ added, removed }: { added: number | null; removed: number | null }) {
  if (added === null || removed === null) return <span className="faint">binary</span>;
  return (
    <span className="number changed-counts">
      <span className="count-added">+{added}</span> <span className="count-removed">−{removed}</span>
    </span>
  );
}

function Patch({ patch }: { patch: string | null }) {
  const hunks = useMemo(() => readPatch(patch ?? ''), [patch]);
  const [isWhole, setWhole] = useState(false);
  if (patch === null) return <p className="changed-note">Not shown: binary or too long.</p>;
  const count = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (count === 0) return <p className="changed-note">No lines changed.</p>;
  let left = isWhole ? count : MAX_LINES;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it sideways.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields.
    <div className="patch" role="group" aria-label="Lines" tabIndex={0}>
      <div className="patch-lines">
        {hunks.map((hunk, at) => {
          const lines = hunk.lines.slice(0, Math.max(0, left));
          left -= lines.length;
          if (lines.length === 0) return null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no other key.
            <div key={at}>
              {at > 0 || hunk.title !== '' ? <p className="patch-gap">{hunk.title || '⋯'}</p> : null}
              {lines.map(({ kind, before, after, text }, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key.
                <p key={line} className="patch-line" data-kind={kind}>
                  <span className="patch-number">{before ?? ''}</span>
                  <span className="patch-number">{after ?? ''}</span>
                  <span className="patch-mark">{MARKS[kind]}</span>
                  <span>{text === '' ? ' ' : text}</span>
                </p>
              ))}
            </div>
          );
        })}
      </div>
      {count > MAX_LINES && !isWhole ? (
        <Button className="patch-more" onClick={() => setWhole(true)}>
          Show all {count.toLocaleString()} lines
        </Button>
      ) : null}
    </div>
  );
}
