import { type RefObject, useLayoutEffect } from 'react';

/** A key that was meant for what has just gone must not decide about what comes after it. */
const UNSEEN_MS = 400;
let movedAt = Number.NEGATIVE_INFINITY;

/** The focus has moved on its own a moment ago: what it is on now cannot have been read yet. */
export function hasFocusJustMoved(): boolean {
  return performance.now() - movedAt < UNSEEN_MS;
}

/**
 * An entry of a list that is answered leaves the page, and would take the focus with it. The next entry gets it, else the one
 * before, else what the page marks with `data-focus-home`.
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
    // A button that is disabled loses the focus to nothing: then this entry had it last.
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
      const heirs = [...entries.slice(at + 1), ...entries.slice(0, Math.max(0, at)).reverse()];
      // React still removes elements, and puts the focus back where it was before.
      queueMicrotask(() => {
        if (element.isConnected || window.location.pathname !== path) return;
        const active = document.activeElement;
        if (active && active !== document.body) return;
        const heir =
          heirs.find((each) => each.isConnected) ??
          document.querySelector<HTMLElement>('main [data-focus-home]') ??
          document.getElementById('main');
        movedAt = performance.now();
        heir?.focus({ preventScroll: true });
        heir?.scrollIntoView({ block: 'nearest' });
      });
    };
  }, [ref]);
}
