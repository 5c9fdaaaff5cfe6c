import { useQuery as useAnswer } from '@tanstack/react-query';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { EditedSetting } from './edited-setting.tsx';
import { durationText, patchOf, readCount, readDuration, readHours } from './fields.logic.ts';
import { spanOf } from './settings.logic.ts';
import { useSettings } from './use-settings.ts';

const AT_LIMIT = [
  ['stop', 'sessions wait for you'],
  ['wait', 'sessions go on by themselves when the limit is lifted'],
] as const;

/** What sessions do when a limit has stopped them. */
export function LimitsSection() {
  const { data: settings, error } = useSettings();
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  if (error) return <Fault error={error} />;
  if (!settings) return null;
  const { onLimit } = settings;
  const { hours, maxContinuationsPerDay, staggerMs, message } = settings.limits;
  return (
    <section aria-labelledby="at-limits">
      <h2 id="at-limits">At a limit</h2>
      <p className="muted">For new sessions; each may be told otherwise, in its menu.</p>
      <dl className="pairs">
        <EditedSetting
          settings={settings}
          label="When a limit stops a session"
          field="onLimit"
          text={onLimit}
          hint="Counts for sessions that are made from now on."
          choices={AT_LIMIT}
          read={(text) => ({ onLimit: text === 'wait' ? 'wait' : 'stop' })}
        >
          {AT_LIMIT.find(([value]) => value === onLimit)?.[1]}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="They go on by themselves"
          field="limits.hours"
          text={hours ?? ''}
          hint="08:00-22:00, by the clock of the machine; empty: at any time."
          read={(text) => patchOf(readHours(text), (value) => ({ limits: { hours: value } }))}
        >
          {hours ?? 'at any time'}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Times a day, over all sessions"
          field="limits.maxContinuationsPerDay"
          text={`${maxContinuationsPerDay}`}
          hint="1 to 10000; empty: the default."
          read={(text) => patchOf(readCount(text), (most) => ({ limits: { maxContinuationsPerDay: most } }))}
        >
          {maxContinuationsPerDay}
          {limits.data ? `, today ${limits.data.rules.today}` : ''}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Between two of one login"
          field="limits.stagger"
          text={durationText(staggerMs)}
          hint="20s, 5m; empty: the default."
          read={(text) => patchOf(readDuration(text), (stagger) => ({ limits: { stagger } }))}
        >
          {staggerMs === 0 ? 'no pause' : spanOf(staggerMs)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="What one is told that was stopped in its work"
          field="limits.message"
          text={message}
          hint="Empty: the default."
          read={(text) => ({ limits: { message: text === '' ? null : text } })}
        >
          {message}
        </EditedSetting>
      </dl>
    </section>
  );
}
