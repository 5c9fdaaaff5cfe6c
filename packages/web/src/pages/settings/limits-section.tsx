import { useQuery as useAnswer } from '@tanstack/react-query';
import { ErrorMessage } from '../../components/error-message.tsx';
import { call } from '../../data/call.ts';
import { EditedSetting } from './edited-setting.tsx';
import { durationText, patchOf, readCount, readDuration, readHours } from './fields.logic.ts';
import { spanOf } from './settings.logic.ts';
import { useSettings } from './use-settings.ts';

const AT_LIMIT = [
  ['pause', 'pause'],
  ['continue', 'continue automatically after the reset'],
] as const;

/** How sessions react to a limit. */
export function LimitsSection() {
  const { data: settings, error } = useSettings();
  const limits = useAnswer({ queryKey: ['limits'], queryFn: ({ signal }) => call('getLimits', {}, signal) });
  if (error) return <ErrorMessage error={error} />;
  if (!settings) return null;
  const { onLimit } = settings;
  const { hours, maxPerDay, staggerMs, message } = settings.continuation;
  return (
    <section aria-labelledby="at-limits">
      <h2 id="at-limits">At a limit</h2>
      <p className="muted">Applies to new sessions. Change it for one session in its menu.</p>
      <dl className="pairs">
        <EditedSetting
          settings={settings}
          label="When a session hits a limit"
          field="onLimit"
          text={onLimit}
          hint="Applies to new sessions."
          choices={AT_LIMIT}
          read={(text) => ({ onLimit: text === 'continue' ? 'continue' : 'pause' })}
        >
          {AT_LIMIT.find(([value]) => value === onLimit)?.[1]}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Continue only between"
          field="continuation.hours"
          text={hours ?? ''}
          hint="08:00-22:00 in the daemon’s local time; empty: at any time."
          read={(text) => patchOf(readHours(text), (value) => ({ continuation: { hours: value } }))}
        >
          {hours ?? 'at any time'}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Maximum continuations per day"
          field="continuation.maxPerDay"
          text={`${maxPerDay}`}
          hint="1 to 10000; empty: the default."
          read={(text) => patchOf(readCount(text), (max) => ({ continuation: { maxPerDay: max } }))}
        >
          {maxPerDay}
          {limits.data ? `, today ${limits.data.rules.continuedToday}` : ''}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Delay between sessions of one account"
          field="continuation.stagger"
          text={durationText(staggerMs)}
          hint="20s, 5m; empty: the default."
          read={(text) => patchOf(readDuration(text), (stagger) => ({ continuation: { stagger } }))}
        >
          {staggerMs === 0 ? 'no delay' : spanOf(staggerMs)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Message sent to continue"
          field="continuation.message"
          text={message}
          hint="Empty: the default."
          read={(text) => ({ continuation: { message: text === '' ? null : text } })}
        >
          {message}
        </EditedSetting>
      </dl>
    </section>
  );
}
