/** The work on rooms of this opening of the window: with it goes what was read and written there. */
import { useCallback, useMemo } from 'react';
import { useStore } from 'zustand';
import { useSnapshot, useViewState, useWorkbench, type Workbench } from '../../workbench.tsx';
import { createComposer } from './composer.ts';
import type { RoomActionsDeps } from './room-actions.ts';
import { createRoomCalls } from './room-calls.ts';
import type { RoomSituation } from './room-reasons.ts';
import { createRoomWork, type RoomWork, type RoomWorkState } from './room-work.ts';

const works = new WeakMap<Workbench, RoomWork>();

export function useRoomWork(): RoomWork {
  const workbench = useWorkbench();
  const known = works.get(workbench);
  if (known !== undefined) return known;
  const { client, notify, refuse, reportError } = workbench;
  const calls = createRoomCalls({ client: client.rooms, notify, refuse, reportError });
  const later = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  };
  const composer = createComposer({ calls, later, now: Date.now });
  const created = createRoomWork({ calls, composer, page: (part) => client.rooms.page(part) });
  works.set(workbench, created);
  return created;
}

/** Part of its state. */
export function useRoomWorkState<T>(select: (state: RoomWorkState) => T): T {
  return useStore(useRoomWork().store, select);
}

/** What the actions of rooms are made of. */
export function useRoomActionsDeps(): RoomActionsDeps {
  const { mirror, view } = useWorkbench();
  const work = useRoomWork();
  return useMemo(() => ({ mirror, view, work }), [mirror, view, work]);
}

/** The room that is shown, and what it depends on whether something can be done there. */
export function useRoomSituation(): RoomSituation {
  const connection = useSnapshot('connections.state');
  const state = useSnapshot('rooms.state');
  const selected = useViewState(({ selectedRoom }) => selectedRoom);
  return { connection, state, room: state?.rooms.find(({ room }) => room === selected) };
}

/** Runs a call whose failure is told as a notice. */
export function useTold(): (doing: string, call: () => Promise<unknown>) => void {
  const { reportError } = useWorkbench();
  return useCallback((doing, call) => void call().catch((error: unknown) => reportError(doing, error)), [reportError]);
}
