/** Decides whether an IPC message comes from our own page (quality.md §4). */
import type { WebContents, WebFrameMain } from 'electron';
import { VakError } from '../../shared/base/vak-error.ts';
import { appOrigin } from '../platform/app-files.ts';

/** What of an IPC event tells where it came from. */
export interface SenderEvent {
  readonly sender: WebContents;
  readonly senderFrame: WebFrameMain | null;
}

/** Windows that may use the bridge. */
export interface TrustedSenders {
  /** Lets the main frame of a window's page in; it leaves when it is destroyed. */
  add(contents: WebContents): void;
  /** Sends to every known window that shows our own page. */
  send(channel: string, value: unknown): void;
  /** Throws `forbidden` unless the message comes from the main frame of a known window that shows our origin. */
  check(event: SenderEvent): void;
}

/** Creates an empty set. `extraOrigin` is the development server's, and unset in what ships. */
export function createTrustedSenders(extraOrigin: string | undefined): TrustedSenders {
  const known = new Set<WebContents>();
  const isOurs = (origin: string): boolean =>
    origin === appOrigin || (extraOrigin !== undefined && origin === extraOrigin);
  const refuse = (why: string): never => {
    throw new VakError('forbidden', `bridge: ${why}`);
  };
  return {
    add(contents) {
      known.add(contents);
      contents.once('destroyed', () => known.delete(contents));
    },
    send(channel, value) {
      // The frame of a page that has crashed cannot be asked; it gets what is current when it loads again.
      const isReachable = (contents: WebContents): boolean => !contents.isDestroyed() && !contents.isCrashed();
      for (const contents of known) {
        if (isReachable(contents) && isOurs(contents.mainFrame.origin)) contents.send(channel, value);
      }
    },
    check({ sender, senderFrame }) {
      if (!known.has(sender)) refuse('this window may not use it');
      if (senderFrame === null || senderFrame !== sender.mainFrame) refuse('only the main frame may use it');
      if (!isOurs(senderFrame?.origin ?? '')) refuse('this origin may not use it');
    },
  };
}
