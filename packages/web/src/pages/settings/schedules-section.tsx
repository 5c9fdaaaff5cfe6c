import type { Schedule } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Button, Countdown } from '../../components/primitives.tsx';
import { Link } from '../../components/router.tsx';
import { call } from '../../data/call.ts';
import { NewSchedule } from './new-schedule.tsx';
import { scheduleText } from './settings.logic.ts';
import { useMutation } from './use-mutation.ts';

/** Sessions that start at set times. */
export function SchedulesSection() {
  const schedules = useAnswer({
    queryKey: ['schedules'],
    queryFn: async ({ signal }) => (await call('listSchedules', {}, signal)).schedules,
    staleTime: 0,
    refetchInterval: 30_000,
  });
  if (schedules.error) return <ErrorMessage error={schedules.error} />;
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">Schedules</h2>
      {schedules.data?.length === 0 ? (
        <p className="muted">No schedules. A schedule starts a session at set times.</p>
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
  const mutate = useMutation('schedules');
  const { id, cron, paused, nextRunAt, lastRun, session } = schedule;
  const name = session.title ?? session.prompt ?? cron;
  return (
    <li className="entry" data-step tabIndex={-1}>
      <div className="entry-main">
        <span className="entry-title">
          <code>{cron}</code> {session.title ?? session.prompt ?? ''}
        </span>
        <span className="muted">
          {scheduleText(schedule)}{' '}
          {lastRun?.sessionId ? (
            <Link className="text-link" href={`/sessions/${lastRun.sessionId}`}>
              last session
            </Link>
          ) : null}
        </span>
      </div>
      {nextRunAt === null ? null : <Countdown until={nextRunAt} />}
      <span className="entry-actions">
        <Button
          aria-label={`Run now: ${name}`}
          onClick={() => void mutate(() => call('runSchedule', { params: { id } }), 'Schedule started')}
        >
          Run now
        </Button>
        <Button
          aria-label={`${paused ? 'Resume' : 'Pause'}: ${name}`}
          onClick={() =>
            void mutate(
              () => call('updateSchedule', { params: { id }, body: { paused: !paused } }),
              paused ? 'Schedule resumed' : 'Schedule paused',
            )
          }
        >
          {paused ? 'Resume' : 'Pause'}
        </Button>
        <Removal
          name={name}
          onRemove={() => mutate(() => call('removeSchedule', { params: { id } }), 'Schedule removed')}
        />
      </span>
    </li>
  );
}

/** A button that asks for confirmation before it removes. */
function Removal({ name, onRemove }: { name: string; onRemove(): Promise<boolean> }) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Button
      look="danger"
      aria-label={`${isConfirming ? 'Really remove' : 'Remove'}: ${name}`}
      onBlur={() => setConfirming(false)}
      onClick={() => (isConfirming ? void onRemove() : setConfirming(true))}
    >
      {isConfirming ? 'Really remove?' : 'Remove'}
    </Button>
  );
}
