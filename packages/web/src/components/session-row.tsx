import type { Session } from '@agent-mux/api/browser';
import { GitBranch, Pin } from 'lucide-react';
import type { Ref } from 'react';
import { stateOf } from '../data/session-state.logic.ts';
import { changeSession } from './actions.ts';
import { moneyOf, projectOf } from './format.logic.ts';
import { folderOf, titleOf } from './labels.logic.ts';
import { Age, Countdown, Elapsed, IconButton } from './primitives.tsx';
import { Link } from './router.tsx';
import { StateMark } from './state-mark.tsx';

interface RowProps {
  session: Session;
  withState?: boolean;
  /** Position in a virtualized list. */
  position?: { index: number; of: number; top: number };
  ref?: Ref<HTMLLIElement>;
}

/** One session as a list row: title, agent, project, cost, time. */
export function SessionRow({ session, withState = false, position, ref }: RowProps) {
  const { id, agent, statusText, pinned, costUsd, costSource, workspace } = session;
  return (
    <li
      ref={ref}
      className="row"
      data-step
      tabIndex={-1}
      data-state={stateOf(session)}
      {...(position && {
        'data-index': position.index,
        'aria-posinset': position.index + 1,
        'aria-setsize': position.of,
        style: { transform: `translateY(${position.top}px)` },
      })}
    >
      <StateMark session={session} withText={withState} />
      <Link className="row-main" href={`/sessions/${id}`} data-open>
        <span className="row-title cut">{titleOf(session)}</span>
        <span className="row-line cut faint">{statusText}</span>
      </Link>
      <span className="row-agent cut muted">{agent}</span>
      <span className="row-project cut faint" title={folderOf(session)}>
        {workspace.kind === 'worktree' ? <GitBranch aria-label="in a worktree" /> : null}
        {projectOf(folderOf(session))}
      </span>
      <span className="row-cost number faint">{moneyOf(costUsd, costSource === 'estimated')}</span>
      <span className="row-time">
        <When session={session} />
      </span>
      <IconButton
        className="row-pin"
        label={pinned ? 'Unpin' : 'Pin'}
        aria-pressed={pinned}
        data-key="pin"
        onClick={() => void changeSession(id, { pinned: !pinned })}
      >
        <Pin />
      </IconButton>
    </li>
  );
}

function When({ session }: { session: Session }) {
  const state = stateOf(session);
  if (state === 'working') return <Elapsed since={session.activitySince} />;
  if (state === 'limited' && session.limit?.resetsAt) return <Countdown until={session.limit.resetsAt} />;
  return <Age time={session.activitySince} />;
}
