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
  /** `null` is a separator. */
  entries: readonly (MenuEntry | null)[];
}

const OpenedMenu = lazy(async () => ({ default: (await import('./opened-menu.tsx')).OpenedMenu }));

/** A menu whose implementation is loaded when it is first opened. */
export function Menu({ trigger, entries }: MenuProps) {
  const [isRequested, setRequested] = useState(false);
  if (!isRequested) return cloneElement(trigger, { 'aria-haspopup': 'menu', onClick: () => setRequested(true) });
  return (
    <Suspense fallback={trigger}>
      <OpenedMenu trigger={trigger} entries={entries} />
    </Suspense>
  );
}
