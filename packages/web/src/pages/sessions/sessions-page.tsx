import { useMemo } from 'react';
import type { Rows } from '../../data/changes.logic.ts';
import { useRows } from '../../data/rows.ts';
import { STATES, stateOf } from '../../data/session-state.logic.ts';
import { useQuery } from '../../parts/router.tsx';
import { SessionRow } from '../../parts/session-row.tsx';
import { Empty } from '../../parts/small.tsx';
import { agentsOf, fits } from '../board/board.logic.ts';
import { FilterBar } from '../board/filter-bar.tsx';

const sessionsOf = (rows: Rows) => rows.sessions;
const WORDS = { waiting: 'Waiting', failed: 'Failed', limited: 'Limited', working: 'Working', done: 'Done' } as const;
const MOST_SHOWN = 500;

/** Every session, the newest first. */
export function SessionsPage() {
  const sessions = useRows(sessionsOf);
  const [text, setText] = useQuery('q');
  const [agent, setAgent] = useQuery('agent');
  const [state, setState] = useQuery('state');
  const agents = useMemo(() => agentsOf(sessions.values()), [sessions]);
  const found = useMemo(
    () =>
      [...sessions.values()]
        .filter((session) => fits(session, { text, agent }) && (state === '' || stateOf(session) === state))
        .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.lastActiveAt - a.lastActiveAt),
    [sessions, text, agent, state],
  );
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          Sessions <span className="count">{found.length}</span>
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
      <FilterBar text={text} onText={setText} agent={agent} onAgent={setAgent} agents={agents} />
      {found.length === 0 ? (
        <Empty title="No session is like that">
          <p className="muted">C begins a new one. What agents have stored before is on the page of history.</p>
        </Empty>
      ) : (
        <ul className="rows rows-wide">
          {found.slice(0, MOST_SHOWN).map((session) => (
            <SessionRow key={session.id} session={session} withState />
          ))}
        </ul>
      )}
    </div>
  );
}
