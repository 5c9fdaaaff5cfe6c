import { useEffect, useRef } from 'react';

/** What a key does. `keys`: one key, or two with a space between that are pressed after each other. */
export interface KeyBinding {
  keys: string;
  /** For the page of help; without it the key is not listed there. */
  label?: string;
  group?: string;
  /** It may be held down. Where it decides something, each press counts once. */
  repeats?: boolean;
  run(): void;
}

const SECOND_KEY_MS = 1_000;
const bound = new Set<{ current: readonly KeyBinding[] }>();
let first: { key: string; time: number } | undefined;

/** Keys that work while the component is shown; those of the one that came last count first. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const kept = useRef(bindings);
  kept.current = bindings;
  useEffect(() => {
    bound.add(kept);
    return () => {
      bound.delete(kept);
    };
  }, []);
}

/** All that have a label, for the page of help. */
export function listKeys(): KeyBinding[] {
  return [...bound].flatMap(({ current }) => current.filter(({ label }) => label !== undefined));
}

window.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  if (isTyping(event.target) && !name.startsWith('mod+')) return;
  // A dialog that is open has the keyboard for itself.
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

/** Moves the focus among what is marked with `data-step`, and keeps it in view. */
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

/** The marked element that the focus is in or on. */
export function focusedStep(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-step]') ?? null;
}
