/**
 * A key-value bucket as a peer sees it over its channel (protocol.md B5).
 * Law: a watch has one batch of changes under way, and asks for the next when its listener has heard it.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { checkMessageSize } from '../check-message.ts';
import type { KeyValueBucket } from '../durable.ts';
import type { ChannelCalls, Flow, FlowFrame } from './channel-calls.ts';
import type { WireChange } from './durable-frames.ts';

/** How soon a watch looks again for a bucket that is not there, ms. */
const retryMs = 1_000;

export interface ChannelValuesDeps {
  readonly calls: ChannelCalls;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Watch {
  readonly bucket: string;
  readonly onChange: (change: WireChange) => void;
  readonly onReady: () => void;
}

/** Watches until disposed or the channel closes; a bucket that is not there yet is waited for. */
function watchValues({ calls, clock, logger }: ChannelValuesDeps, { bucket, onChange, onReady }: Watch): Disposable {
  const held = createDisposer();
  let flow: Flow<undefined> | undefined;
  let timer: Disposable | undefined;

  function guarded(callBack: () => void): void {
    if (held.isDisposed) return;
    try {
      callBack();
    } catch (thrown) {
      logger.bug('channel.watcher-threw', thrown);
    }
  }

  function onFrame(frame: FlowFrame): void {
    if (frame.kind !== 'durable-changes') return;
    for (const change of frame.changes) guarded(() => onChange(change));
    if (frame.isReady) guarded(onReady);
    flow?.next();
  }

  function onEnd(error: unknown): void {
    if (held.isDisposed || isVakError(error, 'closed')) return;
    if (isVakError(error, 'not-found')) timer = clock.setTimer(retryMs, beginAgain);
    else if (isVakError(error)) logger.warn('channel.watch-ended', { code: error.code });
    else logger.bug('channel.watch-ended', error);
  }

  function begin(): void {
    flow = calls.open({ method: 'value-watch', bucket }, { onFrame });
    flow.answer.catch(onEnd);
  }

  function beginAgain(): void {
    try {
      begin();
    } catch (error) {
      onEnd(error);
    }
  }

  begin();
  held.defer(() => {
    timer?.dispose();
    flow?.abort();
  });
  return held;
}

/** Makes a handle of a bucket; there need be none of that name. */
export function createChannelValues(deps: ChannelValuesDeps, bucket: string): KeyValueBucket {
  const { calls } = deps;
  return {
    get: (key) => calls.ask({ method: 'value-get', bucket, key }),
    history: (key) => calls.ask({ method: 'value-history', bucket, key }),
    async put(key, data, options = {}) {
      checkMessageSize(`a value of ${bucket}`, data);
      return calls.ask({ method: 'value-put', bucket, key, data, options });
    },
    delete: (key) => calls.ask({ method: 'value-delete', bucket, key }),
    keys: () => calls.ask({ method: 'value-keys', bucket }),
    watch: (onChange, onReady = () => {}) => watchValues(deps, { bucket, onChange, onReady }),
  };
}
