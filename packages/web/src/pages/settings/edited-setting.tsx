import type { DaemonSettingsView, SettingsPatch } from '@agent-mux/api/browser';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../parts/small.tsx';
import { useChangeSettings } from './use-settings.ts';

interface EditedProps {
  settings: DaemonSettingsView;
  /** For people. */
  label: string;
  /** Of the file, without `daemon.`. */
  field: string;
  /** As it counts. */
  children: ReactNode;
  /** What the field begins with. */
  text: string;
  hint: string;
  /** Chosen from these, not written. */
  choices?: readonly (readonly [value: string, label: string])[];
  /** A string: what is wrong with it. */
  read(text: string): SettingsPatch | string;
}

/** A value, and beside it the way to change it, in its place. */
export function EditedSetting(props: EditedProps) {
  const { settings, label, field, children } = props;
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const name = field.split('.')[0] ?? '';
  const close = () => {
    setOpen(false);
    // The focus goes back to where it was.
    requestAnimationFrame(() => opener.current?.focus());
  };
  return (
    <div>
      <dt>
        {label}
        <code className="setting-field">daemon.{field}</code>
      </dt>
      <dd className="setting">
        {isOpen ? (
          <Editor {...props} onClose={close} />
        ) : (
          <>
            <span className="setting-value">
              {children}
              {settings.pending.includes(name) ? (
                <span className="tag" data-tone="wait" title="The file says something else by now">
                  the file differs
                </span>
              ) : null}
            </span>
            {settings.overridden.includes(name) ? (
              <span className="faint">set by how the daemon was started</span>
            ) : (
              <Button ref={opener} look="quiet" aria-label={`Change: ${label}`} onClick={() => setOpen(true)}>
                Change
              </Button>
            )}
          </>
        )}
      </dd>
    </div>
  );
}

function Editor({ label, text: first, hint, choices, read, onClose }: EditedProps & { onClose(): void }) {
  const change = useChangeSettings();
  const [text, setText] = useState(first);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const id = useId();
  useEffect(() => input.current?.focus(), []);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const patch = read(text.trim());
    if (typeof patch === 'string') return setFault(patch);
    setBusy(true);
    const refused = await change(patch, 'It counts from now on');
    setBusy(false);
    if (refused === null) onClose();
    else setFault(refused);
  };
  const shared = {
    ref: input,
    className: 'input',
    'aria-label': label,
    'aria-describedby': id,
    'aria-invalid': fault !== null,
    value: text,
  };
  return (
    <form
      className="setting-form"
      noValidate
      onSubmit={(event) => void save(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="setting-line">
        {choices ? (
          <select {...shared} onChange={({ target }) => setText(target.value)}>
            {choices.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...shared}
            spellCheck={false}
            onChange={({ target }) => {
              setText(target.value);
              setFault(null);
            }}
          />
        )}
        <Button look="next" type="submit" disabled={isBusy}>
          Save
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
      {fault === null ? (
        <p id={id} className="faint">
          {hint}
        </p>
      ) : (
        <p id={id} role="alert" data-tone="bad">
          {fault}
        </p>
      )}
    </form>
  );
}
