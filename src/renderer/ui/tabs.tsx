/** A row of tabs over one panel; arrows move, and the panel of a tab that is not chosen is not rendered. */
import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import type { Choice } from './choice.ts';
import './tabs.css';

export interface TabsProps<Id extends string> {
  /** Accessible name of the row. */
  readonly label: string;
  readonly tabs: readonly Choice<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
  /** Content of the selected tab. */
  readonly children: ReactNode;
}

export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  return (
    <Radix.Root className="tabs" value={selected} onValueChange={(id) => onSelect(id as Id)}>
      <Radix.List className="tabs-list" aria-label={label}>
        {tabs.map(({ id, title, disabledReason }) => (
          <Radix.Trigger
            key={id}
            className="tabs-tab"
            value={id}
            disabled={disabledReason !== undefined}
            title={disabledReason}
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content className="tabs-panel" value={selected}>
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
