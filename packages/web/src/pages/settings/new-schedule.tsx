import { type FormEvent, useState } from 'react';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { Button } from '../../parts/small.tsx';
import { changeDraft, emptyDraft } from '../new-session/draft.logic.ts';
import { wishOf } from '../new-session/new-session.logic.ts';
import { useSessionFields } from '../new-session/session-fields.tsx';
import { useOrder } from './use-order.ts';

/** A schedule takes what a session takes, and when. */
export function NewSchedule() {
  const order = useOrder('schedules');
  const [draft, setDraft] = useState(emptyDraft);
  const [cron, setCron] = useState('0 9 * * 1-5');
  const [missed, setMissed] = useState<'run' | 'skip'>('skip');
  const [overlap, setOverlap] = useState<'skip' | 'allow'>('skip');
  const [fault, setFault] = useState<Error | null>(null);
  const fields = useSessionFields(draft, (change) => setDraft((before) => changeDraft(before, change)), '');
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setFault(null);
    try {
      const found = await fields.findFolder();
      if (!found) return;
      const wish = wishOf(draft, found.offer, { agent: fields.agent, cwd: found.folder.path });
      // What belongs to one session alone.
      const { id: _, files: __, ...session } = wish;
      const body = { cron, missed, overlap, session };
      if (await order(() => call('createSchedule', { body }), 'The schedule is made'))
        setDraft((before) => changeDraft(before, { prompt: '', title: '' }));
    } catch (error) {
      setFault(error instanceof Error ? error : new Error(String(error)));
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
            <span>If the daemon was off at that time</span>
            <select
              className="input"
              value={missed}
              onChange={({ target }) => setMissed(target.value === 'run' ? 'run' : 'skip')}
            >
              <option value="skip">Skip it</option>
              <option value="run">Run it once, later</option>
            </select>
          </label>
          <label className="field">
            <span>If the last one still runs</span>
            <select
              className="input"
              value={overlap}
              onChange={({ target }) => setOverlap(target.value === 'allow' ? 'allow' : 'skip')}
            >
              <option value="skip">Skip it</option>
              <option value="allow">Start another</option>
            </select>
          </label>
        </div>
        {/* A schedule has no screen to type into. */}
        {fields.shown({ ...fields.offer, terminal: null })}
        {fault ? <Fault error={fault} /> : null}
        <div className="form-actions">
          <Button look="next" type="submit" disabled={fields.agent === '' || fields.cwd === ''}>
            Add the schedule
          </Button>
        </div>
      </form>
    </details>
  );
}
