import '../../styles/tables.css';
import { useQuery as useAnswer, useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText, Search, X } from 'lucide-react';
import { useMemo } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { titleOf } from '../../components/labels.logic.ts';
import { Age, Button, Empty } from '../../components/primitives.tsx';
import { Link, useQuery } from '../../components/router.tsx';
import { Segments } from '../../components/segments.tsx';
import { call } from '../../data/call.ts';
import { useRows } from '../../data/rows.ts';
import { browserText } from '../settings/settings.logic.ts';
import { actionText, actorText, chooseEntries, DECIDERS, detailText } from './audit.logic.ts';

const PAGE = 500;
const POLL_MS = 15_000;

/** The audit log: who or which rule answered each request, and all other actions. */
export function AuditPage() {
  const [text, setText] = useQuery('q');
  const [show, setShow] = useQuery('show');
  const [by, setBy] = useQuery('by');
  const [session, setSession] = useQuery('session');
  const isAll = show === 'all';
  const audit = useInfiniteQuery({
    queryKey: ['audit', session],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(session === '' ? {} : { sessionId: session }) };
      const { entries } = await call(
        'listAudit',
        { query: pageParam === null ? query : { ...query, before: pageParam } },
        signal,
      );
      return entries;
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE ? null : page[0]?.id),
    staleTime: 0,
    // No polling while the user reads older pages.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : POLL_MS),
  });
  const browsers = useAnswer({
    queryKey: ['browser names'],
    queryFn: async ({ signal }) => {
      const list = await call('listBrowsers', {}, signal);
      return new Map(list.browsers.map(({ id, name, current }) => [id, current ? 'this browser' : browserText(name)]));
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
          Audit log <span className="count">{found.length}</span>
        </h1>
        <span className="grow" />
        <Segments
          label="Show"
          value={isAll ? 'all' : 'decisions'}
          choices={[
            ['decisions', 'Answers'],
            ['all', 'All actions'],
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
        <select className="input" aria-label="Actor" value={by} onChange={({ target }) => setBy(target.value)}>
          <option value="">Anyone</option>
          {Object.entries(DECIDERS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        {session === '' ? null : (
          <Button onClick={() => setSession('')}>
            <X />
            Filtered by session: show all
          </Button>
        )}
      </search>
      {audit.isPending ? <p className="loading">Loading…</p> : null}
      {audit.error ? <ErrorMessage error={audit.error} /> : null}
      {audit.isSuccess && found.length === 0 ? (
        <Empty icon={<ScrollText />} title={isFiltered ? 'No matching entries' : 'No entries yet'}>
          <p className="muted">
            {isFiltered && audit.hasNextPage
              ? 'Older entries may match: load more below.'
              : 'Every decision is recorded here, with the person or rule that made it.'}
          </p>
        </Empty>
      ) : null}
      <ul className="entries">
        {found.map(({ id, timestamp, actor, action, sessionId, detail }) => {
          const session = sessionId === null ? undefined : sessions.get(sessionId);
          return (
            <li key={id} className="entry" data-step tabIndex={-1}>
              <div className="entry-main">
                <span className="entry-title">
                  {actionText(action)}{' '}
                  <span className="muted" title={actor}>
                    by {actorText(actor, browsers.data)}
                  </span>
                </span>
                <span className="muted">{detailText(detail)}</span>
              </div>
              {sessionId === null ? null : session ? (
                <Link className="text-link cut audit-session" href={`/sessions/${sessionId}`} data-open>
                  {titleOf(session)}
                </Link>
              ) : (
                <code className="faint" title="This session was deleted">
                  {sessionId}
                </code>
              )}
              <Age time={timestamp} />
            </li>
          );
        })}
      </ul>
      {oldest ? (
        <p className="more muted">
          {audit.hasNextPage ? (
            <Button onClick={() => void audit.fetchNextPage()} disabled={audit.isFetchingNextPage}>
              {audit.isFetchingNextPage ? 'Loading…' : `Older than ${new Date(oldest.timestamp).toLocaleString()}`}
            </Button>
          ) : (
            'End of the log.'
          )}
        </p>
      ) : null}
    </div>
  );
}
