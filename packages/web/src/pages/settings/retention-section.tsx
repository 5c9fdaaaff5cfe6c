import { ErrorMessage } from '../../components/error-message.tsx';
import { Button } from '../../components/primitives.tsx';
import { showErrorToast, showToast } from '../../components/toasts.tsx';
import { EditedSetting } from './edited-setting.tsx';
import { durationText, patchOf, readBytes, readCount, readDuration } from './fields.logic.ts';
import { bytesOf, spanOf } from './settings.logic.ts';
import { useSettings } from './use-settings.ts';

const STORED = [
  ['true', 'store session content'],
  ['false', 'store session state only, not content'],
] as const;

/** How long sessions are stored, how much of them, and how many may run at once. */
export function RetentionSection() {
  const { data: settings, error } = useSettings();
  if (error) return <ErrorMessage error={error} />;
  if (!settings) return null;
  const { file, retentionMs, retentionBytes, storeContent, parkAfterMs, maxLiveSessions, pending, problems } = settings;
  const copy = () => navigator.clipboard.writeText(file).then(() => showToast('Path copied'), showErrorToast);
  return (
    <section aria-labelledby="retention">
      <h2 id="retention">Data retention</h2>
      <p className="muted">
        These settings, limits, budgets and notifications are stored in <code className="wrapped">{file}</code>{' '}
        <Button look="quiet" onClick={() => void copy()}>
          Copy path
        </Button>
      </p>
      {problems.map((problem) => (
        <ErrorMessage key={problem} error={new Error(problem)} />
      ))}
      {pending.length > 0 ? (
        <p data-tone="wait">
          The file was edited: {pending.map((name) => `daemon.${name}`).join(', ')}. The change applies after the next
          daemon start{pending.some((name) => name !== 'port') ? ', or with the next change made here' : ''}.
        </p>
      ) : null}
      <dl className="pairs">
        <EditedSetting
          settings={settings}
          label="Delete ended sessions after"
          field="retention"
          text={durationText(retentionMs)}
          hint="90d, 12h; 0s: never; empty: the default. Pinned sessions stay."
          read={(text) => patchOf(readDuration(text), (retention) => ({ retention }))}
        >
          {spanOf(retentionMs)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Delete the oldest sessions above"
          field="retentionBytes"
          text={retentionBytes === 0 ? '0' : bytesOf(retentionBytes)}
          hint="5 GB, 500 MB; 0: no limit; empty: the default."
          read={(text) => patchOf(readBytes(text), (bytes) => ({ retentionBytes: bytes }))}
        >
          {bytesOf(retentionBytes)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Conversations"
          field="storeContent"
          text={`${storeContent}`}
          hint="Applies to new content."
          choices={STORED}
          read={(text) => ({ storeContent: text === 'true' })}
        >
          {STORED.find(([value]) => value === `${storeContent}`)?.[1]}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Park idle sessions after"
          field="parkAfter"
          text={durationText(parkAfterMs)}
          hint="The process ends and restarts with the next message. 30m, 2h; 0s: never; empty: the default."
          read={(text) => patchOf(readDuration(text), (parkAfter) => ({ parkAfter }))}
        >
          {spanOf(parkAfterMs)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Maximum running sessions"
          field="maxLiveSessions"
          text={`${maxLiveSessions}`}
          hint="1 to 1000; empty: the default. Sessions already running continue."
          read={(text) => patchOf(readCount(text), (max) => ({ maxLiveSessions: max }))}
        >
          {maxLiveSessions}
        </EditedSetting>
      </dl>
    </section>
  );
}
