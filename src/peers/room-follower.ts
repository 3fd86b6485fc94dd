/** What is said and done in a room, in the order of the stream: what lies there, then what comes (protocol.md R10, R11). */

import { createEventItems } from '../engine/rooms/room-items.ts';
import type { RoomPlace } from '../engine/rooms/room-place.ts';
import type { RoomTimeline, ShownMessage, TimelineMessage } from '../engine/rooms/room-timeline.ts';
import type { Disposable } from '../shared/base/disposer.ts';
import type { RoomEventItem } from '../shared/contract/rooms-contract.ts';

/** `late`: it was told before, as one that could not be opened. `change`: of another message. */
export type Followed =
  | { readonly kind: 'message'; readonly shown: ShownMessage; readonly isLate: boolean }
  | { readonly kind: 'change'; readonly message: TimelineMessage }
  | { readonly kind: 'event'; readonly item: RoomEventItem };

export interface RoomFollower {
  /** The last so many, older ones read from the stream; what came meanwhile is told by `news`. Throws what reading throws. */
  history(count: number): Promise<readonly Followed[]>;
  /** What is new since the last call. */
  news(): readonly Followed[];
  /** Place up to which all was told. */
  toldSeq(): number;
}

/** What could not be opened is looked at again, as far as so many of it are remembered. */
const maxLocked = 1_000;
const changeKinds: ReadonlySet<string> = new Set(['edit', 'redaction', 'reaction']);

const seqOf = (one: Followed): number => {
  if (one.kind === 'event') return one.item.seq;
  return one.kind === 'change' ? one.message.seq : one.shown.message.seq;
};
const inOrder = (all: readonly Followed[]): readonly Followed[] =>
  [...all].sort((left, right) => seqOf(left) - seqOf(right));

/** Whether a change did change something: only an author edits, and only it and who leads the room take away. */
function isEffective(timeline: RoomTimeline, { content, sign, peer }: TimelineMessage): boolean {
  if (content === undefined || !('target' in content)) return false;
  const target = timeline.byId(content.target);
  if (target === undefined) return false;
  if (content.kind === 'edit') return target.sign === sign;
  if (content.kind !== 'redaction') return true;
  return timeline.shown(target).redacted?.peer === peer;
}

function behind(all: readonly TimelineMessage[], seq: number): readonly TimelineMessage[] {
  let from = all.length;
  while (from > 0 && (all[from - 1]?.seq ?? 0) > seq) from--;
  return all.slice(from);
}

/** Creates one that has told nothing. */
export function createRoomFollower(place: RoomPlace): RoomFollower {
  const { reader } = place.desk;
  const events = createEventItems();
  const locked = new Set<number>();
  let messageSeq = 0;
  let eventSeq = 0;

  function tellMessage(shown: ShownMessage, isLate: boolean): Followed {
    const { seq, notOpened } = shown.message;
    if (notOpened === undefined || !shown.message.isCounted) locked.delete(seq);
    else if (locked.size < maxLocked) locked.add(seq);
    return { kind: 'message', shown, isLate };
  }

  function opened(): readonly Followed[] {
    const timeline = reader.timeline();
    return [...locked].flatMap((seq) => {
      const [shown] = timeline.slice({ afterSeq: seq - 1, limit: 1 });
      const isOpen = shown?.message.seq === seq && shown.message.content !== undefined;
      return isOpen ? [tellMessage(shown, true)] : [];
    });
  }

  function told(message: TimelineMessage): readonly Followed[] {
    const timeline = reader.timeline();
    if (message.content === undefined || !changeKinds.has(message.content.kind))
      return [tellMessage(timeline.shown(message), false)];
    return isEffective(timeline, message) ? [{ kind: 'change', message }] : [];
  }

  function newEvents(): readonly Followed[] {
    const items = events(place).filter(({ seq }) => seq > eventSeq);
    eventSeq = items.at(-1)?.seq ?? eventSeq;
    return items.map((item) => ({ kind: 'event', item }));
  }

  return {
    async history(count) {
      for (let loads = 0; loads < 64 && reader.hasOlder(); loads++) {
        const missing = count - reader.timeline().slice({ limit: count }).length;
        if (missing <= 0) break;
        await reader.loadOlder(missing);
      }
      const timeline = reader.timeline();
      const messages = timeline.slice({ limit: count }).map((shown) => tellMessage(shown, false));
      messageSeq = timeline.all().at(-1)?.seq ?? messageSeq;
      const all = inOrder([...messages, ...newEvents()]);
      return count === 0 ? [] : all.slice(-count);
    },
    news() {
      const fresh = behind(reader.timeline().all(), messageSeq);
      messageSeq = fresh.at(-1)?.seq ?? messageSeq;
      return inOrder([...opened(), ...fresh.flatMap(told), ...newEvents()]);
    },
    toldSeq: () => messageSeq,
  };
}

/** Wakes whoever waits, once for all that happened since it was awake last. */
export function createWaker(onChange: (listener: () => void) => Disposable): { next(): Promise<void> } & Disposable {
  let isDue = false;
  let wake: (() => void) | undefined;
  const listening = onChange(() => {
    isDue = true;
    wake?.();
  });
  return {
    async next() {
      if (!isDue) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      [isDue, wake] = [false, undefined];
    },
    dispose: () => listening.dispose(),
  };
}
