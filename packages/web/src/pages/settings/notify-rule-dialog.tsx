import type { NotifyRule } from '@agent-mux/api/browser';
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormActions } from '../../components/form-actions.tsx';
import { EVENTS, type NotifyRuleFields, notifyRuleFields, readNotifyRule } from './fields.logic.ts';

interface RuleProps {
  /** Undefined for a new rule. */
  rule: NotifyRule | undefined;
  targets: readonly string[];
  onSave(rule: NotifyRule): Promise<string | null>;
  onClose(): void;
}

/** Edits a notification rule: targets, events, filters and quiet hours. */
export function NotifyRuleDialog({ rule, targets, onSave, onClose }: RuleProps) {
  const [fields, setFields] = useState<NotifyRuleFields>(notifyRuleFields(rule));
  const [issue, setIssue] = useState<string | null>(null);
  const issueId = useId();
  const { to, when, agents, projects, quietHours, inQuietHours } = fields;
  const set = (change: Partial<NotifyRuleFields>) => {
    setFields({ ...fields, ...change });
    setIssue(null);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readNotifyRule(fields);
    const refused = typeof read === 'string' ? read : await onSave(read);
    if (refused === null) onClose();
    else setIssue(refused);
  };
  return (
    <Dialog title="Notification rule" size="small" onClose={onClose}>
      <form className="form" noValidate aria-describedby={issueId} onSubmit={(event) => void save(event)}>
        <Checks
          label="Targets"
          all={targets.map((name) => [name, name])}
          chosen={to}
          onChange={(next) => set({ to: next })}
        />
        <Checks label="When" all={EVENTS} chosen={when} onChange={(next) => set({ when: next })} />
        <label className="field">
          <span>Only for agents (comma-separated)</span>
          <input
            className="input"
            placeholder="any"
            value={agents}
            onChange={({ target }) => set({ agents: target.value })}
          />
        </label>
        <label className="field">
          <span>Only in folders (comma-separated)</span>
          <input
            className="input mono"
            placeholder="everywhere"
            spellCheck={false}
            value={projects}
            onChange={({ target }) => set({ projects: target.value })}
          />
        </label>
        <div className="form-grid">
          <label className="field">
            <span>Quiet hours</span>
            <input
              className="input"
              placeholder="none, or 22:00-07:00"
              value={quietHours}
              onChange={({ target }) => set({ quietHours: target.value })}
            />
          </label>
          <label className="field">
            <span>During quiet hours</span>
            <select
              className="input"
              value={inQuietHours}
              onChange={({ target }) => set({ inQuietHours: target.value === 'drop' ? 'drop' : 'hold' })}
            >
              <option value="hold">send a summary afterwards</option>
              <option value="drop">send nothing</option>
            </select>
          </label>
        </div>
        <p id={issueId} role="alert" data-tone="bad">
          {issue}
        </p>
        <FormActions label={rule ? 'Save' : 'Add'} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface ChecksProps<Value extends string> {
  label: string;
  all: readonly (readonly [Value, string])[];
  chosen: readonly Value[];
  onChange(chosen: Value[]): void;
}

function Checks<Value extends string>({ label, all, chosen, onChange }: ChecksProps<Value>) {
  return (
    <fieldset className="checks">
      <legend>{label}</legend>
      {all.map(([value, text]) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
