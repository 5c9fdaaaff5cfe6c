import '../../styles/tables.css';
import type { StoredSessionSummary } from '@agent-mux/api/browser';
import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { moneyOf, projectOf } from '../../components/format.logic.ts';
import { Age, Button, Empty } from '../../components/primitives.tsx';
import { Link, useQuery } from '../../components/router.tsx';
import { useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { FilterBar } from '../inbox/filter-bar.tsx';
import { nameOf, pathOf, problemsText } from './stored.logic.ts';

const PAGE = 50;
const DEBOUNCE_MS = 200;

/** All sessions that agents have stored on this machine. */
export function HistoryPage() {
  const [text, setText] = useQuery('q');
  const [agent, setAgent] = useQuery('agent');
  const search = useDebounced(text.trim());
  const agents = useAgents();
  const pages = useInfiniteQuery({
    queryKey: ['history', search, agent],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listHistory',
        {
          query: {
            limit: PAGE,
            ...(search === '' ? {} : { text: search }),
            ...(agent === '' ? {} : { agent }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  });
  const found = pages.data?.pages.flatMap(({ sessions }) => sessions) ?? [];
  const problems = problemsText(pages.data?.pages.flatMap((page) => page.problems) ?? []);
  const names = useMemo(() => (agents.data ?? []).map((each) => each.agent).sort(), [agents.data]);
  return (
    <div className="page">
      <header className="page-head">
        <h1>History</h1>
        <p className="muted">Sessions stored by agents on this machine, including those started outside agent-mux.</p>
      </header>
      <FilterBar text={text} onText={setText} agent={agent} onAgent={setAgent} agents={names} />
      {pages.error ? <ErrorMessage error={pages.error} /> : null}
      {problems.length > 0 ? (
        <details className="problems">
          <summary>
            {problems.length === 1 ? '1 item' : `${problems.length} items`} could not be read and may be missing here
          </summary>
          <ul>
            {problems.slice(0, 100).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {pages.isPending ? <p className="loading">Loading stored sessions…</p> : null}
      {pages.isSuccess && found.length === 0 ? <NoSessions isSearch={search !== ''} /> : null}
      <ul className="rows history-rows" aria-busy={pages.isFetching}>
        {found.map((session) => (
          <StoredRow key={`${session.agent} ${session.agentSessionId}`} session={session} />
        ))}
      </ul>
      {pages.hasNextPage ? (
        <p className="more">
          <Button onClick={() => void pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
            {pages.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </p>
      ) : null}
    </div>
  );
}

/** The value once it has not changed for a moment. */
function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}

function NoSessions({ isSearch }: { isSearch: boolean }) {
  return (
    <Empty icon={<History />} title={isSearch ? 'No matching sessions' : 'No stored sessions'}>
      <p className="muted">
        {isSearch
          ? 'A session must contain all words. Try fewer words.'
          : 'Sessions of agents on this machine appear here, including those started in a terminal.'}
      </p>
    </Empty>
  );
}

function StoredRow({ session }: { session: StoredSessionSummary }) {
  const { agent, cwd, messageCount, costUsd, costSource, updatedAt, createdAt, snippet } = session;
  const time = updatedAt ?? createdAt;
  return (
    <li className="row" data-step tabIndex={-1}>
      <Link className="row-main" href={pathOf(session)} data-open>
        <span className="row-title cut">{nameOf(session)}</span>
        {snippet ? (
          <span className="row-line cut faint">
            {snippet.map((part, at) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other key.
              part.match ? <mark key={at}>{part.text}</mark> : <span key={at}>{part.text}</span>,
            )}
          </span>
        ) : null}
      </Link>
      <span className="row-agent cut muted">{agent}</span>
      <span className="row-project cut faint" title={cwd}>
        {cwd === undefined ? '' : projectOf(cwd)}
      </span>
      <span className="row-count number faint">{messageCount === 1 ? '1 message' : `${messageCount} messages`}</span>
      <span className="row-cost number faint">{moneyOf(costUsd, costSource === 'estimated')}</span>
      <span className="row-time">{time === undefined ? null : <Age time={time} />}</span>
    </li>
  );
}
