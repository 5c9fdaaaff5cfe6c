import type { Session } from '@agent-mux/api/browser';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Rows } from '../../data/changes.logic.ts';
import { useRows } from '../../data/rows.ts';
import { STATES, stateOf } from '../../data/session-state.logic.ts';
import { useQuery } from '../../parts/router.tsx';
import { SessionRow } from '../../parts/session-row.tsx';
import { Empty } from '../../parts/small.tsx';
import { agentsOf, fits, projectsOf } from '../board/board.logic.ts';
import { FilterBar } from '../board/filter-bar.tsx';

const sessionsOf = (rows: Rows) => rows.sessions;
const WORDS = { waiting: 'Waiting', failed: 'Failed', limited: 'Limited', working: 'Working', done: 'Done' } as const;
const isLoadedOf = (rows: Rows) => rows.isLoaded;
/** As the style has it; measured when it is drawn. */
const GUESSED_PX = 36;

/** Every session, the newest first. */
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
        .filter((session) => fits(session, { text, agent, project }) && (state === '' || stateOf(session) === state))
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
              {each === '' ? 'All' : WORDS[each as keyof typeof WORDS]}
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
        <Empty title="No session is like that">
          <p className="muted">C begins a new one. What agents have stored before is on the page of history.</p>
        </Empty>
      ) : (
        <SessionList sessions={found} />
      )}
    </div>
  );
}

/** Thousands of rows: only those that are near to what is seen are drawn. */
function SessionList({ sessions }: { sessions: readonly Session[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [above, setAbove] = useState(0);
  useLayoutEffect(() => setAbove(list.current?.offsetTop ?? 0), []);
  const virtual = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => document.querySelector('main'),
    estimateSize: () => GUESSED_PX,
    getItemKey: (at) => sessions[at]?.id ?? at,
    overscan: 20,
    scrollMargin: above,
  });
  const drawn = virtual.getVirtualItems();
  return (
    <ul className="rows rows-wide rows-drawn" ref={list} style={{ height: virtual.getTotalSize() }}>
      {drawn.map(({ index, key, start }) => (
        <SessionRow
          key={key}
          ref={virtual.measureElement}
          session={sessions[index]!}
          withState
          place={{ index, of: sessions.length, top: start - above }}
        />
      ))}
    </ul>
  );
}
