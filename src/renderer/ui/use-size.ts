/** A width that is dragged or set by keys, and remembered by name in the view store. */
import { useCallback, useState } from 'react';
import { useViewState, useWorkbench } from '../workbench.tsx';

export interface SizeBounds {
  readonly initialPx: number;
  readonly minPx: number;
  readonly maxPx: number;
}

export interface Size extends SizeBounds {
  readonly px: number;
  /** Shows a width without remembering it, as during a drag. */
  readonly preview: (px: number) => void;
  /** Remembers a width. */
  readonly commit: (px: number) => void;
}

export const clampSize = ({ minPx, maxPx }: SizeBounds, px: number): number =>
  Math.round(Math.min(maxPx, Math.max(minPx, px)));

/** The width of the panel or column `name`. */
export function useSize(name: string, bounds: SizeBounds): Size {
  const { view } = useWorkbench();
  const stored = useViewState((state) => state.sizesPx[name]) ?? bounds.initialPx;
  const [shown, setShown] = useState<number | undefined>();
  const { minPx, maxPx } = bounds;
  const commit = useCallback(
    (px: number): void => {
      const next = Math.round(Math.min(maxPx, Math.max(minPx, px)));
      setShown(undefined);
      view.setState((state) => ({ sizesPx: { ...state.sizesPx, [name]: next } }));
    },
    [view, name, minPx, maxPx],
  );
  return { ...bounds, px: clampSize(bounds, shown ?? stored), preview: setShown, commit };
}
