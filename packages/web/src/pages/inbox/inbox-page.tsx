import type { Session } from '@agent-mux/api/browser';
import { ChevronDown, CircleCheckBig, Plus, Sparkles } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, Empty } from '../../components/primitives.tsx';
import { Link, useQuery } from '../../components/router.tsx';
import { SessionRow } from '../../components/session-row.tsx';
import type { Rows } from '../../data/changes.logic.ts';
import { useInbox } from '../../data/inbox.ts';
import { useRows } from '../../data/rows.ts';
import type { State } from '../../data/session-state.logic.ts';
import { showOverlay } from '../../shell/overlays.ts';
import { startDemo } from '../new-session/start-demo.ts';
import { FilterBar } from './filter-bar.tsx';
import { InboxCard } from './inbox-card.tsx';
import { agentsOf, type Filter, groupPath, groupSessions, projectsOf } from './inbox-page.logic.ts';

const sessionsOf = (rows: Rows) => rows.sessions;
const isLoadedOf = (rows: Rows) => rows.isLoaded;
/** Sessions shown per group; the sessions page has the rest. */
const MAX_SHOWN = 50;
const GROUPS: readonly [Exclude<State, 'waiting'>, string][] = [
  ['working', 'Working'],
  ['limited', 'Limited'],
  ['failed', 'Failed'],
  ['done', 'Done'],
];

/** Everything that needs the user, across all sessions, followed by all other sessions. */
export function InboxPage() {
  const sessions = useRows(sessionsOf);
  const isLoaded = useRows(isLoadedOf);
  const inbox = useInbox();
  const [text, setText] = useQuery('q');
  const [agent, setAgent] = useQuery('agent');
  const [project, setProject] = useQuery('project');
  const filter = useMemo(() => ({ text, agent, project }), [text, agent, project]);
  const groups = useMemo(() => groupSessions(sessions.values(), filter), [sessions, filter]);
  const projects = useMemo(() => projectsOf(sessions.values()), [sessions]);
  const agents = useMemo(() => agentsOf(sessions.values()), [sessions]);
  if (!isLoaded) return <p className="loading">Loading…</p>;
  if (sessions.size === 0) return <Welcome />;
  return (
    <div className="inbox-page">
      <section className="inbox" aria-labelledby="needs-you">
        <header className="page-head">
          <h1 id="needs-you" tabIndex={-1} data-focus-home>
            Needs you <span className="count">{inbox.length}</span>
          </h1>
        </header>
        <div className="inbox-list">
          {inbox.length === 0 ? (
            <Empty icon={<CircleCheckBig aria-hidden />} title="You're all caught up">
              <p className="muted">Approvals, questions, limits and failures from all sessions appear here.</p>
            </Empty>
          ) : (
            inbox.map((entry) => <InboxCard key={entry.key} entry={entry} />)
          )}
        </div>
      </section>
      <section className="others" aria-label="All other sessions">
        <FilterBar
          {...{ text, agent, agents, project, projects }}
          onText={setText}
          onAgent={setAgent}
          onProject={setProject}
        />
        <div className="groups">
          {GROUPS.map(([state, label]) => (
            <Group key={state} state={state} label={label} sessions={groups[state]} filter={filter} />
          ))}
        </div>
      </section>
    </div>
  );
}

interface GroupProps {
  state: State;
  label: string;
  sessions: readonly Session[];
  filter: Filter;
}

function Group({ state, label, sessions, filter }: GroupProps) {
  const [isOpen, setOpen] = useState(true);
  if (sessions.length === 0) return null;
  return (
    <section className="group" data-state={state}>
      <h2>
        <button type="button" className="group-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronDown aria-hidden className="icon" />
          {label} <span className="count">{sessions.length}</span>
        </button>
      </h2>
      {isOpen ? (
        <ul className="rows">
          {sessions.slice(0, MAX_SHOWN).map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      ) : null}
      {isOpen && sessions.length > MAX_SHOWN ? (
        <Link className="text-link group-all" href={groupPath(state, filter)}>
          Show all {sessions.length.toLocaleString()}
        </Link>
      ) : null}
    </section>
  );
}

/** Shown until the first session exists. */
function Welcome() {
  const [isBusy, setBusy] = useState(false);
  return (
    <Empty title="No sessions yet">
      <p className="muted">
        A session is an agent working in a folder. It keeps running when you close this page, and asks you here before
        it does anything you have not allowed.
      </p>
      <div className="empty-actions">
        <Button look="next" onClick={() => showOverlay('new-session')}>
          <Plus />
          New session
          <kbd>C</kbd>
        </Button>
        <Button
          disabled={isBusy}
          onClick={async () => {
            setBusy(true);
            await startDemo();
            setBusy(false);
          }}
        >
          <Sparkles />
          Try the demo
        </Button>
      </div>
      <p className="faint">The demo agent is built in: no account or model needed.</p>
    </Empty>
  );
}
