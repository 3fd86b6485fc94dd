/**
 * Makes of a message on a room's subject what its timeline shows: opened, or why not (protocol.md R7, R10).
 * Law: nothing throws for what came, and a text says cause, who and what to do next, never a value.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { type RoomFrame, roomFrame } from '../../shared/protocol/payload-rooms.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import type { EnvelopeReading } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { Secret } from '../identity/secret.ts';
import { parseRecord } from '../identity/signed-record.ts';
import type { FrameWindow } from './frame-window.ts';
import { openFrame, type VerifiedFrame } from './room-frame.ts';
import { judgeFrame } from './room-frames.ts';
import type { RoomLog } from './room-log.ts';
import type { NotOpened, TimelineMessage } from './room-timeline.ts';

/** Type of a frame's envelope. */
export const roomFrameType = 'vak.rooms.frame';

/**
 * What a message came to. `shown`: `frame` where it counts and only its key is missing. `undecided`: it counts if its sender has a
 * grant, which is not known here. `locked`: nobody can tell yet.
 */
export type FrameIntake =
  | {
      readonly kind: 'shown';
      readonly message: TimelineMessage;
      readonly frame?: VerifiedFrame;
      readonly isDiverged?: boolean;
    }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'locked' };

export interface FrameIntakeDeps {
  readonly judge: StoredJudge;
  readonly verifier: Ed25519Verifier;
  /** The key of an epoch, or why there is none. */
  readonly keyOf: (log: RoomLog, epoch: number) => Secret | NotOpened;
}

export interface IntakePlace {
  readonly log: RoomLog;
  readonly window: Pick<FrameWindow, 'take'>;
}

export interface FrameIntakes {
  take(stored: StoredMessage, place: IntakePlace): FrameIntake;
  /** Whether the key of an epoch is here. */
  canOpen(log: RoomLog, epoch: number): boolean;
  /** Opens a frame that counts. */
  open(frame: VerifiedFrame, message: TimelineMessage, log: RoomLog): TimelineMessage;
}

/** Stands for the id of what has none. */
const placeId = (seq: number): string => `place-${seq}`;

/** What could not even be read as a frame. */
function unreadable(stored: StoredMessage, peer: string, notOpened: NotOpened): FrameIntake {
  const { seq, storedMs: atMs } = stored;
  const nobody = { sign: '', epoch: 0, isCounted: false, kind: 'text' } as const;
  return { kind: 'shown', message: { seq, atMs, messageId: placeId(seq), peer, ...nobody, notOpened } };
}

function frameOf(envelope: Envelope, payload: Uint8Array): RoomFrame | NotOpened {
  if (envelope.type !== roomFrameType)
    return { cause: 'bad-form', detail: `It is of type ${envelope.type}, no frame.` };
  try {
    return parseRecord(roomFrame, parseJson(payload, roomFrameType), 'frame');
  } catch (error) {
    if (isVakError(error)) return { cause: 'bad-form', detail: `${error.message}.` };
    throw error;
  }
}

/** Creates the intake of one peer. */
export function createFrameIntake({ judge, verifier, keyOf }: FrameIntakeDeps): FrameIntakes {
  function open(frame: VerifiedFrame, message: TimelineMessage, log: RoomLog): TimelineMessage {
    const { content: _content, notOpened: _notOpened, ...place } = message;
    const key = keyOf(log, frame.epoch);
    if ('cause' in key) return { ...place, notOpened: key };
    const opened = openFrame(frame, key);
    if (opened.kind === 'opened') return { ...place, content: opened.content };
    return { ...place, notOpened: { cause: 'tampered', detail: `${opened.why}.` } };
  }

  function takeFrame(
    stored: StoredMessage,
    frame: RoomFrame,
    { carrier, log, window }: IntakePlace & { carrier: string },
  ): FrameIntake {
    const { seq, storedMs: atMs } = stored;
    const verdict = judgeFrame({ frame, seq, carrier }, { log, window, verifier });
    const { messageId, kind, sender, epoch } = frame;
    if (verdict.kind === 'refused') {
      const { why: cause, detail, isSigned } = verdict;
      const sign = log.signOf(sender, seq) ?? '';
      const who = isSigned ? { peer: sender, sign } : { peer: carrier, sign: '' };
      const message = { seq, atMs, messageId, kind, ...who, epoch, isCounted: false, notOpened: { cause, detail } };
      return { kind: 'shown', message, isDiverged: cause === 'diverged' };
    }
    const place = { seq, atMs, messageId, kind, peer: sender, sign: verdict.sign, epoch, isCounted: true };
    const message = open(verdict.frame, place, log);
    return message.content === undefined
      ? { kind: 'shown', message, frame: verdict.frame }
      : { kind: 'shown', message };
  }

  /** Whether it is a member's, and counts but for its sender's grant. It has its turn in the window now: when that is known, others have come. */
  function wouldCount({ seq }: StoredMessage, reading: EnvelopeReading, { log, window }: IntakePlace): boolean {
    if (reading.kind !== 'envelope') return false;
    const { envelope } = reading;
    const frame = frameOf(envelope, payloadBytesOf(envelope));
    if ('cause' in frame) return false;
    return judgeFrame({ frame, seq, carrier: envelope.agentid }, { log, window, verifier }).kind === 'counts';
  }

  return {
    open,
    canOpen: (log, epoch) => !('cause' in keyOf(log, epoch)),
    take(stored, place) {
      const verdict = judge(stored);
      if (verdict.kind === 'locked') return verdict;
      if (verdict.kind === 'refused') {
        const { reading, refusal, isFinal } = verdict;
        // What no member signed waits for no grant: nobody fills the room's memory from outside.
        if (!isFinal && wouldCount(stored, reading, place)) return { kind: 'undecided' };
        const peer = reading.kind === 'envelope' ? reading.envelope.agentid : '';
        return unreadable(stored, peer, { cause: 'bad-signature', detail: refusal.why });
      }
      const { envelope, payload } = verdict;
      const carrier = envelope.agentid;
      const frame = frameOf(envelope, payload);
      if ('cause' in frame) return unreadable(stored, carrier, frame);
      return takeFrame(stored, frame, { ...place, carrier });
    },
  };
}
