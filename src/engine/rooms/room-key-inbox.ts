/**
 * Reads what lies on this peer's subject of keys, once, in its order (docs/spec/rooms.md R28, R50).
 * Law: what speaks of an entry that is not read yet, and what comes of somebody whose grant is not known yet, waits, over a start too; but
 * bounded in number, size and time, and for each sender: nobody who floods it holds up what others send.
 */
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { Clock } from '../ports/clock.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { KeyRecord, RoomKeyExchange } from './room-key-exchange.ts';
import { keysStreamOf, roomKeysSubject } from './room-subjects.ts';

export interface RoomKeyInbox {
  /** Reads to the end, and gives what waited once more. Throws what reading throws. */
  read(): Promise<void>;
  /** Records that wait for a log to be read further. */
  waitingCount(): number;
}

export interface RoomKeyInboxDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly take: RoomKeyExchange['take'];
  /** Place up to which everything was taken. */
  readonly kept: { read(): number; write(seq: number): Promise<void> };
  readonly clock: Pick<Clock, 'now'>;
}

const pageLimit = 200;
/** The largest record is a package, about 1 KiB of JSON. */
const maxRecordBytes = 8 * 1024;
/** Records that wait, and of one signer. */
const maxWaiting = 1_024;
const maxWaitingEach = 64;
/** So long after it was stored a record waits, ms: its sender is asked again then. */
const maxWaitMs = 24 * 3_600_000;

interface Waiting {
  readonly message: StoredMessage;
  /** Undefined: its sender's grant is not known. */
  readonly signer: string | undefined;
}

/** What waits: of each signer the newest, and all in all; the oldest of whoever has most gives way. */
function createWaiting() {
  let waiting: Waiting[] = [];

  function dropOne(signer: string | undefined): void {
    const at = waiting.findIndex((one) => one.signer === signer);
    waiting.splice(at, 1);
  }

  return {
    count: () => waiting.length,
    firstSeq: () => Math.min(...waiting.map(({ message }) => message.seq)),
    add(one: Waiting): void {
      waiting.push(one);
      const countOf = (signer: string | undefined) => waiting.filter((other) => other.signer === signer).length;
      if (countOf(one.signer) > maxWaitingEach) dropOne(one.signer);
      else if (waiting.length > maxWaiting) dropOne(waiting[0]?.signer);
    },
    takeAll(): readonly Waiting[] {
      const all = waiting;
      waiting = [];
      return all;
    },
  };
}

/** Creates it; it goes on from the place that was kept. */
export function createRoomKeyInbox(deps: RoomKeyInboxDeps): RoomKeyInbox {
  const { workspace, peer, durable, judge, take, kept, clock } = deps;
  const subject = roomKeysSubject(workspace, peer);
  const stream = durable.stream(keysStreamOf(workspace));
  const lane = createSerialLane();
  const waiting = createWaiting();
  let readSeq = kept.read();

  /** `undecided`: its sender's grant is not known. Undefined: it is nobody's record. */
  function recordOf(message: StoredMessage): KeyRecord | 'locked' | 'undecided' | undefined {
    const verdict = judge(message);
    if (verdict.kind === 'locked') return 'locked';
    if (verdict.kind === 'refused') return verdict.isFinal ? undefined : 'undecided';
    const { envelope, payload } = verdict;
    const signer = envelope.signed?.signer;
    if (signer === undefined || payload.length > maxRecordBytes) return undefined;
    return { type: envelope.type, payload, peer: envelope.agentid, signer };
  }

  function wait(message: StoredMessage, signer: string | undefined): void {
    const isBounded = message.data.length <= 2 * maxRecordBytes && clock.now() - message.storedMs < maxWaitMs;
    if (isBounded) waiting.add({ message, signer });
  }

  /** False: nothing can be judged now. */
  async function give(message: StoredMessage): Promise<boolean> {
    const record = recordOf(message);
    if (record === 'locked') return false;
    if (record === 'undecided') wait(message, undefined);
    else if (record !== undefined && (await take(record)) === 'later') wait(message, record.signer);
    return true;
  }

  async function giveWaiting(): Promise<void> {
    const all = waiting.takeAll();
    for (const [index, one] of all.entries()) {
      const isGiven = await give(one.message).catch((error: unknown) => {
        for (const left of all.slice(index)) waiting.add(left);
        throw error;
      });
      if (!isGiven) waiting.add(one);
    }
  }

  async function giveAll(messages: readonly StoredMessage[]): Promise<boolean> {
    for (const message of messages) {
      if (!(await give(message))) return false;
      readSeq = message.seq;
    }
    return true;
  }

  async function read(): Promise<void> {
    await giveWaiting();
    for (let fromSeq: number | undefined = readSeq + 1; fromSeq !== undefined; ) {
      const page = await stream.read({ subject, limit: pageLimit, fromSeq });
      fromSeq = (await giveAll(page.messages)) ? page.nextSeq : undefined;
    }
    const takenSeq = Math.min(readSeq, waiting.firstSeq() - 1);
    if (takenSeq > kept.read()) await kept.write(takenSeq);
  }

  return { read: () => lane.run(read), waitingCount: waiting.count };
}
