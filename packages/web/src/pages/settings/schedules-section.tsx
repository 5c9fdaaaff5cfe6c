import type { Schedule } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { Link } from '../../parts/router.tsx';
import { Button, Countdown } from '../../parts/small.tsx';
import { NewSchedule } from './new-schedule.tsx';
import { scheduleWords } from './settings.logic.ts';
import { useOrder } from './use-order.ts';

/** Sessions that begin by themselves. */
export function SchedulesSection() {
  const schedules = useAnswer({
    queryKey: ['schedules'],
    queryFn: async ({ signal }) => (await call('listSchedules', {}, signal)).schedules,
    staleTime: 0,
    refetchInterval: 30_000,
  });
  if (schedules.error) return <Fault error={schedules.error} />;
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">Schedules</h2>
      {schedules.data?.length === 0 ? (
        <p className="muted">None. A schedule begins a session again and again.</p>
      ) : null}
      <ul className="entries">
        {(schedules.data ?? []).map((schedule) => (
          <Entry key={schedule.id} schedule={schedule} />
        ))}
      </ul>
      <NewSchedule />
    </section>
  );
}

function Entry({ schedule }: { schedule: Schedule }) {
  const order = useOrder('schedules');
  const { id, cron, paused, nextAt, lastRun, session } = schedule;
  const name = session.title ?? session.prompt ?? cron;
  return (
    <li className="entry" data-step tabIndex={-1}>
      <div className="entry-main">
        <span className="entry-title">
          <code>{cron}</code> {session.title ?? session.prompt ?? ''}
        </span>
        <span className="muted">
          {scheduleWords(schedule)}{' '}
          {lastRun?.sessionId ? (
            <Link className="text-link" href={`/sessions/${lastRun.sessionId}`}>
              its session
            </Link>
          ) : null}
        </span>
      </div>
      {nextAt === null ? null : <Countdown until={nextAt} />}
      <span className="entry-actions">
        <Button
          aria-label={`Run now: ${name}`}
          onClick={() => void order(() => call('runSchedule', { params: { id } }), 'It runs now')}
        >
          Run now
        </Button>
        <Button
          aria-label={`${paused ? 'Resume' : 'Pause'}: ${name}`}
          onClick={() =>
            void order(
              () => call('changeSchedule', { params: { id }, body: { paused: !paused } }),
              paused ? 'It runs again' : 'It is paused',
            )
          }
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <Removal name={name} onRemove={() => order(() => call('removeSchedule', { params: { id } }), 'It is gone')} />
      </span>
    </li>
  );
}

/** What cannot be taken back asks a second time. */
function Removal({ name, onRemove }: { name: string; onRemove(): Promise<boolean> }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <Button
      look="danger"
      aria-label={`${isAsked ? 'Really remove' : 'Remove'}: ${name}`}
      onBlur={() => setAsked(false)}
      onClick={() => (isAsked ? void onRemove() : setAsked(true))}
    >
      {isAsked ? 'Really remove?' : 'Remove'}
    </Button>
  );
}
