/** A menu that opens from a button: what can be switched or done, one line each. */
import { DropdownMenu as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import './menu.css';

export interface MenuItem {
  readonly id: string;
  readonly label: string;
  /** A switch with this state; undefined: it is done and over. */
  readonly isOn?: boolean;
  /** Why it cannot be done now; undefined: it can. */
  readonly disabledReason?: string | undefined;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** What the menu is for; its accessible name. */
  readonly label: string;
  /** The button. */
  readonly children: ReactElement;
  readonly items: readonly MenuItem[];
}

function Item({ id, label, isOn, disabledReason, onSelect }: MenuItem) {
  if (isOn === undefined) {
    return (
      <Radix.Item
        className="menu-item"
        disabled={disabledReason !== undefined}
        title={disabledReason}
        onSelect={onSelect}
        data-testid={`menu-${id}`}
      >
        {label}
      </Radix.Item>
    );
  }
  return (
    <Radix.CheckboxItem className="menu-item" checked={isOn} onSelect={onSelect} data-testid={`menu-${id}`}>
      <Radix.ItemIndicator className="menu-mark">✓</Radix.ItemIndicator>
      {label}
    </Radix.CheckboxItem>
  );
}

export function Menu({ label, children, items }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      {/* In the page's main part, so that it belongs to a landmark. */}
      <Radix.Portal container={document.querySelector('main')}>
        <Radix.Content className="menu" align="end" sideOffset={4} collisionPadding={8} aria-label={label}>
          {items.map((item) => (
            <Item key={item.id} {...item} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
