import type { DaemonSettingsView, NotifyTargetPatch } from '@agent-mux/api/browser';
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormActions } from '../../components/form-actions.tsx';
import { Button } from '../../components/primitives.tsx';
import { readTarget, type TargetFields } from './fields.logic.ts';

const TYPES = [
  ['webhook', 'Webhook: a signed POST'],
  ['desktop', 'Desktop notification'],
] as const;

interface TargetProps {
  /** Undefined for a new target. */
  target: DaemonSettingsView['notify']['targets'][number] | undefined;
  taken: readonly string[];
  onSave(name: string, patch: NotifyTargetPatch, withRule: boolean): Promise<string | null>;
  onClose(): void;
}

/** Secrets of an existing target are not sent to the page; empty fields stay unchanged. */
export function TargetDialog({ target, taken, onSave, onClose }: TargetProps) {
  const isNew = target === undefined;
  const [fields, setFields] = useState<TargetFields>({
    name: target?.name ?? '',
    type: target?.type ?? 'webhook',
    ...{ url: '', secret: '' },
  });
  const [withRule, setWithRule] = useState(isNew);
  const [issue, setIssue] = useState<string | null>(null);
  const issueId = useId();
  const { name, type, url, secret } = fields;
  const set = (change: Partial<TargetFields>) => {
    setFields({ ...fields, ...change });
    setIssue(null);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readTarget({ ...fields, name: type === 'desktop' ? 'desktop' : name }, isNew);
    if (typeof read === 'string') return setIssue(read);
    if (isNew && type !== 'desktop' && taken.includes(name)) return setIssue(`Target ${name} already exists`);
    const refused = await onSave(type === 'desktop' ? 'desktop' : name, read, withRule);
    if (refused === null) onClose();
    else setIssue(refused);
  };
  return (
    <Dialog title={isNew ? 'Add a target' : `Change ${target.name}`} size="small" onClose={onClose}>
      <form className="form" noValidate aria-describedby={issueId} onSubmit={(event) => void save(event)}>
        {isNew ? (
          <label className="field">
            <span>Kind</span>
            <select
              className="input"
              value={type}
              onChange={({ target: { value } }) =>
                set({ type: TYPES.find(([each]) => each === value)?.[0] ?? 'webhook' })
              }
            >
              {TYPES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {isNew && type !== 'desktop' ? (
          <label className="field">
            <span>Name</span>
            <input className="input" value={name} onChange={({ target: { value } }) => set({ name: value.trim() })} />
          </label>
        ) : null}
        {type === 'webhook' ? (
          <>
            <label className="field">
              <span>URL</span>
              <input
                className="input mono"
                spellCheck={false}
                placeholder={isNew ? 'https://example.com/hook' : `unchanged: ${target.destination}`}
                value={url}
                onChange={({ target: { value } }) => set({ url: value })}
              />
            </label>
            <label className="field">
              <span>Signing secret</span>
              <input
                className="input mono"
                spellCheck={false}
                autoComplete="off"
                placeholder={isNew ? '16 characters or more' : 'unchanged'}
                value={secret}
                onChange={({ target: { value } }) => set({ secret: value })}
              />
            </label>
            <p className="faint">
              The receiver needs it too. It is not shown again.{' '}
              <Button look="quiet" onClick={() => set({ secret: generateSecret() })}>
                Generate
              </Button>
            </p>
          </>
        ) : null}
        {type === 'command' ? (
          <p className="faint">The program is set in the config file; a browser cannot change it.</p>
        ) : null}
        {isNew ? (
          <>
            <p className="faint">
              To run a program instead, add a target of type "command" to daemon.notify.targets in the config file.
            </p>
            <label className="check">
              <input type="checkbox" checked={withRule} onChange={({ target: { checked } }) => setWithRule(checked)} />
              <span>Notify it about everything that needs me</span>
            </label>
          </>
        ) : null}
        <p id={issueId} role="alert" data-tone="bad">
          {issue}
        </p>
        <FormActions label={isNew ? 'Add' : 'Save'} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function generateSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
