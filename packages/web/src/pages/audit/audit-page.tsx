import '../../styles/tables.css';
import { useQuery as useAnswer, useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText, Search, X } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '../../data/call.ts';
import { useRows } from '../../data/rows.ts';
import { Fault } from '../../parts/fault.tsx';
import { Link, useQuery } from '../../parts/router.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Age, Button, Empty } from '../../parts/small.tsx';
import { titleOf } from '../../parts/words.logic.ts';
import { browserWords } from '../settings/settings.logic.ts';
import { actionWords, chooseEntries, DECIDERS, detailWords, whoWords } from './audit.logic.ts';

const PAGE = 500;
const ASK_MS = 15_000;

/** Who answered what, and by which rule; and all else that was done. */
export function AuditPage() {
  const [text, setText] = useQuery('q');
  const [show, setShow] = useQuery('show');
  const [by, setBy] = useQuery('by');
  const [session, setSession] = useQuery('session');
  const isAll = show === 'all';
  const audit = useInfiniteQuery({
    queryKey: ['audit', session],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(session === '' ? {} : { session }) };
      const { entries } = await call(
        'readAudit',
        { query: pageParam === null ? query : { ...query, before: pageParam } },
        signal,
      );
      return entries;
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : page[0]?.id),
    staleTime: 0,
    // Whoever reads what is old is not disturbed.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : ASK_MS),
  });
  const browsers = useAnswer({
    queryKey: ['browser names'],
    queryFn: async ({ signal }) => {
      const list = await call('listBrowsers', {}, signal);
      return new Map(list.browsers.map(({ id, name, current }) => [id, current ? 'this browser' : browserWords(name)]));
    },
  });
  const sessions = useRows((rows) => rows.sessions);
  const found = useMemo(
    () => audit.data?.pages.flatMap((page) => chooseEntries(page, { text, isAll, by, session })) ?? [],
    [audit.data, text, isAll, by, session],
  );
  const isFiltered = text !== '' || by !== '' || session !== '' || !isAll;
  const oldest = audit.data?.pages.at(-1)?.[0];
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
        <select className="input" aria-label="By" value={by} onChange={({ target }) => setBy(target.value)}>
          <option value="">By anybody</option>
          {Object.entries(DECIDERS).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
        {session === '' ? null : (
          <Button onClick={() => setSession('')}>
            <X />
            Of one session: show all
          </Button>
        )}
      </search>
      {audit.isPending ? <p className="loading">Loading…</p> : null}
      {audit.error ? <Fault error={audit.error} /> : null}
      {audit.isSuccess && found.length === 0 ? (
        <Empty icon={<ScrollText />} title={isFiltered ? 'Nothing here is like that' : 'Nothing was decided'}>
          <p className="muted">
            {isFiltered && audit.hasNextPage
              ? 'Older ones may be: go on below.'
              : 'Every answer is noted here: who gave it, or which rule.'}
          </p>
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
                    by {whoWords(who, browsers.data)}
                  </span>
                </span>
                <span className="muted">{detailWords(detail)}</span>
              </div>
              {sessionId === null ? null : session ? (
                <Link className="text-link cut audit-session" href={`/sessions/${sessionId}`} data-open>
                  {titleOf(session)}
                </Link>
              ) : (
                <code className="faint" title="This session is no longer here">
                  {sessionId}
                </code>
              )}
              <Age time={time} />
            </li>
          );
        })}
      </ul>
      {oldest ? (
        <p className="more muted">
          {audit.hasNextPage ? (
            <Button onClick={() => void audit.fetchNextPage()} disabled={audit.isFetchingNextPage}>
              {audit.isFetchingNextPage ? 'Reading…' : `Older than ${new Date(oldest.time).toLocaleString()}`}
            </Button>
          ) : (
            'This is all.'
          )}
        </p>
      ) : null}
    </div>
  );
}
