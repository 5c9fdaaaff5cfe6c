import type { FolderList } from '@agent-mux/api/browser';
import { keepPreviousData, useQuery as useAnswer } from '@tanstack/react-query';
import { Folder, FolderGit2, History } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { call } from '../../data/call.ts';
import { completeTyped, type FolderOption, filterFolders, issueOf, optionsOf, selectOption } from './folder.logic.ts';

/** The folders at a path; refetched when stale. */
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
  /** True if `found` belongs to the current value, not to an earlier one. */
  isCurrent: boolean;
  /** True after the user tried to start in a folder that does not exist. */
  isRefused: boolean;
  onChange(value: string): void;
}

/** A path field with completion per level: arrows and Enter, Tab as in a shell, or a tap. */
export function FolderField({ value, known, found, isCurrent, isRefused, onChange }: FolderFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const [active, setActive] = useState(-1);
  const options = optionsOf(value, known, isCurrent ? found : found && filterFolders(value, found));
  const isShown = isOpen && options.length > 0;
  const at = isShown && active < options.length ? active : -1;
  const issue =
    found && isCurrent && value !== '' && (!hasFocus || isRefused || options.length === 0) && issueOf(found);
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
  const select = (option: FolderOption) => {
    write(selectOption(option));
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
      select(option);
      return true;
    },
    Tab({ shiftKey }) {
      if (!isShown || shiftKey) return false;
      const option = options[at];
      if (option) {
        select(option);
        return true;
      }
      const completed = isCurrent ? completeTyped(value, found) : null;
      if (completed !== null) write(completed);
      return completed !== null;
    },
    Escape() {
      setOpen(false);
      // Escape closes the list first; the dialog stays open.
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
        aria-invalid={Boolean(issue)}
        aria-describedby={issue ? `${id}-issue` : undefined}
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
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys and moves in the list.
            // biome-ignore lint/a11y/useFocusableInteractive: see above.
            <div
              key={option.path}
              id={`${id}-${index}`}
              className="folder-option"
              role="option"
              aria-selected={index === at}
              // Keep the focus in the field.
              onPointerDown={(event) => event.preventDefault()}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => select(option)}
            >
              <Mark {...option} />
              <span className="cut mono">
                <bdi dir="ltr">{option.path}</bdi>
              </span>
              {option.isKnown ? <span className="faint">recent</span> : null}
              {option.isRepository ? <span className="faint">git</span> : null}
            </div>
          ))}
        </div>
      ) : null}
      {issue ? (
        <p id={`${id}-issue`} className="field-fault" role="status">
          {issue}
        </p>
      ) : null}
    </div>
  );
}

function Mark({ isKnown, isRepository }: FolderOption) {
  if (isKnown) return <History className="icon" aria-hidden />;
  return isRepository ? <FolderGit2 className="icon" aria-hidden /> : <Folder className="icon" aria-hidden />;
}
