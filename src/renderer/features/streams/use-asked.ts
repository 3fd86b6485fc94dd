/** What was asked of the engine for a dialog, while that stands. */
import { useEffect, useState } from 'react';

export type Asked<T> =
  | { readonly kind: 'asking' }
  | { readonly kind: 'got'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Asks once for each `ask`, which must be stable; cancelled when another takes its place. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ kind: 'asking' });
  useEffect(() => {
    const calls = new AbortController();
    const keep = (next: Asked<T>): void => {
      if (!calls.signal.aborted) setAsked(next);
    };
    keep({ kind: 'asking' });
    ask(calls.signal).then(
      (value) => keep({ kind: 'got', value }),
      (error: unknown) => keep({ kind: 'failed', error }),
    );
    return () => calls.abort();
  }, [ask]);
  return asked;
}
