import '../../../styles/events.css';
import type { Session } from '@agent-mux/api/browser';
import { useQuery } from '@tanstack/react-query';
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Empty, IconButton, Scrolled } from '../../../components/primitives.tsx';
import { call } from '../../../data/call.ts';
import { PAGE, pagesAround } from './pages.logic.ts';

/** Raw stored events, one page at a time, newest first. */
export function EventsView({ session: { id, lastSeq } }: { session: Session }) {
  const [chosen, setChosen] = useState<number | null>(null);
  // Show the newest page until another is chosen.
  const after = chosen ?? pagesAround(-1, lastSeq).last;
  const { earlier, later, last } = pagesAround(after, lastSeq);
  const page = useQuery({
    queryKey: ['events', id, after, later === null ? lastSeq : null],
    queryFn: ({ signal }) => call('listEvents', { params: { id }, query: { after, limit: PAGE } }, signal),
    placeholderData: (before) => before,
  });
  if (lastSeq < 0) return <Empty title="No events yet" />;
  const events = [...(page.data?.events ?? [])].reverse();
  const go = (to: number | null) => () => setChosen(to);
  return (
    <div className="events">
      <div className="events-bar">
        <span className="muted" role="status">
          {events.length === 0 ? '' : `${events.at(-1)?.seq} to ${events[0]?.seq} of ${lastSeq}`}
        </span>
        <span className="grow" />
        <IconButton label="Newest" disabled={later === null} onClick={go(null)}>
          <ChevronFirst />
        </IconButton>
        <IconButton
          label="Later"
          disabled={later === null}
          onClick={go(later === null || later >= last ? null : later)}
        >
          <ChevronLeft />
        </IconButton>
        <IconButton label="Earlier" disabled={earlier === null} onClick={go(earlier)}>
          <ChevronRight />
        </IconButton>
        <IconButton label="Oldest" disabled={earlier === null} onClick={go(-1)}>
          <ChevronLast />
        </IconButton>
      </div>
      {page.error ? <p className="tool-error">{page.error.message}</p> : null}
      <ol className="events-list">
        {events.map((event) => (
          <li key={event.seq}>
            <details>
              <summary>
                <span className="number faint">{event.seq}</span>
                <time className="faint">{new Date(event.timestamp).toLocaleTimeString()}</time>
                <code>{event.type}</code>
                <code className="cut faint">{JSON.stringify(event)}</code>
              </summary>
              <Scrolled className="tool-text" label={`Event ${event.seq}`}>
                {JSON.stringify(event, null, 2)}
              </Scrolled>
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}
