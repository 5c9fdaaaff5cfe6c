import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  keys?: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  onSelect(): void;
}

export interface MenuProps {
  trigger: ReactElement<{ onClick?(): void; 'aria-haspopup'?: 'menu' }>;
  /** `null` is a line between. */
  entries: readonly (MenuEntry | null)[];
}

const OpenedMenu = lazy(async () => ({ default: (await import('./opened-menu.tsx')).OpenedMenu }));

/** What it needs to be drawn is loaded when it is opened for the first time. */
export function Menu({ trigger, entries }: MenuProps) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked) return cloneElement(trigger, { 'aria-haspopup': 'menu', onClick: () => setAsked(true) });
  return (
    <Suspense fallback={trigger}>
      <OpenedMenu trigger={trigger} entries={entries} />
    </Suspense>
  );
}
