import { GitFork } from 'lucide-react';
import type { ForkItem } from '../../data/items.ts';
import { useRows } from '../../data/rows.ts';
import { Link } from '../../parts/router.tsx';
import { titleOf } from '../../parts/words.logic.ts';

/** Around what a fork has of the session that it was copied from. */
export function ForkMark({ item: { parentId, position } }: { item: ForkItem }) {
  const parent = useRows((rows) => rows.sessions.get(parentId));
  if (position === 'removed') {
    return (
      <p className="fork-mark" role="note">
        <GitFork className="icon" aria-hidden /> This is a fork. The session that it was copied from was removed, so its
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
