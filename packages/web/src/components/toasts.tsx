import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { CallError } from '../data/call.ts';
import { IconButton } from './primitives.tsx';

interface Toast {
  id: number;
  text: string;
  hint: string | undefined;
  isError: boolean;
}

const SHOWN_MS = 6_000;
const MAX_TOASTS = 4;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let count = 0;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a short message about a finished action. */
export function showToast(
  text: string,
  { hint, isError = false }: { hint?: string | undefined; isError?: boolean } = {},
): void {
  count += 1;
  const id = count;
  set([...toasts, { id, text, hint, isError }].slice(-MAX_TOASTS));
  setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), isError ? 2 * SHOWN_MS : SHOWN_MS);
}

export function showErrorToast(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  showToast(text.charAt(0).toUpperCase() + text.slice(1), {
    hint: error instanceof CallError ? error.hint : undefined,
    isError: true,
  });
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, hint, isError }) => (
        <div key={id} className="toast" data-error={isError}>
          <div>
            <p>{text}</p>
            {hint === undefined ? null : <p className="muted">{hint}</p>}
          </div>
          <IconButton label="Dismiss" onClick={() => set(toasts.filter((toast) => toast.id !== id))}>
            <X />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
