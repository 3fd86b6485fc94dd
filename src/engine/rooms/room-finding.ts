/**
 * Finds messages by the beginnings of their words in all that this peer can open (product.md "Rooms").
 * Law: it holds the thread for no longer than a turn, and ends when nobody waits for it. Only what lies opened in memory is looked at, older messages are brought there in the background; nothing of it is written.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomHit } from '../../shared/contract/rooms-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoomLoading } from './room-loading.ts';
import type { RoomPlace } from './room-place.ts';
import { createWordMatcher } from './room-search.ts';
import { lineOf } from './room-words.ts';

export interface FindingDeps {
  readonly loading: Pick<RoomLoading, 'inBackground' | 'progress'>;
  readonly clock: Pick<Clock, 'defer' | 'monotonic'>;
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

/** One turn looks at messages for so long, ms, and reads the time after so many: then others have theirs. */
const turnMs = 4;
const lookedAtOnce = 32;

interface Question {
  readonly text: string;
  readonly limit: number;
}

/** Nobody waits for the answer any more: another question was asked. */
function checkWanted(signal: AbortSignal): void {
  if (signal.aborted) throw new VakError('aborted', 'search: it was cancelled');
}

/** Lets others have their turn as soon as this one has lasted long enough. */
function createPauses({ clock }: Pick<FindingDeps, 'clock'>, signal: AbortSignal) {
  let [looked, sinceMs] = [0, clock.monotonic()];
  return async (): Promise<void> => {
    if (++looked % lookedAtOnce !== 0 || clock.monotonic() - sinceMs < turnMs) return;
    await new Promise<void>((resolve) => clock.defer(resolve));
    checkWanted(signal);
    sinceMs = clock.monotonic();
  };
}

async function hitsIn(
  { desk }: RoomPlace,
  { text, limit }: Question,
  pause: () => Promise<void>,
): Promise<readonly RoomHit[]> {
  const matches = createWordMatcher(text);
  const timeline = desk.reader.timeline();
  const roomName = visibleText(desk.reader.log().standing()?.name ?? '');
  const hits: RoomHit[] = [];
  // What comes or goes between two turns moves the others.
  for (const message of [...timeline.all()].reverse()) {
    if (hits.length >= limit) break;
    await pause();
    if (message.content === undefined || !['text', 'reply', 'attachment'].includes(message.content.kind)) continue;
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

/** Creates the search; the newest hits of all rooms come first. It throws `aborted` between two turns. */
export function createRoomFinding({ loading, clock }: FindingDeps) {
  return async (places: readonly RoomPlace[], question: Question, signal: AbortSignal): Promise<Found> => {
    const hits: RoomHit[] = [];
    let [doneCount, count] = [0, 0];
    const pause = createPauses({ clock }, signal);
    checkWanted(signal);
    for (const place of places) {
      const { desk } = place;
      await pause();
      loading.inBackground(desk, () => false);
      hits.push(...(await hitsIn(place, question, pause)));
      const here = desk.reader.timeline().all().length;
      doneCount += here;
      count += loading.progress(desk)?.count ?? here;
    }
    hits.sort((left, right) => right.atMs - left.atMs);
    return { hits: hits.slice(0, question.limit), doneCount, count };
  };
}
