/**
 * What is known of a room's messages: those in memory, those that were refused, those whose sender nobody knows yet (docs/spec/rooms.md R33).
 * Law: bounded; what was refused once is refused again, and what counts under an id counts once (R36).
 */
import type { FrameIntake } from './frame-intake.ts';
import type { WindowFault } from './frame-window.ts';
import { maxRefused, maxUndecided, type RoomFileState } from './room-file.ts';
import type { VerifiedFrame } from './room-frame.ts';
import { lacksKey, type RoomTimeline, type TimelineBound, type TimelineMessage } from './room-timeline.ts';

export interface RoomMessages {
  /** Takes what a message came to. */
  note(seq: number, taken: FrameIntake): void;
  /** What the window is said to say of a frame that it has seen. */
  formerFault(seq: number): WindowFault | undefined;
  /** The next places of frames whose sender nobody knew; the next call goes on behind them. */
  nextUndecided(limit: number): readonly number[];
  /** Places of what counts, can be opened by now, and has to be read once more for that: its frame does not lie in memory. */
  unheld(canOpen: (epoch: number) => boolean): readonly number[];
  /** It is not there any more. */
  forget(seq: number): void;
  /** Opens anew what lacked its key; `open` gives what a frame came to. Of an epoch whose key is still missing one frame is tried. */
  openAgain(open: (frame: VerifiedFrame, message: TimelineMessage) => TimelineMessage): void;
  /** The oldest give way; whether some did. */
  keepNewest(bound: TimelineBound): boolean;
  /** What a sender, of those that are asked for by key, said of the log that is not so; undefined: none did (R9). */
  diverged(matters: (sign: string) => boolean): string | undefined;
  state(): Pick<RoomFileState, 'refused' | 'undecided'>;
  version(): number;
}

/** Characters of ciphertext that are held until their key comes; more is read from the stream again. */
const maxHeldLength = 32 * 2 ** 20;
const maxDiverged = 1_000;
/** What only the window knows of a frame. */
const windowFaults: ReadonlySet<string> = new Set<WindowFault>(['replayed', 'jumped', 'too-many-boots', 'old-epoch']);

/** Drops the oldest of a map that has grown beyond its bound. */
function bound<T>(map: Map<number, T>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}

/** Creates them over a timeline, with what was kept. */
export function createRoomMessages(
  timeline: RoomTimeline,
  saved: Pick<RoomFileState, 'refused' | 'undecided'>,
): RoomMessages {
  const refused = new Map<number, string>(saved.refused);
  const undecided = new Set(saved.undecided);
  /** Frames that count and lack their key; `null`: it gave way, and lies in the stream. */
  const frames = new Map<number, VerifiedFrame | null>();
  /** Their places, by epoch. */
  const lacking = new Map<number, Set<number>>();
  let heldLength = 0;
  /** The first thing that each said of the log that is not so. */
  const diverged = new Map<string, string>();
  let version = 0;

  function saidAgain(message: TimelineMessage): TimelineMessage {
    const { content: _content, ...place } = message;
    const detail = 'Its sender published it a second time; the first one counts.';
    return { ...place, isCounted: false, notOpened: { cause: 'replayed', detail } };
  }

  /** What counts under an id of that sender already is not said twice. */
  function onceOnly(message: TimelineMessage): TimelineMessage {
    const known = message.isCounted ? timeline.byId(message.messageId) : undefined;
    if (known?.isCounted !== true || known.sign !== message.sign || known.seq === message.seq) return message;
    if (known.seq < message.seq) return saidAgain(message);
    // Pages are read backwards: the later one lay here first.
    put(saidAgain(known), undefined);
    return message;
  }

  function drop({ seq, epoch }: Pick<TimelineMessage, 'seq' | 'epoch'>): void {
    heldLength -= frames.get(seq)?.ct.length ?? 0;
    frames.delete(seq);
    const others = lacking.get(epoch);
    if (others?.delete(seq) === true && others.size === 0) lacking.delete(epoch);
  }

  function hold({ seq, epoch }: TimelineMessage, frame: VerifiedFrame): void {
    frames.set(seq, frame);
    lacking.set(epoch, (lacking.get(epoch) ?? new Set()).add(seq));
    heldLength += frame.ct.length;
    for (const [oldest, held] of frames) {
      if (heldLength <= maxHeldLength) return;
      if (held === null) continue;
      frames.set(oldest, null);
      heldLength -= held.ct.length;
    }
  }

  function put(message: TimelineMessage, frame: VerifiedFrame | undefined): void {
    drop(message);
    if (frame !== undefined && lacksKey(message)) hold(message, frame);
    timeline.put(message);
    version++;
  }

  /** False: nothing is new; the others of its epoch lack the same key. */
  function openOne(seq: number, open: (frame: VerifiedFrame, message: TimelineMessage) => TimelineMessage): boolean {
    const [frame, message] = [frames.get(seq), timeline.at(seq)];
    if (frame == null || message === undefined) return true;
    const opened = open(frame, message);
    if (lacksKey(opened) && opened.notOpened?.cause === message.notOpened?.cause) return false;
    put(opened, frame);
    return true;
  }

  function show({ message, frame, isDiverged }: Extract<FrameIntake, { kind: 'shown' }>): void {
    undecided.delete(message.seq);
    if (isDiverged === true && diverged.size < maxDiverged && !diverged.has(message.sign))
      diverged.set(message.sign, message.notOpened?.detail ?? '');
    // The rest is refused again by where it lies, whoever floods the room with it.
    if (!message.isCounted && windowFaults.has(message.notOpened?.cause ?? '')) {
      refused.set(message.seq, message.notOpened?.cause ?? '');
      bound(refused, maxRefused);
    }
    const once = onceOnly(message);
    put(once, once === message ? frame : undefined);
  }

  return {
    note(seq, taken) {
      if (taken.kind === 'shown') show(taken);
      else if (taken.kind === 'undecided' && undecided.size < maxUndecided && !undecided.has(seq)) undecided.add(seq);
    },
    formerFault: (seq) => refused.get(seq) as WindowFault | undefined,
    nextUndecided(limit) {
      const next = [...undecided].slice(0, limit);
      // They go behind the others: one that stays undecided holds up none.
      for (const seq of next) {
        undecided.delete(seq);
        undecided.add(seq);
      }
      return next;
    },
    unheld(canOpen) {
      const openable = [...lacking].filter(([epoch]) => canOpen(epoch));
      return openable.flatMap(([, seqs]) => [...seqs].filter((seq) => frames.get(seq) === null));
    },
    forget(seq) {
      undecided.delete(seq);
      const message = timeline.at(seq);
      if (message !== undefined) drop(message);
    },
    openAgain(open) {
      for (const seqs of [...lacking.values()]) {
        for (const seq of [...seqs]) if (!openOne(seq, open)) break;
      }
    },
    keepNewest(most) {
      const gone = timeline.keepNewest(most);
      for (const message of gone) drop(message);
      return gone.length > 0;
    },
    diverged: (matters) => Array.from(diverged).find(([sign]) => matters(sign))?.[1],
    state: () => ({ refused: [...refused], undecided: [...undecided] }),
    version: () => version,
  };
}
