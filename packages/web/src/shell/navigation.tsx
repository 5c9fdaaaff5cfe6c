import type { Session } from '@agent-mux/api/browser';
import { Command, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { titleOf } from '../components/labels.logic.ts';
import { Button, IconButton } from '../components/primitives.tsx';
import { Link } from '../components/router.tsx';
import { StateMark } from '../components/state-mark.tsx';
import type { Rows } from '../data/changes.logic.ts';
import { useRows } from '../data/rows.ts';
import { stateOf } from '../data/session-state.logic.ts';
import { showOverlay } from './overlays.ts';
import { PAGES } from './pages.tsx';

const MAX_SESSIONS = 12;
const sessionsOf = (rows: Rows) => rows.sessions;

export function Navigation({ path, waiting }: { path: string; waiting: number }) {
  return (
    <nav className="side" aria-label="Pages">
      <div className="brand">
        <Link href="/" className="brand-name">
          <img src="/icon.svg" alt="" width="20" height="20" />
          agent-mux
        </Link>
        <IconButton label="Commands (Ctrl K)" onClick={() => showOverlay('palette')}>
          <Command />
        </IconButton>
      </div>
      <Button className="side-new" onClick={() => showOverlay('new-session')}>
        <Plus />
        New session
        <kbd>C</kbd>
      </Button>
      <ul className="side-pages">
        {PAGES.map(({ path: to, title, icon: Icon }) =>
          Icon ? (
            <li key={to}>
              <Link href={to} className="side-link" aria-current={isAt(path, to) ? 'page' : undefined}>
                <Icon className="icon" aria-hidden />
                <span>{title}</span>
                {to === '/' && waiting > 0 ? (
                  <span className="badge">
                    {waiting}
                    <span className="hidden-text"> needing input</span>
                  </span>
                ) : null}
              </Link>
            </li>
          ) : null,
        )}
      </ul>
      <ActiveSessions path={path} />
    </nav>
  );
}

/** Pinned and active sessions, reachable from every page. */
function ActiveSessions({ path }: { path: string }) {
  const sessions = useRows(sessionsOf);
  const active = useMemo(() => listActive([...sessions.values()]), [sessions]);
  if (active.length === 0) return null;
  return (
    <section className="side-sessions" aria-label="Pinned and active sessions">
      <h2 className="side-head">Active</h2>
      <ul>
        {active.map((session) => (
          <li key={session.id}>
            <Link
              href={`/sessions/${session.id}`}
              className="side-link"
              aria-current={path === `/sessions/${session.id}` ? 'page' : undefined}
            >
              <StateMark session={session} />
              <span className="cut">{titleOf(session)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function listActive(sessions: readonly Session[]): Session[] {
  return sessions
    .filter((session) => session.pinned || (stateOf(session) !== 'done' && !session.isTerminated))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.createdAt - a.createdAt)
    .slice(0, MAX_SESSIONS);
}

function isAt(path: string, to: string): boolean {
  return to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
}
