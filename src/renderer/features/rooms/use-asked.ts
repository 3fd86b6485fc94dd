/** An answer of the engine that is asked for anew whenever what it depends on changes; the former one stays meanwhile. */
import { useEffect, useRef, useState } from 'react';

export interface Asked<T> {
  /** Of this question or the one before it; undefined: none came yet. */
  readonly answer: T | undefined;
  readonly error: unknown;
  readonly isAsking: boolean;
}

export interface AskedOptions {
  /** What is asked; undefined: nothing. Where its `of` changes, the former answer is dropped. */
  readonly of: string | undefined;
  /** Changes when the answer would. */
  readonly version: number | string;
  /** Waits so long for the question to rest. */
  readonly restMs?: number;
}

/** `ask` is called with the present question; one that is under way is cancelled by the next. */
export function useAsked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  { of, version, restMs = 0 }: AskedOptions,
): Asked<T> {
  const [asked, setAsked] = useState<Asked<T> & { readonly of: string | undefined }>({
    ...{ answer: undefined, error: undefined, isAsking: false, of: undefined },
  });
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` is what makes it ask again.
  useEffect(() => {
    if (of === undefined) return;
    const control = new AbortController();
    const { signal } = control;
    const put = (change: Partial<Asked<T>>): void => {
      if (signal.aborted) return;
      setAsked((now) => ({
        ...(now.of === of ? now : { answer: undefined, error: undefined, of }),
        isAsking: false,
        ...change,
      }));
    };
    const timer = setTimeout(() => {
      put({ isAsking: true });
      latest.current(signal).then(
        (answer) => put({ answer, error: undefined }),
        (error: unknown) => put({ error }),
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [of, version, restMs]);
  return asked.of === of ? asked : { answer: undefined, error: undefined, isAsking: of !== undefined };
}
