import { Fault } from '../../parts/fault.tsx';
import { Button } from '../../parts/small.tsx';
import { tell, tellFault } from '../../parts/toasts.tsx';
import { EditedSetting } from './edited-setting.tsx';
import { durationText, patchOf, readBytes, readCount, readDuration } from './fields.logic.ts';
import { bytesOf, spanOf } from './settings.logic.ts';
import { useSettings } from './use-settings.ts';

const STORED = [
  ['true', 'what is said in sessions is stored'],
  ['false', 'only how sessions go is stored, not what is said'],
] as const;

/** How long sessions are kept, how much of them, and how many live at once. */
export function KeptSection() {
  const { data: settings, error } = useSettings();
  if (error) return <Fault error={error} />;
  if (!settings) return null;
  const { file, keepMs, keepBytes, storeActivity, idleParkMs, maxLiveSessions, pending, problems } = settings;
  const copy = () => navigator.clipboard.writeText(file).then(() => tell('The path is copied'), tellFault);
  return (
    <section aria-labelledby="retention">
      <h2 id="retention">What is kept</h2>
      <p className="muted">
        These settings, limits, budgets and notifications stand in <code className="wrapped">{file}</code>{' '}
        <Button look="quiet" onClick={() => void copy()}>
          Copy the path
        </Button>
      </p>
      {problems.map((problem) => (
        <Fault key={problem} error={new Error(problem)} />
      ))}
      {pending.length > 0 ? (
        <p data-tone="wait">
          The file has been changed by hand: {pending.map((name) => `daemon.${name}`).join(', ')}. That counts after the
          next start of the daemon{pending.some((name) => name !== 'port') ? ', or with the next change made here' : ''}
          .
        </p>
      ) : null}
      <dl className="pairs">
        <EditedSetting
          settings={settings}
          label="Ended sessions are dropped after"
          field="keep"
          text={durationText(keepMs)}
          hint="90d, 12h; 0s: never; empty: the default. What is pinned stays."
          read={(text) => patchOf(readDuration(text), (keep) => ({ keep }))}
        >
          {spanOf(keepMs)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="And the oldest above"
          field="keepBytes"
          text={keepBytes === 0 ? '0' : bytesOf(keepBytes)}
          hint="5 GB, 500 MB; 0: no limit; empty: the default."
          read={(text) => patchOf(readBytes(text), (bytes) => ({ keepBytes: bytes }))}
        >
          {bytesOf(keepBytes)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Conversations"
          field="storeActivity"
          text={`${storeActivity}`}
          hint="Counts for what is said from now on."
          choices={STORED}
          read={(text) => ({ storeActivity: text === 'true' })}
        >
          {STORED.find(([value]) => value === `${storeActivity}`)?.[1]}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="An idle session is parked after"
          field="idlePark"
          text={durationText(idleParkMs)}
          hint="Its process ends, and comes back with the next message. 30m, 2h; 0s: never; empty: the default."
          read={(text) => patchOf(readDuration(text), (idlePark) => ({ idlePark }))}
        >
          {spanOf(idleParkMs)}
        </EditedSetting>
        <EditedSetting
          settings={settings}
          label="Processes of agents at once"
          field="maxLiveSessions"
          text={`${maxLiveSessions}`}
          hint="1 to 1000; empty: the default. Those that are at work already go on."
          read={(text) => patchOf(readCount(text), (most) => ({ maxLiveSessions: most }))}
        >
          {maxLiveSessions}
        </EditedSetting>
      </dl>
    </section>
  );
}
