/**
 * Keeps over a restart where a feature was left: which tab, which row, what is open.
 * Law: what was kept is a wish; whoever takes it back checks each part, and what is gone gives way.
 */
import type { StoreApi } from 'zustand/vanilla';
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { maxPlaceLength, type ViewState } from './view-store.ts';

export interface KeptPlace<State> {
  /** Of no other place. */
  readonly name: string;
  readonly store: StoreApi<State>;
  /** What is kept, as JSON can write it; no secret belongs here. */
  readonly read: (state: NoInfer<State>) => object;
  /** What a kept object means; it may be anything. */
  readonly restore: (kept: Readonly<Record<string, unknown>>) => Partial<NoInfer<State>>;
}

function keptObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : undefined;
  } catch {
    // What nobody can read any more is no place.
    return undefined;
  }
}

/** Puts back what was kept and keeps what changes, until it is disposed. */
export function keepPlace<State>(
  view: StoreApi<ViewState>,
  { name, store, read, restore }: KeptPlace<State>,
): Disposable {
  const kept = keptObject(view.getState().places[name]);
  if (kept !== undefined) store.setState(restore(kept));
  const stop = store.subscribe((state) => {
    const text = JSON.stringify(read(state));
    const { places } = view.getState();
    if (places[name] !== text && text.length <= maxPlaceLength) view.setState({ places: { ...places, [name]: text } });
  });
  return toDisposable(stop);
}

/** A kept text, or undefined. */
export function keptText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
