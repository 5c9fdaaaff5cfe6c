import '../../styles/tables.css';
import type { StoredSessionSummary } from '@agent-mux/api/browser';
import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useAgents } from '../../data/agents.ts';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { moneyOf, projectOf } from '../../parts/format.logic.ts';
import { Link, useQuery } from '../../parts/router.tsx';
import { Age, Button, Empty } from '../../parts/small.tsx';
import { FilterBar } from '../board/filter-bar.tsx';
import { addressOf, nameOf, tellProblems } from './stored.logic.ts';

const PAGE = 50;
const SETTLED_MS = 200;

/** All that any agent has ever stored on this machine. */
export function HistoryPage() {
  const [text, setText] = useQuery('q');
  const [agent, setAgent] = useQuery('agent');
  const words = useSettled(text.trim());
  const agents = useAgents();
  const pages = useInfiniteQuery({
    queryKey: ['history', words, agent],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listHistory',
        {
          query: {
            limit: PAGE,
            ...(words === '' ? {} : { text: words }),
            ...(agent === '' ? {} : { agent }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: (before) => before,
  });
  const found = pages.data?.pages.flatMap(({ sessions }) => sessions) ?? [];
  const problems = tellProblems(pages.data?.pages.flatMap((page) => page.problems) ?? []);
  const names = useMemo(
    () =>
      (agents.data ?? []).filter(({ installed, agent: name }) => installed || name === agent).map((each) => each.agent),
    [agents.data, agent],
  );
  return (
    <div className="page">
      <header className="page-head">
        <h1>History</h1>
        <p className="muted">What agents have stored on this machine, begun here or not.</p>
      </header>
      <FilterBar text={text} onText={setText} agent={agent} onAgent={setAgent} agents={names} />
      {pages.error ? <Fault error={pages.error} /> : null}
      {problems.length > 0 ? (
        <details className="problems">
          <summary>
            {problems.length === 1 ? 'One thing' : `${problems.length} things`} could not be read, and may be missing
            here
          </summary>
          <ul>
            {problems.slice(0, 100).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      ) : null}
      {pages.isPending ? <p className="loading">Reading what agents have stored…</p> : null}
      {pages.isSuccess && found.length === 0 ? <Nothing words={words} /> : null}
      <ul className="rows history-rows" aria-busy={pages.isFetching}>
        {found.map((session) => (
          <StoredRow key={`${session.agent} ${session.sessionId}`} session={session} />
        ))}
      </ul>
      {pages.hasNextPage ? (
        <p className="more">
          <Button onClick={() => void pages.fetchNextPage()} disabled={pages.isFetchingNextPage}>
            {pages.isFetchingNextPage ? 'Reading…' : 'Show more'}
          </Button>
        </p>
      ) : null}
    </div>
  );
}

/** What is typed, when the typing has paused. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function Nothing({ words }: { words: string }) {
  return (
    <Empty icon={<History />} title={words === '' ? 'Nothing is stored yet' : 'Nothing has these words'}>
      <p className="muted">
        {words === ''
          ? 'Whatever an agent does on this machine is found here afterwards, also when it was begun in a terminal.'
          : 'All words must occur in a session. Fewer words find more.'}
      </p>
    </Empty>
  );
}

function StoredRow({ session }: { session: StoredSessionSummary }) {
  const { agent, cwd, messageCount, costUsd, costSource, updatedAt, createdAt, snippet } = session;
  const time = updatedAt ?? createdAt;
  return (
    <li className="row" data-step tabIndex={-1}>
      <Link className="row-main" href={addressOf(session)} data-open>
        <span className="row-title cut">{nameOf(session)}</span>
        {snippet ? (
          <span className="row-line cut faint">
            {snippet.map((part, at) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which have no other name.
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
