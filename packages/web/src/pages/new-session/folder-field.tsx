import type { FolderList } from '@agent-mux/api/browser';
import { keepPreviousData, useQuery as useAnswer } from '@tanstack/react-query';
import { Folder, FolderGit2, History } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { call } from '../../data/call.ts';
import { completeTyped, type FolderOption, faultOf, optionsOf, stillFitting, takeOption } from './folder.logic.ts';

/** What is at the path now; asked again when somebody looks again. */
export function useFolders(typed: string) {
  return useAnswer({
    queryKey: ['folders', typed],
    queryFn: ({ signal }) => call('listFolders', { query: typed === '' ? {} : { path: typed } }, signal),
    staleTime: 2_000,
    placeholderData: keepPreviousData,
  });
}

interface FolderFieldProps {
  value: string;
  known: readonly string[];
  found: FolderList | undefined;
  /** `found` is of what is typed now, and not of what was typed before. */
  isCurrent: boolean;
  /** Said when somebody wanted to start in a folder that is not there. */
  isRefused: boolean;
  onChange(value: string): void;
}

/** A path, completed level by level: by arrows and Enter, by Tab as in a shell, or by a tap. */
export function FolderField({ value, known, found, isCurrent, isRefused, onChange }: FolderFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [active, setActive] = useState(-1);
  const options = optionsOf(value, known, isCurrent ? found : found && stillFitting(value, found));
  const isShown = isOpen && options.length > 0;
  const at = isShown && active < options.length ? active : -1;
  const fault =
    found && isCurrent && value !== '' && (!hasFocus || isRefused || options.length === 0) && faultOf(found);
  useEffect(() => {
    if (isRefused) field.current?.focus();
  }, [isRefused]);
  useEffect(() => {
    if (at >= 0) document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at, id]);

  const write = (next: string) => {
    setActive(-1);
    onChange(next);
  };
  const take = (option: FolderOption) => {
    write(takeOption(option));
    setOpen(!option.isKnown);
  };
  const step = (by: 1 | -1) => {
    setOpen(true);
    if (options.length > 0)
      setActive(at < 0 ? (by === 1 ? 0 : options.length - 1) : (at + by + options.length) % options.length);
  };
  const keys: Record<string, (event: KeyboardEvent) => boolean> = {
    ArrowDown() {
      step(1);
      return true;
    },
    ArrowUp() {
      step(-1);
      return true;
    },
    Enter({ ctrlKey, metaKey }) {
      const option = options[at];
      if (option === undefined || ctrlKey || metaKey) return false;
      take(option);
      return true;
    },
    Tab({ shiftKey }) {
      if (!isShown || shiftKey) return false;
      const option = options[at];
      if (option) {
        take(option);
        return true;
      }
      const completed = isCurrent ? completeTyped(value, found) : null;
      if (completed !== null) write(completed);
      return completed !== null;
    },
    Escape() {
      setOpen(false);
      // The dialog stays where there was a list to close.
      return isShown;
    },
  };
  return (
    <div className="field form-wide folder-field">
      <label htmlFor={id}>Folder</label>
      <input
        ref={field}
        id={id}
        className="input mono"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
        aria-invalid={Boolean(fault)}
        aria-describedby={fault ? `${id}-fault` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        placeholder="/home/you/project"
        required
        value={value}
        onChange={({ target }) => {
          write(target.value);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onFocus={() => setFocus(true)}
        onBlur={() => {
          setFocus(false);
          setOpen(false);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || !keys[event.key]?.(event)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {isShown ? (
        <div id={`${id}-list`} className="folder-list" role="listbox" aria-label="Suggestions">
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard, and moves in the list.
            // biome-ignore lint/a11y/useFocusableInteractive: see above.
            <div
              key={option.path}
              id={`${id}-${index}`}
              className="folder-option"
              role="option"
              aria-selected={index === at}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(option)}
            >
              <Mark {...option} />
              <span className="cut mono">
                <bdi dir="ltr">{option.path}</bdi>
              </span>
              {option.isKnown ? <span className="faint">sessions were here</span> : null}
              {option.isRepository ? <span className="faint">git</span> : null}
            </div>
          ))}
        </div>
      ) : null}
      {fault ? (
        <p id={`${id}-fault`} className="field-fault" role="status">
          {fault}
        </p>
      ) : null}
    </div>
  );
}

function Mark({ isKnown, isRepository }: FolderOption) {
  if (isKnown) return <History className="icon" aria-hidden />;
  return isRepository ? <FolderGit2 className="icon" aria-hidden /> : <Folder className="icon" aria-hidden />;
}
