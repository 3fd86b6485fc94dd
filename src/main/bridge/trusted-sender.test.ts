import { EventEmitter } from 'node:events';
import type { WebContents, WebFrameMain } from 'electron';
import { describe, expect, it } from 'vitest';
import { isVakError } from '../../shared/base/vak-error.ts';
import { appOrigin } from '../platform/app-files.ts';
import { createTrustedSenders } from './trusted-sender.ts';

interface Page {
  origin: string;
  isCrashed: boolean;
}

/** A window's contents as far as the check looks at them; a crashed one throws when its frame is asked, as Electron's does. */
function contentsOf(page: Page) {
  const sent: unknown[] = [];
  const frame = { origin: page.origin } as WebFrameMain;
  const contents = Object.assign(new EventEmitter(), {
    isDestroyed: () => false,
    isCrashed: () => page.isCrashed,
    send: (_channel: string, value: unknown) => sent.push(value),
  });
  Object.defineProperty(contents, 'mainFrame', {
    get() {
      if (page.isCrashed) throw new Error('Render frame was disposed before WebFrameMain could be accessed');
      return Object.assign(frame, { origin: page.origin });
    },
  });
  return { contents: contents as unknown as WebContents, frame, sent };
}

describe('trusted senders', () => {
  it('send to our own page only, and not to one that has crashed until it lives again', () => {
    const page = { origin: appOrigin, isCrashed: false };
    const { contents, sent } = contentsOf(page);
    const senders = createTrustedSenders(undefined);
    senders.add(contents);
    senders.send('c', 'own');
    page.isCrashed = true;
    senders.send('c', 'crashed');
    page.isCrashed = false;
    page.origin = 'null';
    senders.send('c', 'foreign');
    page.origin = appOrigin;
    senders.send('c', 'again');
    expect(sent).toEqual(['own', 'again']);
  });

  it('refuse an unknown window, another frame, another origin, and a window that is gone', () => {
    const page = { origin: appOrigin, isCrashed: false };
    const { contents, frame } = contentsOf(page);
    const senders = createTrustedSenders(undefined);
    const isRefused = (sender: WebContents, senderFrame: WebFrameMain | null): boolean => {
      try {
        senders.check({ sender, senderFrame });
        return false;
      } catch (error) {
        return isVakError(error, 'forbidden');
      }
    };
    expect(isRefused(contents, frame)).toBe(true);
    senders.add(contents);
    expect(isRefused(contents, frame)).toBe(false);
    expect(isRefused(contents, null)).toBe(true);
    expect(isRefused(contents, { origin: appOrigin } as WebFrameMain)).toBe(true);
    page.origin = 'https://workbench';
    expect(isRefused(contents, contents.mainFrame)).toBe(true);
    page.origin = appOrigin;
    contents.emit('destroyed');
    expect(isRefused(contents, frame)).toBe(true);
  });
});
