/**
 * Says of a frame in the outbox whether it may still go (protocol.md R8, docs/spec/rooms.md R51).
 * Law: what was sealed for an epoch that has ended, or by another process, is not sent: its intent is sealed anew.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { type RoomFrame, roomFrame } from '../../shared/protocol/payload-rooms.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import { createEnvelopeReader } from '../envelope/envelope-reader.ts';
import { parseRecord } from '../identity/signed-record.ts';
import type { OutboxGuard } from '../outbox/outbox.ts';
import { roomFrameType } from './frame-intake.ts';
import type { RoomLogReader } from './room-log-reader.ts';

const messages = /^vak\.rooms\.[^.]+\.[^.]+\.messages$/;

export interface GuardedRoom {
  readonly logs: Pick<RoomLogReader, 'log' | 'standing' | 'catchUp'>;
  /** Whether this process has sealed a frame of that boot. */
  sealed(boot: string): boolean;
}

/** Whether what was sealed for an epoch may go. Throws what reading the log throws. */
async function isInForce({ logs }: GuardedRoom, epoch: number): Promise<boolean> {
  await logs.catchUp();
  const { stop, isBehind } = logs.standing();
  const standing = logs.log().standing();
  if (stop !== undefined || isBehind || standing === undefined) return false;
  return standing.epoch === epoch && !standing.isRekeyPending && !standing.isClosed;
}

/** Creates the guard of an outbox; `find`: the rooms that are open, when it is asked. Everything else goes. */
export function createFrameGuard(find: (room: string) => GuardedRoom | undefined): OutboxGuard {
  const reader = createEnvelopeReader();

  function frameIn(data: Uint8Array): RoomFrame | undefined {
    const reading = reader.read(data);
    if (reading.kind !== 'envelope' || reading.envelope.type !== roomFrameType) return undefined;
    return parseRecord(roomFrame, parseJson(payloadBytesOf(reading.envelope), roomFrameType), 'frame');
  }

  return async ({ subject, data }) => {
    if (!messages.test(subject)) return 'send';
    const frame = frameIn(data);
    if (frame === undefined) return 'send';
    const room = find(frame.room);
    if (room?.sealed(frame.boot) !== true) return 'stale';
    try {
      return (await isInForce(room, frame.epoch)) ? 'send' : 'stale';
    } catch (error) {
      if (isVakError(error)) return 'later';
      throw error;
    }
  };
}
