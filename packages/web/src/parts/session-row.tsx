import type { Session } from '@agent-mux/api/browser';
import { GitBranch, Pin } from 'lucide-react';
import type { Ref } from 'react';
import { stateOf } from '../data/session-state.logic.ts';
import { moneyOf, projectOf } from './format.logic.ts';
import { changeSession } from './orders.ts';
import { Link } from './router.tsx';
import { Age, Countdown, Elapsed, IconButton } from './small.tsx';
import { StateMark } from './state-mark.tsx';
import { folderOf, titleOf } from './words.logic.ts';

interface RowProps {
  session: Session;
  withState?: boolean;
  /** In a list of which not all is drawn. */
  place?: { index: number; of: number; top: number };
  ref?: Ref<HTMLLIElement>;
}

/** A session in a line: who, what, where, for how long, for how much. */
export function SessionRow({ session, withState = false, place, ref }: RowProps) {
  const { id, agent, lastLine, pinned, costUsd, costSource, workspace } = session;
  return (
    <li
      ref={ref}
      className="row"
      data-step
      tabIndex={-1}
      data-state={stateOf(session)}
      {...(place && {
        'data-index': place.index,
        'aria-posinset': place.index + 1,
        'aria-setsize': place.of,
        style: { transform: `translateY(${place.top}px)` },
      })}
    >
      <StateMark session={session} withWord={withState} />
      <Link className="row-main" href={`/sessions/${id}`} data-open>
        <span className="row-title cut">{titleOf(session)}</span>
        <span className="row-line cut faint">{lastLine}</span>
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
