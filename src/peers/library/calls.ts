/** What every call of a connection has: it ends when the connection does, and when its caller gives it up. */
import { createDisposer, type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';

/** The life of a connection. */
export interface ConnectionLife {
  /** Throws `closed`, or why the connection has ended. */
  check(): void;
  /** Calls back when the connection ends, with the reason. */
  onEnd(listener: (reason: VakError) => void): Disposable;
  /** Calls back when a signal of a program is aborted. However many calls have it, it has one listener: of many Node warns on stderr. */
  onAbort(signal: AbortSignal, listener: () => void): Disposable;
}

/** Listeners of one signal. */
function createFanOut(signal: AbortSignal, onEmpty: () => void) {
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  signal.addEventListener('abort', tell);
  return {
    add(listener: () => void): Disposable {
      const own = (): void => listener();
      listeners.add(own);
      return toDisposable(() => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        signal.removeEventListener('abort', tell);
        onEmpty();
      });
    },
  };
}

/** Creates the life of one connection, and its end. */
export function createConnectionLife(): ConnectionLife & { end(reason: VakError): void } {
  const fanOuts = new WeakMap<AbortSignal, ReturnType<typeof createFanOut>>();
  const listeners = new Set<(reason: VakError) => void>();
  let ended: VakError | undefined;
  return {
    check() {
      if (ended !== undefined) throw ended;
    },
    onEnd(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    onAbort(signal, listener) {
      const fanOut = fanOuts.get(signal) ?? createFanOut(signal, () => fanOuts.delete(signal));
      fanOuts.set(signal, fanOut);
      return fanOut.add(listener);
    },
    end(reason) {
      ended ??= reason;
      for (const listener of [...listeners]) listener(ended);
    },
  };
}

/** Runs a call with a signal whose reason is a VakError: `aborted` of its caller, or why the connection has ended. */
export async function asCall<T>(
  life: ConnectionLife,
  { what, signal }: { readonly what: string; readonly signal?: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  life.check();
  const held = createDisposer();
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new VakError('aborted', `${what}: cancelled`, { cause: signal?.reason }));
  if (signal?.aborted === true) cancel();
  controller.signal.throwIfAborted();
  held.add(life.onEnd((reason) => controller.abort(reason)));
  if (signal !== undefined) held.add(life.onAbort(signal, cancel));
  try {
    return await run(controller.signal);
  } finally {
    held.dispose();
  }
}

/** Checks a number of an option. Throws `invalid-input` that names it. */
export function checkCount(
  value: unknown,
  field: string,
  { min, max, standard }: { readonly min: number; readonly max: number; readonly standard: number },
): number {
  if (value === undefined) return standard;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new VakError('invalid-input', `${field}: expected a whole number from ${min} to ${max}`, {
    details: { field },
  });
}

/** Throws `invalid-input` that names the argument unless it is a function. */
export function checkFunction(value: unknown, field: string): void {
  if (typeof value === 'function') return;
  throw new VakError('invalid-input', `${field}: expected a function, got ${typeof value}`, { details: { field } });
}
