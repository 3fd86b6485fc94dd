/**
 * The state of all rooms as windows mirror it (product.md "Rooms").
 * Law: it is worked out of what the rooms are now; nothing is kept here.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomPresence, RoomsState } from '../../shared/contract/rooms-contract.ts';
import type { KeyStore } from '../identity/key-store.ts';
import type { CardBoxes } from './card-boxes.ts';
import type { OperatorRooms } from './operator-rooms.ts';
import type { RoomLoading } from './room-loading.ts';
import type { RoomMedia } from './room-media-calls.ts';
import type { RoomPlace } from './room-place.ts';
import type { PresenceChoice } from './room-presence.ts';
import { byUrgency, type RoomSummaries } from './room-summary.ts';
import type { RoomsWatch } from './rooms-watch.ts';

export interface RoomsStateDeps {
  readonly rooms: Pick<OperatorRooms, 'current' | 'problem'>;
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly cards: Pick<CardBoxes, 'find'>;
  readonly places: () => readonly RoomPlace[];
  readonly summaries: Pick<RoomSummaries, 'of'>;
  readonly loading: Pick<RoomLoading, 'progress'>;
  readonly media: Pick<RoomMedia, 'transfers'>;
  readonly choice: () => PresenceChoice;
  readonly watch: Pick<RoomsWatch, 'hasService' | 'readAtMs'>;
}

/** What is known of a room live; nothing of most. */
function presenceOf({ desk: { room, presence } }: RoomPlace): readonly RoomPresence[] {
  const typing = presence.typing().map(visibleText);
  const read = presence.read().map(({ peer, seq }) => ({ peer: visibleText(peer), seq }));
  return typing.length + read.length === 0 ? [] : [{ room, typing, read }];
}

/** Creates the reader of it. */
export function createRoomsState(deps: RoomsStateDeps): () => RoomsState {
  const { rooms, keyStore, cards, places, summaries, loading, media, watch, choice } = deps;

  function me(): RoomsState['me'] {
    const contents = keyStore.state().kind === 'unlocked' ? keyStore.read() : undefined;
    const peer = contents?.identities.find(({ kind }) => kind === 'human')?.peer;
    const card = peer === undefined ? undefined : cards.find(peer);
    return card === undefined ? null : { peer: card.peer, sign: card.sign };
  }

  return () => {
    const listed = places().flatMap((place) => summaries.of(place, loading.progress(place.desk)) ?? []);
    return {
      ...{ me: me(), problem: rooms.problem() ?? null, hasService: watch.hasService(), readAtMs: watch.readAtMs() },
      ...{ rooms: listed.sort(byUrgency), presence: places().flatMap(presenceOf), transfers: media.transfers() },
      ...choice(),
    };
  };
}
