import { useEffect, useRef } from 'react';

/** A keyboard shortcut. `keys`: one key, or a sequence of two separated by a space. */
export interface KeyBinding {
  keys: string;
  /** Text in the help; without a label the key is not listed. */
  label?: string;
  group?: string;
  /** Whether holding the key repeats it. Keys that decide something must not repeat. */
  repeats?: boolean;
  run(): void;
}

const SECOND_KEY_MS = 1_000;
const bound = new Set<{ current: readonly KeyBinding[] }>();
let first: { key: string; time: number } | undefined;

/** Binds keys while the component is mounted; the latest component takes precedence. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    bound.add(latest);
    return () => {
      bound.delete(latest);
    };
  }, []);
}

/** All labeled bindings, for the help. */
export function listKeys(): KeyBinding[] {
  return [...bound].flatMap(({ current }) => current.filter(({ label }) => label !== undefined));
}

window.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  if (isTyping(event.target) && !name.startsWith('mod+')) return;
  // An open dialog handles all keys itself.
  if (document.querySelector('dialog[open]') && name !== 'mod+k') return;
  const sequence = first && event.timeStamp - first.time < SECOND_KEY_MS ? `${first.key} ${name}` : undefined;
  const all = [...bound].reverse().flatMap(({ current }) => current);
  const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === name);
  first = undefined;
  if (found) {
    event.preventDefault();
    if (!event.repeat || found.repeats) found.run();
  } else if (all.some(({ keys }) => keys.startsWith(`${name} `))) first = { key: name, time: event.timeStamp };
});

function nameOf({ key, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  const plain = key.length === 1 ? key.toLowerCase() : key;
  if (altKey) return `alt+${plain}`;
  return metaKey || ctrlKey ? `mod+${plain}` : plain;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Moves the focus among elements marked with `data-step` and scrolls it into view. */
export function stepFocus(by: 1 | -1): void {
  const steps = [...document.querySelectorAll<HTMLElement>('main [data-step]')].filter(
    (each) => each.offsetParent !== null,
  );
  const active = document.activeElement?.closest<HTMLElement>('[data-step]');
  const at = active ? steps.indexOf(active) : by === 1 ? -1 : steps.length;
  const next = steps[Math.max(0, Math.min(steps.length - 1, at + by))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

/** The `data-step` element that is or contains the focused element. */
export function focusedStep(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-step]') ?? null;
}
