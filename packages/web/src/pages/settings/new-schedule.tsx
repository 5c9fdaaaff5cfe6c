import { type FormEvent, useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Button } from '../../components/primitives.tsx';
import { call } from '../../data/call.ts';
import { changeDraft, emptyDraft } from '../new-session/draft.logic.ts';
import { toNewSession } from '../new-session/new-session.logic.ts';
import { useSessionFields } from '../new-session/session-fields.tsx';
import { useMutation } from './use-mutation.ts';

/** Form of a new schedule: the fields of a session, and when to start it. */
export function NewSchedule() {
  const mutate = useMutation('schedules');
  const [draft, setDraft] = useState(emptyDraft);
  const [cron, setCron] = useState('0 9 * * 1-5');
  const [missed, setMissed] = useState<'run' | 'skip'>('skip');
  const [overlap, setOverlap] = useState<'skip' | 'allow'>('skip');
  const [failure, setFailure] = useState<Error | null>(null);
  const fields = useSessionFields(draft, (change) => setDraft((before) => changeDraft(before, change)), '');
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setFailure(null);
    try {
      const found = await fields.findFolder();
      if (!found) return;
      const newSession = toNewSession(draft, found.choices, { agent: fields.agent, cwd: found.folder.path });
      // The id and files belong to a single session.
      const { id: _, files: __, ...session } = newSession;
      const body = { cron, missed, overlap, session };
      if (await mutate(() => call('createSchedule', { body }), 'Schedule created'))
        setDraft((before) => changeDraft(before, { prompt: '', title: '' }));
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <details>
      <summary>Add a schedule</summary>
      <form className="form new-schedule" onSubmit={(event) => void add(event)}>
        <label className="field">
          <span>Prompt</span>
          <textarea
            className="input"
            required
            rows={3}
            value={draft.prompt}
            onChange={({ target }) => setDraft(changeDraft(draft, { prompt: target.value }))}
          />
        </label>
        <div className="form-grid">
          <label className="field form-wide">
            <span>When (minute hour day month weekday)</span>
            <input className="input mono" required value={cron} onChange={({ target }) => setCron(target.value)} />
          </label>
          <label className="field">
            <span>If the daemon was not running</span>
            <select
              className="input"
              value={missed}
              onChange={({ target }) => setMissed(target.value === 'run' ? 'run' : 'skip')}
            >
              <option value="skip">Skip</option>
              <option value="run">Run once later</option>
            </select>
          </label>
          <label className="field">
            <span>If the previous run is still active</span>
            <select
              className="input"
              value={overlap}
              onChange={({ target }) => setOverlap(target.value === 'allow' ? 'allow' : 'skip')}
            >
              <option value="skip">Skip</option>
              <option value="allow">Start another</option>
            </select>
          </label>
        </div>
        {/* A schedule cannot open a terminal. */}
        {fields.shown({ ...fields.choices, terminal: null })}
        {failure ? <ErrorMessage error={failure} /> : null}
        <div className="form-actions">
          <Button look="next" type="submit" disabled={fields.agent === '' || fields.cwd === ''}>
            Add schedule
          </Button>
        </div>
      </form>
    </details>
  );
}
