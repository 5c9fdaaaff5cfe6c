import type { DaemonSettingsView, NotifyTargetPatch } from '@agent-mux/api/browser';
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { FormActions } from '../../parts/form-actions.tsx';
import { Button } from '../../parts/small.tsx';
import { readTarget, type TargetFields } from './fields.logic.ts';

const TYPES = [
  ['webhook', 'Webhook: a signed POST'],
  ['desktop', 'Desktop of the machine'],
] as const;

interface TargetProps {
  /** Undefined: a new one. */
  target: DaemonSettingsView['notify']['targets'][number] | undefined;
  taken: readonly string[];
  onSave(name: string, patch: NotifyTargetPatch, isTold: boolean): Promise<string | null>;
  onClose(): void;
}

/** What is secret in one that is there is not known here; what is left empty stays as it is. */
export function TargetDialog({ target, taken, onSave, onClose }: TargetProps) {
  const isNew = target === undefined;
  const [fields, setFields] = useState<TargetFields>({
    name: target?.name ?? '',
    type: target?.type ?? 'webhook',
    ...{ url: '', secret: '' },
  });
  const [isTold, setTold] = useState(isNew);
  const [fault, setFault] = useState<string | null>(null);
  const faultId = useId();
  const { name, type, url, secret } = fields;
  const set = (change: Partial<TargetFields>) => {
    setFields({ ...fields, ...change });
    setFault(null);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = readTarget({ ...fields, name: type === 'desktop' ? 'desktop' : name }, isNew);
    if (typeof read === 'string') return setFault(read);
    if (isNew && type !== 'desktop' && taken.includes(name)) return setFault(`There is a target ${name} already`);
    const refused = await onSave(type === 'desktop' ? 'desktop' : name, read, isTold);
    if (refused === null) onClose();
    else setFault(refused);
  };
  return (
    <Dialog title={isNew ? 'Add a target' : `Change ${target.name}`} size="small" onClose={onClose}>
      <form className="form" noValidate aria-describedby={faultId} onSubmit={(event) => void save(event)}>
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
              {TYPES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
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
              <span>Address</span>
              <input
                className="input mono"
                spellCheck={false}
                placeholder={isNew ? 'https://example.com/hook' : `as it is, at ${target.place}`}
                value={url}
                onChange={({ target: { value } }) => set({ url: value })}
              />
            </label>
            <label className="field">
              <span>Secret that signs what is sent</span>
              <input
                className="input mono"
                spellCheck={false}
                autoComplete="off"
                placeholder={isNew ? '16 characters or more' : 'as it is'}
                value={secret}
                onChange={({ target: { value } }) => set({ secret: value })}
              />
            </label>
            <p className="faint">
              The receiver needs it too; it is not shown again.{' '}
              <Button look="quiet" onClick={() => set({ secret: makeSecret() })}>
                Make one
              </Button>
            </p>
          </>
        ) : null}
        {type === 'command' ? (
          <p className="faint">Its program is set in the configuration file: a browser cannot say what runs.</p>
        ) : null}
        {isNew ? (
          <>
            <p className="faint">
              A program of yours can be told too: add a target of type "command" to daemon.notify.targets in the
              configuration file.
            </p>
            <label className="check">
              <input type="checkbox" checked={isTold} onChange={({ target: { checked } }) => setTold(checked)} />
              <span>Tell it of all that waits for me</span>
            </label>
          </>
        ) : null}
        <p id={faultId} role="alert" data-tone="bad">
          {fault}
        </p>
        <FormActions word={isNew ? 'Add' : 'Save'} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function makeSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
