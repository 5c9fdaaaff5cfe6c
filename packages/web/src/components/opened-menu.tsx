import { DropdownMenu } from 'radix-ui';
import type { MenuProps } from './menu.tsx';

/** Opens on mount. Not modal: a modal menu would inject inline styles, which the CSP forbids. */
export function OpenedMenu({ trigger, entries }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          {entries.map((entry, at) =>
            entry === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: separators have no other key.
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
