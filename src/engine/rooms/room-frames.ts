/**
 * Whether a frame counts where it lies (protocol.md R7–R9, docs/spec/rooms.md R33, R34).
 * Law: signature, membership, epoch, head, window, in this order; a frame that is refused leaves nothing behind.
 */
import type { RoomFrame } from '../../shared/protocol/payload-rooms.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import type { FrameWindow, WindowFault } from './frame-window.ts';
import { type FrameFault, type VerifiedFrame, verifyFrame } from './room-frame.ts';
import type { RoomLog } from './room-log.ts';

/** Why a frame does not count. `diverged`: its sender has another entry than this log at a place (R9). */
export type FrameRefusal =
  | FrameFault
  | WindowFault
  | 'not-member'
  | 'closed'
  | 'wrong-epoch'
  | 'wrong-head'
  | 'diverged'
  | 'other-envelope';

export type FrameVerdict =
  /** `sign`: key of its sender. */
  | { readonly kind: 'counts'; readonly frame: VerifiedFrame; readonly sign: string }
  /** `isSigned`: its sender did sign it. */
  | { readonly kind: 'refused'; readonly why: FrameRefusal; readonly detail: string; readonly isSigned: boolean };

/** A frame, its place, and the peer whose envelope it came in. */
export interface PlacedFrame {
  readonly frame: RoomFrame;
  readonly seq: number;
  readonly carrier: string;
}

export interface FrameJudging {
  readonly log: RoomLog;
  readonly window: Pick<FrameWindow, 'take'>;
  readonly verifier: Ed25519Verifier;
}

/** What is said of a fault of the window. */
const windowWords: Readonly<Record<WindowFault, string>> = {
  replayed: 'A message of this sender with its number was here before: somebody published it again.',
  jumped: 'Its number is too far beyond the last one of its sender.',
  'too-many-boots': 'Its sender has been started too often in this epoch; it has to rotate the key.',
  'old-epoch': 'It was sealed for an epoch that has ended.',
};

/** What it says of the log that its sender saw. */
function headFault({ frame: { n, head }, seq }: PlacedFrame, log: RoomLog): [FrameRefusal, string] | undefined {
  const entry = log.entryAt(n);
  if (entry === undefined || entry.seq >= seq)
    return ['wrong-head', `It names entry ${n} of the log, which did not lie before it.`];
  if (entry.hash === head) return undefined;
  return ['diverged', `Its sender has another entry ${n} of the log than this one.`];
}

/** What the log says against it at its place. */
function placeFault(placed: PlacedFrame, log: RoomLog): [FrameRefusal, string] | undefined {
  const { frame, seq } = placed;
  const inForce = log.epochAt(seq);
  if (inForce === undefined) return ['closed', 'The room was not there, was closed or had stopped at that place.'];
  if (inForce.epoch !== frame.epoch) {
    return ['wrong-epoch', `It was sealed for epoch ${frame.epoch}, and epoch ${inForce.epoch} was in force.`];
  }
  return headFault(placed, log);
}

/** Judges a frame that was decoded by its schema, in the stream's order; one that counts is remembered in the window. */
export function judgeFrame(placed: PlacedFrame, { log, window, verifier }: FrameJudging): FrameVerdict {
  const { frame, seq, carrier } = placed;
  const refused = (why: FrameRefusal, detail: string, isSigned = true): FrameVerdict => ({
    ...{ kind: 'refused', why, detail, isSigned },
  });
  const sign = log.signOf(frame.sender, seq);
  if (sign === undefined) return refused('not-member', `${frame.sender} was no member of the room there.`, false);
  const verified = verifyFrame(frame, { room: log.room, nkey: sign, verifier });
  if (verified.kind === 'refused')
    return refused(verified.fault, `It was not signed by ${frame.sender} for this room.`, false);
  if (carrier !== frame.sender)
    return refused('other-envelope', `${carrier} published what ${frame.sender} had signed.`);
  const fault = placeFault(placed, log);
  if (fault !== undefined) return refused(...fault);
  const again = window.take(frame);
  return again === undefined ? { kind: 'counts', frame: verified.frame, sign } : refused(again, windowWords[again]);
}
