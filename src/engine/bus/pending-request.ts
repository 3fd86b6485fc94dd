/** One request that waits for its answer (protocol.md B5). Law: it is settled exactly once, and holds nothing after. */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { RequestOptions } from './bus.ts';

export interface PendingRequest extends Disposable {
  readonly answer: Promise<Uint8Array>;
  resolve(data: Uint8Array): void;
  reject(error: VakError): void;
}

/** Starts the wait; rejects with `timeout` after `timeoutMs`, `aborted` on the signal. `onSettled` runs once, at its end. */
export function createPendingRequest(
  subject: string,
  options: RequestOptions & { readonly clock: Clock },
  onSettled: (request: PendingRequest) => void,
): PendingRequest {
  const held = createDisposer();
  let settle: { resolve: (data: Uint8Array) => void; reject: (error: VakError) => void } | undefined;
  const answer = new Promise<Uint8Array>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const finish = (act: (settle: { resolve: (d: Uint8Array) => void; reject: (e: VakError) => void }) => void): void => {
    if (settle === undefined) return;
    const ending = settle;
    settle = undefined;
    held.dispose();
    onSettled(request);
    act(ending);
  };
  const request: PendingRequest = {
    answer,
    resolve: (data) => finish(({ resolve }) => resolve(data)),
    reject: (error) => finish(({ reject }) => reject(error)),
    dispose: () => request.reject(new VakError('closed', `request ${subject}: the bus was closed`)),
  };
  const { clock, signal, timeoutMs } = options;
  held.add(
    clock.setTimer(timeoutMs, () =>
      request.reject(
        new VakError('timeout', `request ${subject}: no answer within ${timeoutMs} ms`, { retryable: true }),
      ),
    ),
  );
  if (signal !== undefined) {
    const abort = (): void => request.reject(new VakError('aborted', `request ${subject}: cancelled`));
    signal.addEventListener('abort', abort, { once: true });
    held.defer(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  }
  return request;
}
