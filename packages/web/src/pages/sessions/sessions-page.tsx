import type { Session } from '@agent-mux/api/browser';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Empty } from '../../components/primitives.tsx';
import { useQuery } from '../../components/router.tsx';
import { SessionRow } from '../../components/session-row.tsx';
import type { Rows } from '../../data/changes.logic.ts';
import { useRows } from '../../data/rows.ts';
import { STATES, stateOf } from '../../data/session-state.logic.ts';
import { FilterBar } from '../inbox/filter-bar.tsx';
import { agentsOf, matchesFilter, projectsOf } from '../inbox/inbox-page.logic.ts';

const sessionsOf = (rows: Rows) => rows.sessions;
const LABELS = {
  waiting: 'Needs input',
  failed: 'Failed',
  limited: 'Limited',
  working: 'Working',
  done: 'Done',
} as const;
const isLoadedOf = (rows: Rows) => rows.isLoaded;
/** Row height of the style sheet; measured on render. */
const ESTIMATED_PX = 36;

/** All sessions, newest first. */
export function SessionsPage() {
  const sessions = useRows(sessionsOf);
  const [text, setText] = useQuery('q');
  const [agent, setAgent] = useQuery('agent');
  const isLoaded = useRows(isLoadedOf);
  const [project, setProject] = useQuery('project');
  const [state, setState] = useQuery('state');
  const projects = useMemo(() => projectsOf(sessions.values()), [sessions]);
  const agents = useMemo(() => agentsOf(sessions.values()), [sessions]);
  const found = useMemo(
    () =>
      [...sessions.values()]
        .filter(
          (session) => matchesFilter(session, { text, agent, project }) && (state === '' || stateOf(session) === state),
        )
        .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.lastActiveAt - a.lastActiveAt),
    [sessions, text, agent, project, state],
  );
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          Sessions <span className="count">{found.length.toLocaleString()}</span>
        </h1>
        <fieldset className="segments" aria-label="State">
          {['', ...STATES].map((each) => (
            <label key={each} data-on={each === state}>
              <input type="radio" name="state" checked={each === state} onChange={() => setState(each)} />
              {each === '' ? 'All' : LABELS[each as keyof typeof LABELS]}
            </label>
          ))}
        </fieldset>
      </header>
      <FilterBar
        {...{ text, agent, agents, project, projects }}
        onText={setText}
        onAgent={setAgent}
        onProject={setProject}
      />
      {!isLoaded ? <p className="loading">Loading…</p> : null}
      {!isLoaded ? null : found.length === 0 ? (
        <Empty title="No matching sessions">
          <p className="muted">Press C to start one. Older sessions are under History.</p>
        </Empty>
      ) : (
        <SessionList sessions={found} />
      )}
    </div>
  );
}

/** Virtualized list for thousands of rows. */
function SessionList({ sessions }: { sessions: readonly Session[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => setAbove(list.current?.offsetTop ?? 0), []);
  const virtual = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => document.querySelector('main'),
    estimateSize: () => ESTIMATED_PX,
    getItemKey: (at) => sessions[at]?.id ?? at,
    overscan: 20,
    scrollMargin: above,
  });
  const rendered = virtual.getVirtualItems();
  return (
    <ul className="rows rows-wide rows-drawn" ref={list} style={{ height: virtual.getTotalSize() }}>
      {rendered.map(({ index, key, start }) => (
        <SessionRow
          key={key}
          ref={virtual.measureElement}
          session={sessions[index]!}
          withState
          position={{ index, of: sessions.length, top: start - above }}
        />
      ))}
    </ul>
  );
}
