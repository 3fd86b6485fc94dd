/** The renderer's end of the contract: typed calls and feeds over the four channels (architecture.md §3). */

import { type ErrorShape, VakError } from '../../shared/base/vak-error.ts';
import type {
  Bridge,
  Client,
  Contract,
  FeedCredit,
  FeedFrame,
  FeedMessage,
  FeedName,
  FeedParams,
} from '../../shared/contract/define-contract.ts';

/** Handlers of one feed. `onFrame` is called with credits still withheld; call `paint` on the handle when it is on screen. */
export interface FeedHandlers<Frame> {
  onFrame(frame: Frame): void;
  /** The feed ended by itself; nothing comes after. */
  onError(error: VakError): void;
}

/** An open feed. */
export interface FeedHandle {
  /** Returns the credit of every frame received so far; main then sends the next ones. Withholding it pauses the flow. */
  returnCredits(): void;
  dispose(): void;
}

/** Opens a feed by name. */
export type OpenFeed<C extends Contract> = <N extends FeedName<C>>(
  name: N,
  params: FeedParams<C, N>,
  handlers: FeedHandlers<FeedFrame<C, N>>,
) => FeedHandle;

/** An id that this window has not used yet, for a call or a feed. */
const createId = (): string => crypto.randomUUID();

interface Invocation {
  readonly method: string;
  readonly input: unknown;
  readonly signal: AbortSignal | undefined;
}

async function invoke(bridge: Bridge, { method, input, signal }: Invocation): Promise<unknown> {
  if (signal?.aborted) throw new VakError('aborted', `${method}: cancelled before it began`);
  const callId = createId();
  const cancel = (): void => bridge.cancel(callId);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const result = await bridge.invoke(callId, method, input);
    if (result.ok) return result.value;
    throw VakError.fromShape(result.error);
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** Creates the typed client: `client.streams.read({ seq: 3 })` becomes one `bridge:invoke`. */
export function createClient<C extends Contract>(bridge: Bridge): Client<C> {
  const features = new Map<string, unknown>();
  const featureProxy = (feature: string): unknown =>
    new Proxy(Object.freeze({}), {
      get: (_target, member) =>
        typeof member === 'string'
          ? (input: unknown, options?: { signal?: AbortSignal }) =>
              invoke(bridge, { method: `${feature}.${member}`, input, signal: options?.signal })
          : undefined,
    });
  return new Proxy(Object.freeze({}) as Client<C>, {
    get: (_target, feature) => {
      if (typeof feature !== 'string') return undefined;
      const known = features.get(feature) ?? featureProxy(feature);
      features.set(feature, known);
      return known;
    },
  });
}

/** Creates the feed opener. Main's port arrives as a `message` event of this window, which is checked to be our own. */
export function createFeedOpener<C extends Contract>(bridge: Bridge, page: Window): OpenFeed<C> {
  return (name, params, handlers) => {
    const feedId = createId();
    let port: MessagePort | undefined;
    let unpaid = 0;
    let isDisposed = false;

    const onPortMessage = (event: MessageEvent<FeedMessage>): void => {
      if (isDisposed) return;
      if ('error' in event.data) {
        handlers.onError(VakError.fromShape(event.data.error as ErrorShape));
        return;
      }
      unpaid++;
      handlers.onFrame(JSON.parse(event.data.frame));
    };
    const onWindowMessage = (event: MessageEvent): void => {
      if (event.source !== page || event.data?.bridgeFeed !== feedId) return;
      page.removeEventListener('message', onWindowMessage);
      port = event.ports[0];
      if (isDisposed) port?.close();
      else if (port) port.onmessage = onPortMessage;
    };
    page.addEventListener('message', onWindowMessage);
    bridge.openFeed(feedId, name, params);

    return {
      returnCredits() {
        if (unpaid === 0 || isDisposed) return;
        const credit: FeedCredit = { credits: unpaid };
        unpaid = 0;
        port?.postMessage(credit);
      },
      dispose() {
        if (isDisposed) return;
        isDisposed = true;
        page.removeEventListener('message', onWindowMessage);
        port?.close();
      },
    };
  };
}
