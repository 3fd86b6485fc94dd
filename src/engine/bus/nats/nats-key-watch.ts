/**
 * Watches a bucket (protocol.md B5, B8).
 * Law: present values, then ready, then every change in order; after a lost connection or consumer it goes on behind the last change,
 * and what vanished with a bucket that was deleted or made anew is told as deleted.
 */
import { type Disposable, toDisposable } from '../../../shared/base/disposer.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { pause } from '../../wait.ts';
import { changeOf, type KeyChange, type NatsKeyValueDeps } from './nats-key-change.ts';
import { createOrderedReader, type OrderedReader, type ReaderPage } from './nats-ordered-reader.ts';
import type { Pulled } from './nats-pull.ts';

export interface KeyWatch {
  readonly stream: string;
  readonly prefix: string;
  readonly onChange: (change: KeyChange) => void;
  readonly onReady: () => void;
}

const pageLimit = 256;
const waitMs = 30_000;
const firstRetryMs = 100;
const maxRetryMs = 1_000;

/** Hands changes out, and knows which keys its listener believes in. */
function createHandOut({ logger }: NatsKeyValueDeps, { onChange, onReady, prefix }: KeyWatch) {
  /** The keys that were told, in which pass over the bucket, and their revision. */
  const live = new Map<string, { readonly pass: number; readonly revision: number }>();
  let pass = 1;
  let isReady = false;
  let hasPassed = false;
  const guard = (run: () => void): void => {
    try {
      run();
    } catch (thrown) {
      logger.bug('key-value.watch', thrown);
    }
  };
  const give = ({ key, entry }: KeyChange): void => {
    if (entry !== undefined) {
      const known = live.get(key);
      if (known?.pass === pass && known.revision >= entry.revision) return;
      live.set(key, { pass, revision: entry.revision });
    }
    // Nobody needs to hear that a key has gone which nobody heard of.
    else if (!live.delete(key)) return;
    guard(() => onChange({ key, entry }));
  };
  const finishPass = (): void => {
    if (hasPassed) return;
    hasPassed = true;
    for (const [key, seen] of [...live]) if (seen.pass !== pass) give({ key, entry: undefined });
    if (isReady) return;
    isReady = true;
    guard(onReady);
  };
  return {
    hasPassed: () => hasPassed,
    startOver(): void {
      pass += 1;
      hasPassed = false;
    },
    gone(): void {
      for (const key of [...live.keys()]) give({ key, entry: undefined });
    },
    change(pulled: Pulled): void {
      give(changeOf(pulled, prefix.length));
    },
    page({ messages, pendingCount }: ReaderPage): void {
      for (const pulled of messages) give(changeOf(pulled, prefix.length));
      if (pendingCount === 0) finishPass();
    },
  };
}

/** Begins to watch; ends when disposed, or with the connection. */
export function watchKeys(deps: NatsKeyValueDeps, watch: KeyWatch): Disposable {
  const { clock, logger } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const handOut = createHandOut(deps, watch);
  const newReader = (): OrderedReader =>
    createOrderedReader(deps, {
      stream: watch.stream,
      filter: `${watch.prefix}>`,
      start: { kind: 'last-per-subject' },
    });
  let reader = newReader();

  const step = async (): Promise<void> => {
    if (handOut.hasPassed()) {
      const onMessage = (pulled: Pulled): void => {
        if (!signal.aborted) handOut.change(pulled);
      };
      const { hasStartedOver } = await reader.follow({ limit: pageLimit, waitMs, signal, onMessage });
      if (hasStartedOver) handOut.startOver();
      return;
    }
    const page = await reader.next({ limit: pageLimit, signal });
    if (signal.aborted) return;
    if (page.hasStartedOver) handOut.startOver();
    handOut.page(page);
  };
  /** Whether to go on after a failure. */
  const recover = async (error: unknown, retryMs: number): Promise<boolean> => {
    if (signal.aborted || isVakError(error, 'closed')) return false;
    if (!isVakError(error)) throw error;
    if (retryMs === firstRetryMs)
      logger.warn('key-value.watch-interrupted', { stream: watch.stream, code: error.code });
    if (error.code === 'not-found') {
      handOut.gone();
      handOut.startOver();
      reader = newReader();
    }
    await pause(clock, retryMs, signal);
    return true;
  };
  const run = async (): Promise<void> => {
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      try {
        await step();
        retryMs = firstRetryMs;
      } catch (error) {
        if (!(await recover(error, retryMs))) break;
        retryMs = Math.min(maxRetryMs, retryMs * 2);
      }
    }
    await reader.close();
  };
  run().catch((thrown: unknown) => logger.bug('key-value.watch', thrown));
  return toDisposable(() => stop.abort());
}
