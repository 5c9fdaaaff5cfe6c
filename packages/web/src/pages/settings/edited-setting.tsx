import type { DaemonSettingsView, SettingsPatch } from '@agent-mux/api/browser';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../components/primitives.tsx';
import { useChangeSettings } from './use-settings.ts';

interface EditedProps {
  settings: DaemonSettingsView;
  label: string;
  /** Key in the config file, without `daemon.`. */
  field: string;
  /** The effective value. */
  children: ReactNode;
  /** Initial text of the field. */
  text: string;
  hint: string;
  /** Offers these choices instead of a text field. */
  choices?: readonly (readonly [value: string, label: string])[];
  /** Parses the text. Returns an error message if it is invalid. */
  read(text: string): SettingsPatch | string;
}

/** A setting that can be edited in place. */
export function EditedSetting(props: EditedProps) {
  const { settings, label, field, children } = props;
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const name = field.split('.')[0] ?? '';
  const close = () => {
    setOpen(false);
    // Restore the focus.
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
                <span className="tag" data-tone="wait" title="The file has changed">
                  file changed
                </span>
              ) : null}
            </span>
            {settings.overridden.includes(name) ? (
              <span className="faint">set by a daemon start option</span>
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
  const [issue, setIssue] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const id = useId();
  useEffect(() => input.current?.focus(), []);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const patch = read(text.trim());
    if (typeof patch === 'string') return setIssue(patch);
    setBusy(true);
    const refused = await change(patch, 'Saved');
    setBusy(false);
    if (refused === null) onClose();
    else setIssue(refused);
  };
  const shared = {
    ref: input,
    className: 'input',
    'aria-label': label,
    'aria-describedby': id,
    'aria-invalid': issue !== null,
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
            {choices.map(([value, option]) => (
              <option key={value} value={value}>
                {option}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...shared}
            spellCheck={false}
            onChange={({ target }) => {
              setText(target.value);
              setIssue(null);
            }}
          />
        )}
        <Button look="next" type="submit" disabled={isBusy}>
          Save
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
      {issue === null ? (
        <p id={id} className="faint">
          {hint}
        </p>
      ) : (
        <p id={id} role="alert" data-tone="bad">
          {issue}
        </p>
      )}
    </form>
  );
}
