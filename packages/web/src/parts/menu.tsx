import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

export interface MenuEntry {
  label: string;
  icon?: ReactNode;
  keys?: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  onSelect(): void;
}

/** `null` among the entries is a line between them. Not modal: a modal one would write styles into the page. */
export function Menu({ trigger, entries }: { trigger: ReactNode; entries: readonly (MenuEntry | null)[] }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          {entries.map((entry, at) =>
            entry === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name.
              <DropdownMenu.Separator key={at} className="menu-line" />
            ) : (
              <DropdownMenu.Item
                key={entry.label}
                className="menu-entry"
                data-danger={entry.isDanger}
                disabled={entry.isDisabled ?? false}
                onSelect={entry.onSelect}
              >
                {entry.icon}
                <span>{entry.label}</span>
                {entry.keys ? <kbd>{entry.keys}</kbd> : null}
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
