/** What of a room is a question to a bot: each is heard once, also after a start (docs/spec/rooms.md R72). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import { mentions } from '../engine/rooms/room-marks.ts';
import { cardOfMember, type RoomPlace } from '../engine/rooms/room-place.ts';
import { readSeqOf } from '../engine/rooms/room-summary.ts';
import type { ShownMessage } from '../engine/rooms/room-timeline.ts';
import { createRoomFollower } from './room-follower.ts';

export interface Question {
  readonly seq: number;
  readonly messageId: string;
  readonly from: string;
  readonly atMs: number;
  readonly text: string;
  readonly replyTo: string | undefined;
}

export interface BotEar {
  /** What was asked since the last call; the first gives what was asked since the last run. */
  hear(): Promise<readonly Question[]>;
  /** A question is dealt with: it is not heard again. */
  done(question: Question): Promise<void>;
}

/** A run begins with what lies behind its mark, as far as so many messages back. */
const maxMissed = 1_000;

/** Whether its answer lies in the room, or waits to. */
function isAnswered({ desk, me }: RoomPlace, messageId: string): boolean {
  const answers = (content: { readonly kind: string; readonly target?: string } | undefined): boolean =>
    content?.kind === 'reply' && content.target === messageId;
  const isWaiting = desk.sender.sending().some(({ content }) => answers(content as { kind: string; target?: string }));
  if (isWaiting) return true;
  const all = desk.reader.timeline().all();
  return all.some(
    (one) => one.sign === me.sign && one.isCounted && answers(one.content as { kind: string; target?: string }),
  );
}

/** Whether somebody answers what the bot said. Another bot does not: two that answer each other would go on for ever. */
function isAddressed({ me, cards }: RoomPlace, { message, replyTo }: ShownMessage): boolean {
  const said = replyTo?.message;
  if (said === undefined || !said.isCounted || said.sign !== me.sign) return false;
  const card = cardOfMember(cards, message);
  return card !== undefined && card.kind !== 'bot';
}

function questionOf(place: RoomPlace, shown: ShownMessage): Question | undefined {
  const { me } = place;
  const { message, text, replyTo, redacted } = shown;
  const { seq, messageId, peer: from, atMs, sign, isCounted } = message;
  if (!isCounted || sign === me.sign || redacted !== undefined || text === undefined) return undefined;
  if (!mentions(text, me.peer) && !isAddressed(place, shown)) return undefined;
  return { seq, messageId, from, atMs, text, replyTo: replyTo?.messageId };
}

async function raiseMark({ file }: RoomDesk, seq: number): Promise<void> {
  await file.update((kept) => (kept.markSeq >= seq ? kept : { ...kept, markSeq: seq }));
}

/** Creates the ear in one room. */
export function createBotEar(place: RoomPlace): BotEar {
  const follower = createRoomFollower(place);
  const open = new Set<number>();
  let isFirst = true;

  /** All below the first question that is open was dealt with. */
  const mark = (): Promise<void> =>
    raiseMark(place.desk, Math.min(follower.toldSeq(), ...[...open].map((seq) => seq - 1)));

  return {
    async hear() {
      const afterSeq = isFirst ? readSeqOf(place) : 0;
      const followed = isFirst ? await follower.history(maxMissed) : follower.news();
      isFirst = false;
      const questions = followed.flatMap((one) => {
        const question = one.kind === 'message' ? questionOf(place, one.shown) : undefined;
        const isNew = question !== undefined && question.seq > afterSeq && !isAnswered(place, question.messageId);
        return isNew ? [question] : [];
      });
      for (const { seq } of questions) open.add(seq);
      if (followed.length > 0) await mark();
      return questions;
    },
    async done({ seq }) {
      open.delete(seq);
      await mark();
    },
  };
}
