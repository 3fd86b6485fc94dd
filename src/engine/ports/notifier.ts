/**
 * How the engine tells a person who does not look at the window (product.md "Operations Center").
 * Law: it shows what it is given and decides nothing; what is pressed comes back by its id.
 */
import type { Disposable } from '../../shared/base/disposer.ts';

/** One notification of the desktop. Texts hold nothing that was sealed. */
export interface Notice {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

export interface Notifier {
  show(notice: Notice): void;
  /** How many things wait: on the app's icon, or where its window's name is listed. */
  setBadge(count: number): void;
  /** Whether the window is in front, so that its person sees everything anyway. */
  isInFront(): boolean;
  /** Called with the id of a notification that was pressed, after the window came to the front. */
  onPressed(listener: (id: string) => void): Disposable;
}
