import '../../styles/tables.css';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { ScrollText, Search } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '../../data/call.ts';
import { useRows } from '../../data/rows.ts';
import { Fault } from '../../parts/fault.tsx';
import { Link, useQuery } from '../../parts/router.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Age, Empty } from '../../parts/small.tsx';
import { titleOf } from '../../parts/words.logic.ts';
import { actionWords, chooseEntries, detailWords, whoWords } from './audit.logic.ts';

const NEWEST = 500;

/** Who answered what, and by which rule; and all else that was done. */
export function AuditPage() {
  const [text, setText] = useQuery('q');
  const [show, setShow] = useQuery('show');
  const isAll = show === 'all';
  const audit = useAnswer({
    queryKey: ['audit'],
    queryFn: async ({ signal }) => (await call('readAudit', { query: { limit: NEWEST } }, signal)).entries,
    staleTime: 0,
    refetchInterval: 15_000,
  });
  const sessions = useRows((rows) => rows.sessions);
  const found = useMemo(() => chooseEntries(audit.data ?? [], { text, isAll }), [audit.data, text, isAll]);
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          Decisions <span className="count">{found.length}</span>
        </h1>
        <span className="grow" />
        <Segments
          label="Show"
          value={isAll ? 'all' : 'decisions'}
          choices={[
            ['decisions', 'Answers'],
            ['all', 'All that was done'],
          ]}
          onChange={(value) => setShow(value === 'all' ? 'all' : '')}
        />
      </header>
      <search className="filters">
        <label className="search">
          <Search className="icon" aria-hidden />
          <span className="hidden-text">Search</span>
          <input type="search" placeholder="Search" value={text} onChange={({ target }) => setText(target.value)} />
          <kbd>/</kbd>
        </label>
      </search>
      {audit.error ? <Fault error={audit.error} /> : null}
      {audit.isSuccess && found.length === 0 ? (
        <Empty icon={<ScrollText />} title="Nothing was decided">
          <p className="muted">Every answer is noted here: who gave it, or which rule.</p>
        </Empty>
      ) : null}
      <ul className="entries">
        {found.map(({ id, time, who, action, sessionId, detail }) => {
          const session = sessionId === null ? undefined : sessions.get(sessionId);
          return (
            <li key={id} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {actionWords(action)}{' '}
                  <span className="muted" title={who}>
                    by {whoWords(who)}
                  </span>
                </span>
                <span className="muted">{detailWords(detail)}</span>
              </div>
              {sessionId === null ? null : session ? (
                <Link className="text-link cut audit-session" href={`/sessions/${sessionId}`} data-open>
                  {titleOf(session)}
                </Link>
              ) : (
                <code className="faint">{sessionId}</code>
              )}
              <Age time={time} />
            </li>
          );
        })}
      </ul>
      {audit.data && audit.data.length >= NEWEST ? (
        <p className="more muted">
          The newest {NEWEST} are shown. <code>GET /api/v1/audit</code> has them all.
        </p>
      ) : null}
    </div>
  );
}
