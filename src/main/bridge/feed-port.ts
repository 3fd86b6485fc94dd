/**
 * One feed over one MessagePort.
 * Law: the feed lives as long as its port; a port that says something else than credits is closed.
 */
import type { MessagePortMain } from 'electron';
import type { FeedPump } from '../../engine/feeds/feed-pump.ts';
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { ErrorShape } from '../../shared/base/vak-error.ts';
import type { FeedMessage } from '../../shared/contract/define-contract.ts';

const maxCredits = 1024;

function readCredits(data: unknown): number | undefined {
  const credits = typeof data === 'object' && data !== null ? (data as { credits?: unknown }).credits : undefined;
  return typeof credits === 'number' && Number.isInteger(credits) && credits > 0 && credits <= maxCredits
    ? credits
    : undefined;
}

/** What serving a port takes. */
export interface FeedPortOptions {
  readonly port: MessagePortMain;
  /** Opens the feed; may throw. */
  readonly open: (send: (frame: string) => void) => FeedPump;
  readonly toShape: (thrown: unknown) => ErrorShape;
  /** Called once, when the feed has ended. */
  readonly onEnd: (served: Disposable) => void;
}

/** Opens a feed and carries it over its port; undefined if it cannot be opened, which the port is told. */
export function servePort({ port, open, toShape, onEnd }: FeedPortOptions): Disposable | undefined {
  const post = (message: FeedMessage): void => port.postMessage(message);
  let pump: FeedPump;
  try {
    pump = open((frame) => post({ frame }));
  } catch (thrown) {
    post({ error: toShape(thrown) });
    port.close();
    return undefined;
  }
  const served = toDisposable(() => {
    pump.dispose();
    port.close();
    onEnd(served);
  });
  port.on('message', ({ data }) => {
    const credits = readCredits(data);
    if (credits === undefined) served.dispose();
    else pump.credit(credits);
  });
  port.on('close', () => served.dispose());
  port.start();
  return served;
}
