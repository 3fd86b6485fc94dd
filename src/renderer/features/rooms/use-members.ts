/** The members of the room that is shown, and what its rows are given of them. */
import { useMemo } from 'react';
import type { RoomMemberReport, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { useWorkbench } from '../../workbench.tsx';
import { type Asked, useAsked } from './use-asked.ts';

export type Members = Asked<{ readonly version: number; readonly members: readonly RoomMemberReport[] }>;

export function useMembers(summary: RoomSummary | undefined): Members {
  const { client } = useWorkbench();
  const room = summary?.room;
  return useAsked((signal) => client.rooms.members({ room: room ?? '' }, { signal }), {
    ...{ of: room, version: summary?.version ?? 0, restMs: 30 },
  });
}

type Named = Pick<RoomMemberReport, 'peer' | 'name' | 'peerState'>;

/** By the name that the log has for them. */
export function useMembersByPeer(members: Members): ReadonlyMap<string, Named> {
  // Told anew with every message: rows are drawn again only where something that they show is another.
  const told = JSON.stringify(
    (members.answer?.members ?? []).map(({ peer, name, peerState }) => ({ peer, name, peerState })),
  );
  return useMemo(() => new Map((JSON.parse(told) as Named[]).map((one) => [one.peer, one])), [told]);
}
