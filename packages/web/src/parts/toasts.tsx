import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { CallError } from '../data/call.ts';
import { IconButton } from './small.tsx';

interface Toast {
  id: number;
  text: string;
  hint: string | undefined;
  isFault: boolean;
}

const SHOWN_MS = 6_000;
const MOST = 4;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let count = 0;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says in passing what was done. */
export function tell(
  text: string,
  { hint, isFault = false }: { hint?: string | undefined; isFault?: boolean } = {},
): void {
  count += 1;
  const id = count;
  set([...toasts, { id, text, hint, isFault }].slice(-MOST));
  setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), isFault ? 2 * SHOWN_MS : SHOWN_MS);
}

export function tellFault(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  tell(text.charAt(0).toUpperCase() + text.slice(1), {
    hint: error instanceof CallError ? error.hint : undefined,
    isFault: true,
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
      {shown.map(({ id, text, hint, isFault }) => (
        <div key={id} className="toast" data-fault={isFault}>
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
