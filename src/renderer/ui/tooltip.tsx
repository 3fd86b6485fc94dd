/** A name or reason beside a control, on hover and on focus. It repeats nothing that the control already prints. */
import { Tooltip as Radix } from 'radix-ui';
import type { FocusEvent, ReactElement, ReactNode } from 'react';
import './tooltip.css';

export interface TooltipProps {
  /** One focusable element. */
  readonly children: ReactElement;
  readonly content: ReactNode;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
}

/** Shared delay of all tooltips; once around the app. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={300} disableHoverableContent>
      {children}
    </Radix.Provider>
  );
}

/** Focus that comes back from a closed dialog or another window asks for no name; focus that moves here does. */
function keepShut(event: FocusEvent): void {
  if (event.relatedTarget === null) event.preventDefault();
}

export function Tooltip({ children, content, side = 'bottom' }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={keepShut}>
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" side={side} sideOffset={4} collisionPadding={4}>
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
