import type { NotifyRule } from '@agent-mux/api/browser';
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { FormActions } from '../../parts/form-actions.tsx';
import { EVENTS, type NotifyRuleFields, notifyRuleFields, readNotifyRule } from './fields.logic.ts';

interface RuleProps {
  /** Undefined: a new one. */
  rule: NotifyRule | undefined;
  targets: readonly string[];
  onSave(rule: NotifyRule): Promise<string | null>;
  onClose(): void;
}

/** Who is told of what, and when not. */
export function NotifyRuleDialog({ rule, targets, onSave, onClose }: RuleProps) {
  const [fields, setFields] = useState<NotifyRuleFields>(notifyRuleFields(rule));
  const [fault, setFault] = useState<string | null>(null);
  const faultId = useId();
  const { to, when, agents, projects, quietHours, inQuietHours } = fields;
  const set = (change: Partial<NotifyRuleFields>) => {
    setFields({ ...fields, ...change });
    setFault(null);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readNotifyRule(fields);
    const refused = typeof read === 'string' ? read : await onSave(read);
    if (refused === null) onClose();
    else setFault(refused);
  };
  return (
    <Dialog title="What is told" size="small" onClose={onClose}>
      <form className="form" noValidate aria-describedby={faultId} onSubmit={(event) => void save(event)}>
        <Checks
          label="Who is told"
          all={targets.map((name) => [name, name])}
          chosen={to}
          onChange={(next) => set({ to: next })}
        />
        <Checks label="When" all={EVENTS} chosen={when} onChange={(next) => set({ when: next })} />
        <label className="field">
          <span>Only of the agents (with commas between)</span>
          <input
            className="input"
            placeholder="any"
            value={agents}
            onChange={({ target }) => set({ agents: target.value })}
          />
        </label>
        <label className="field">
          <span>Only in the folders (with commas between)</span>
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
            <span>What comes then</span>
            <select
              className="input"
              value={inQuietHours}
              onChange={({ target }) => set({ inQuietHours: target.value === 'drop' ? 'drop' : 'hold' })}
            >
              <option value="hold">is told together afterwards</option>
              <option value="drop">is not told</option>
            </select>
          </label>
        </div>
        <p id={faultId} role="alert" data-tone="bad">
          {fault}
        </p>
        <FormActions word={rule ? 'Save' : 'Add'} onCancel={onClose} />
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
      {all.map(([value, words]) => (
        <label key={value} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
