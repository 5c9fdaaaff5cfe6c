import { GitFork } from 'lucide-react';
import { titleOf } from '../../components/labels.logic.ts';
import { Link } from '../../components/router.tsx';
import type { ForkItem } from '../../data/items.ts';
import { useRows } from '../../data/rows.ts';

/** Marks the start and end of the conversation that a fork inherits. */
export function ForkMark({ item: { parentId, position } }: { item: ForkItem }) {
  const parent = useRows((rows) => rows.sessions.get(parentId));
  if (position === 'removed') {
    return (
      <p className="fork-mark" role="note">
        <GitFork className="icon" aria-hidden /> This is a fork. Its parent session was deleted, so the parent’s
        conversation cannot be shown; the agent still has its copy.
      </p>
    );
  }
  const name = (
    <Link className="text-link" href={`/sessions/${parentId}`}>
      {parent ? titleOf(parent) : parentId}
    </Link>
  );
  return (
    <p className="fork-mark" role="note" data-position={position}>
      <GitFork className="icon" aria-hidden />{' '}
      {position === 'start' ? <span>From {name}:</span> : <span>Forked here from {name}. New messages follow.</span>}
    </p>
  );
}
