import type { Session } from '@agent-mux/api/browser';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { projectOf } from '../../../components/format.logic.ts';
import { titleOf } from '../../../components/labels.logic.ts';
import { Age } from '../../../components/primitives.tsx';
import { Link } from '../../../components/router.tsx';
import { call } from '../../../data/call.ts';
import type { Rows } from '../../../data/changes.logic.ts';
import { useRows } from '../../../data/rows.ts';
import { lastSteps, type Step, sharersOf } from './whose.logic.ts';

/** Up to this many other sessions are listed by name; otherwise only their number is shown. */
const MAX_NAMED = 3;
const AUDIT_ENTRIES = 500;
const sessionsOf = (rows: Rows) => rows.sessions;

/** Explains which sessions the changes belong to, since when, and whether they were merged or committed. */
export function WhoseChanges({ session, base }: { session: Session; base: string | null | undefined }) {
  return session.workspace.kind === 'worktree' ? (
    <OfWorktree session={session} worktree={session.workspace} />
  ) : (
    <OfFolder session={session} base={base} />
  );
}

type Worktree = Extract<Session['workspace'], { kind: 'worktree' }>;

function OfWorktree({ session, worktree }: { session: Session; worktree: Worktree }) {
  const { branch, base, baseBranch } = worktree;
  const steps = useQuery({
    queryKey: ['worktree steps', session.id],
    queryFn: async ({ signal }) =>
      lastSteps((await call('listAudit', { query: { sessionId: session.id, limit: AUDIT_ENTRIES } }, signal)).entries),
    staleTime: 0,
  });
  return (
    <div className="whose">
      <p className="muted">
        Changes of this session only: everything on <code>{branch}</code> since it started
        {baseBranch === null ? '' : ' from '}
        {baseBranch === null ? null : <code>{baseBranch}</code>} at <code>{short(base)}</code>, committed or not.
      </p>
      {(steps.data ?? []).map((step) => (
        <StepLine key={step.kind} step={step} branch={branch} />
      ))}
    </div>
  );
}

function StepLine({ step: { kind, time, where, into }, branch }: { step: Step; branch: string }) {
  const at = where === null ? null : <code>{kind === 'discard' ? where : short(where)}</code>;
  return (
    <p className="muted" data-step-kind={kind}>
      {kind === 'merge' ? (
        <>
          Merged into <code>{into}</code> as {at} <Age time={time} />. Changes made after that are not in it.
        </>
      ) : kind === 'commit' ? (
        <>
          Committed to <code>{branch}</code> as {at} <Age time={time} />.
        </>
      ) : (
        <>
          Discarded <Age time={time} />
          {at === null ? '' : ', saved on '}
          {at}.
        </>
      )}
    </p>
  );
}

function OfFolder({ session, base }: { session: Session; base: string | null | undefined }) {
  const sessions = useRows(sessionsOf);
  const others = useMemo(() => sharersOf(session, sessions.values()), [session, sessions]);
  return (
    <div className="whose">
      <p className="muted">
        All uncommitted changes in <code title={session.cwd}>{projectOf(session.cwd)}</code>
        {base === undefined || base === null ? '' : ' since '}
        {base === undefined || base === null ? null : <code>{short(base)}</code>}, made by this session, other sessions
        or you (no worktree).
      </p>
      {others.length === 0 ? null : (
        <p className="muted">
          {others.length === 1 ? 'Another session works' : `${others.length} other sessions work`} in this folder
          {others.length > MAX_NAMED ? '.' : ': '}
          {others.length > MAX_NAMED
            ? null
            : others.map((other, at) => (
                <span key={other.id}>
                  {at === 0 ? '' : ', '}
                  <Link className="text-link" href={`/sessions/${other.id}?view=changes`}>
                    {titleOf(other)}
                  </Link>
                </span>
              ))}
        </p>
      )}
    </div>
  );
}

function short(commit: string): string {
  return commit.slice(0, 10);
}
