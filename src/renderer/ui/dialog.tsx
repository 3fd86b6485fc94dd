/**
 * A modal dialog: focus stays inside, Esc closes it, focus returns to where it was.
 * Radix's own Overlay is not used: it injects a <style> element, which the content policy forbids.
 */
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useInsertionEffect, useRef } from 'react';
import { IconButton } from './icon-button.tsx';
import './dialog.css';

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** The line under the title; also what a screen reader says first. */
  readonly description?: ReactNode;
  /** `wide` has room for forms with pairs of fields. `palette` stands near the top and shows no title. `alert` is for guards. */
  readonly kind?: 'plain' | 'wide' | 'alert' | 'palette';
  /** Colour of the line at the top: the environment that it acts on. */
  readonly tint?: string | undefined;
  readonly children: ReactNode;
}

/** Gives the focus back to what had it, or to the view if that is gone or hidden by now. */
function useFocusReturn(isOpen: boolean): (event: Event) => void {
  const before = useRef<Element | null>(null);
  // Before the content is in the page: its own autoFocus would be taken for what had the focus.
  useInsertionEffect(() => {
    if (isOpen) before.current = document.activeElement;
  }, [isOpen]);
  return (event) => {
    event.preventDefault();
    // Another one that was opened meanwhile keeps the focus.
    if (document.querySelector('.dialog') !== null) return;
    const target = before.current;
    const isUsable = target instanceof HTMLElement && target !== document.body && target.checkVisibility();
    const home = document.querySelector<HTMLElement>('[data-focus-home]:not([hidden])');
    (isUsable ? target : home)?.focus({ preventScroll: true });
  };
}

/** Called when nothing inside has taken the focus: the dialog itself does, not its first button with that one's tooltip. */
function focusContent(event: Event): void {
  event.preventDefault();
  if (event.target instanceof HTMLElement) event.target.focus();
}

export function Dialog({ isOpen, onClose, title, description, kind = 'plain', tint, children }: DialogProps) {
  const onCloseAutoFocus = useFocusReturn(isOpen);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <div className={`dialog-scrim dialog-scrim-${kind}`} />
        <Radix.Content
          className={`dialog dialog-${kind}`}
          role={kind === 'alert' ? 'alertdialog' : 'dialog'}
          aria-modal="true"
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          style={tint === undefined ? undefined : { borderTop: `2px solid ${tint}` }}
          onOpenAutoFocus={focusContent}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          <header className={kind === 'palette' ? 'visually-hidden' : 'dialog-header'}>
            <Radix.Title className="dialog-title">{title}</Radix.Title>
            {(kind === 'plain' || kind === 'wide') && (
              <IconButton icon={X} label="Close" hint="Close (Esc)" onClick={onClose} />
            )}
          </header>
          {description !== undefined && (
            <Radix.Description className={kind === 'palette' ? 'visually-hidden' : 'dialog-description'}>
              {description}
            </Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}
