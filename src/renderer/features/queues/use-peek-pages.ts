/** The pages of what waits in one queue, read when they are looked at, and again while nobody reads them. */
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { QueueState } from '../../../shared/contract/queues-contract.ts';
import { useWorkbench, type Workbench } from '../../workbench.tsx';
import { createPeekPages, type PeekPages, type PeekState } from './peek-pages.ts';

/** Shortest time between two readings that nobody asked for. */
const refreshMs = 4000;

export interface Peeking extends PeekState {
  readonly pages: PeekPages;
}

function pagesOf({ queues }: Workbench['client'], queue: string): PeekPages {
  return createPeekPages({ queue, peek: queues.peek, standing: queues.standing, now: Date.now });
}

export function usePeekPages(queue: QueueState, isHeld: boolean): Peeking {
  const { client } = useWorkbench();
  const name = queue.queue;
  const [pages, setPages] = useState(() => pagesOf(client, name));
  // What the page shows may have changed when one of these did.
  const figures = [queue.pendingCount, queue.inFlightCount, queue.oldestMs, queue.outPerSec > 0].join(' ');
  const readFor = useRef(figures);
  useEffect(() => {
    const created = pagesOf(client, name);
    setPages(created);
    void created.again();
    return () => created.dispose();
  }, [client, name]);
  const state = useStore(pages.store);
  const readAtMs = state.page?.readAtMs;
  const { isReading } = state;
  useEffect(() => {
    if (isHeld || isReading || readAtMs === undefined || readFor.current === figures) return;
    const refresh = (): void => {
      readFor.current = figures;
      void pages.refresh();
    };
    const timer = setTimeout(refresh, Math.max(0, readAtMs + refreshMs - Date.now()));
    return () => clearTimeout(timer);
  }, [pages, isHeld, isReading, readAtMs, figures]);
  return { ...state, pages };
}
