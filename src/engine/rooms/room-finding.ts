/**
 * Finds messages by the beginnings of their words in all that this peer can open (product.md "Rooms").
 * Law: only what lies opened in memory is looked at, older messages are brought there in the background; nothing of it is written.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomHit } from '../../shared/contract/rooms-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoomLoading } from './room-loading.ts';
import type { RoomPlace } from './room-place.ts';
import { createWordMatcher } from './room-search.ts';
import { lineOf } from './room-words.ts';

export interface FindingDeps {
  readonly loading: Pick<RoomLoading, 'inBackground' | 'progress'>;
  readonly clock: Pick<Clock, 'defer'>;
}

export interface Found {
  readonly hits: readonly RoomHit[];
  readonly doneCount: number;
  readonly count: number;
}

/** The line in which the first word of a question stands, or the first one. */
function lineWith(text: string, isThere: (line: string) => boolean): string {
  return lineOf(text.split('\n').find(isThere) ?? text);
}

function hitsIn({ desk }: RoomPlace, { text, limit }: { text: string; limit: number }): readonly RoomHit[] {
  const matches = createWordMatcher(text);
  const timeline = desk.reader.timeline();
  const roomName = visibleText(desk.reader.log().standing()?.name ?? '');
  const hits: RoomHit[] = [];
  const messages = timeline.all();
  for (let at = messages.length - 1; at >= 0 && hits.length < limit; at--) {
    const message = messages[at];
    if (message?.content === undefined || !['text', 'reply', 'attachment'].includes(message.content.kind)) continue;
    const shown = timeline.shown(message);
    const words = [shown.text, shown.attachment?.name].filter((one) => one !== undefined).join('\n');
    if (!matches(words)) continue;
    const { messageId, seq, atMs, peer } = message;
    hits.push({
      ...{ room: desk.room, roomName, messageId, seq, atMs, peer: visibleText(peer), line: lineWith(words, matches) },
    });
  }
  return hits;
}

/** Creates the search; the newest hits of all rooms come first. */
export function createRoomFinding({ loading, clock }: FindingDeps) {
  return async (
    places: readonly RoomPlace[],
    question: { readonly text: string; readonly limit: number },
  ): Promise<Found> => {
    const hits: RoomHit[] = [];
    let [doneCount, count] = [0, 0];
    for (const place of places) {
      const { desk } = place;
      loading.inBackground(desk, () => false);
      hits.push(...hitsIn(place, question));
      const here = desk.reader.timeline().all().length;
      doneCount += here;
      count += loading.progress(desk)?.count ?? here;
      // A room may have many messages: between two of them others have their turn.
      await new Promise<void>((resolve) => clock.defer(resolve));
    }
    hits.sort((left, right) => right.atMs - left.atMs);
    return { hits: hits.slice(0, question.limit), doneCount, count };
  };
}
