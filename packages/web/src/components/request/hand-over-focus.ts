import { type RefObject, useLayoutEffect } from 'react';

/** Within this time a key press may still be meant for the removed entry and must not answer the next one. */
const UNSEEN_MS = 400;
let movedAt = Number.NEGATIVE_INFINITY;

/** True just after the focus moved automatically, when the user cannot have read the focused entry yet. */
export function hasFocusJustMoved(): boolean {
  return performance.now() - movedAt < UNSEEN_MS;
}

/**
 * Moves the focus when a focused list entry is removed: to the next entry, else the previous one, else the element
 * marked with `data-focus-home`.
 */
export function useHandOverFocus(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const path = window.location.pathname;
    let isFocused = element.contains(document.activeElement);
    const enter = () => {
      isFocused = true;
    };
    // A button that becomes disabled loses the focus to nothing: then this entry still counts as focused.
    const leave = ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget instanceof Node && !element.contains(relatedTarget)) isFocused = false;
    };
    element.addEventListener('focusin', enter);
    element.addEventListener('focusout', leave);
    return () => {
      element.removeEventListener('focusin', enter);
      element.removeEventListener('focusout', leave);
      if (!isFocused) return;
      const entries = [...document.querySelectorAll<HTMLElement>('main [data-entry]')];
      const at = entries.indexOf(element);
      const successors = [...entries.slice(at + 1), ...entries.slice(0, Math.max(0, at)).reverse()];
      // React is still removing elements and restores the previous focus afterwards.
      queueMicrotask(() => {
        if (element.isConnected || window.location.pathname !== path) return;
        const active = document.activeElement;
        if (active && active !== document.body) return;
        const successor =
          successors.find((each) => each.isConnected) ??
          document.querySelector<HTMLElement>('main [data-focus-home]') ??
          document.getElementById('main');
        movedAt = performance.now();
        successor?.focus({ preventScroll: true });
        successor?.scrollIntoView({ block: 'nearest' });
      });
    };
  }, [ref]);
}
