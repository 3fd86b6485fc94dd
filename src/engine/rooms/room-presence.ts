/**
 * Who is writing, and how far people have read (docs/spec/rooms.md R54, R55): told on the bus alone, kept nowhere.
 * Law: only what a member signed a moment ago counts, once; what is known is bounded and ends by itself; each half can be off.
 */

import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { Bus, Message } from '../bus/bus.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { RoomLog } from './room-log.ts';
import { roomPresenceSubject } from './room-subjects.ts';

/** The choice as the settings have it. */
export function presenceChoice({ rooms: { receipts, typing } }: Pick<Settings, 'rooms'>): PresenceChoice {
  return { sendsReceipts: receipts, sendsTyping: typing };
}

/** Type of its envelopes. */
const roomPresenceType = 'vak.rooms.presence';

export interface PresenceChoice {
  readonly sendsReceipts: boolean;
  readonly sendsTyping: boolean;
}

export interface RoomPresence extends Disposable {
  /** Names of members who are writing now, without this peer. */
  typing(): readonly string[];
  /** How far members have read, as they said: places in the stream. */
  read(): readonly { readonly peer: string; readonly seq: number }[];
  /** Says that this peer is writing; call it with each key, it is said now and then. `false`: at once that it is not. */
  setTyping(isTyping: boolean): void;
  /** Says how far this peer has read; only what is further than before. */
  markRead(seq: number): void;
}

export interface RoomPresenceDeps {
  readonly workspace: string;
  readonly room: string;
  /** Key of this peer. */
  readonly self: string;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly judge: StoredJudge;
  readonly log: () => RoomLog;
  /** Publishes on the bus at once, signed. Undefined: nothing is said. */
  readonly publishNow: ((draft: EnvelopeDraft) => void) | undefined;
  readonly choice: () => PresenceChoice;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onChange: () => void;
}

/** Waits for its turn at most; of more the oldest gives way. */
const capacity = 256;
/** Signatures that are looked at in one go: whoever floods the subject costs no more. */
const maxLooked = 64;
/** How long somebody is writing after having said so, and how often that is said, ms. */
const typingMs = 8_000;
const sayTypingEveryMs = 3_000;
/** How often it is said how far somebody has read, ms. */
const sayReadEveryMs = 2_000;
/** So far from now an envelope may say that it was written, ms. */
const maxAgeMs = 60_000;

interface Known {
  readonly peer: string;
  /** When its newest envelope was written, and its place in its chain: an older one, or that one again, says nothing more. */
  writtenMs: number;
  seqnum: number;
  /** By `clock.monotonic`; undefined: it is not writing. */
  typingUntilMs: number | undefined;
  readSeq: number | undefined;
}

/** What others say. */
function createHearing({ workspace, room, self, judge, log, clock }: RoomPresenceDeps) {
  const known = new Map<string, Known>();
  const subject = roomPresenceSubject(workspace, room);

  /** The member who said it, if it may be believed. */
  function senderOf({ data }: Message): { readonly sign: string; readonly said: Said } | undefined {
    const verdict = judge({ subject, data, storedMs: clock.now() });
    if (verdict.kind !== 'accepted' || verdict.envelope.type !== roomPresenceType) return undefined;
    const { envelope, payload } = verdict;
    const sign = envelope.signed?.signer;
    const member = log()
      .standing()
      ?.members.get(sign ?? '');
    const writtenMs = Date.parse(envelope.time);
    const isNow = Math.abs(clock.now() - writtenMs) <= maxAgeMs;
    if (sign === undefined || sign === self || member?.peer !== envelope.agentid || !isNow) return undefined;
    const said = decodePayload(roomPresenceType, payload);
    return said.room === room
      ? { sign, said: { ...said, peer: member.peer, writtenMs, seqnum: envelope.seqnum } }
      : undefined;
  }

  function take(message: Message): void {
    const sender = senderOf(message);
    if (sender === undefined) return;
    const { sign, said } = sender;
    const nothing = { writtenMs: 0, seqnum: -1, typingUntilMs: undefined, readSeq: undefined };
    const one: Known = known.get(sign) ?? { peer: said.peer, ...nothing };
    const isNewer = said.writtenMs > one.writtenMs || (said.writtenMs === one.writtenMs && said.seqnum > one.seqnum);
    if (!isNewer) return;
    [one.writtenMs, one.seqnum] = [said.writtenMs, said.seqnum];
    if (said.isTyping !== undefined) one.typingUntilMs = said.isTyping ? clock.monotonic() + typingMs : undefined;
    if (said.readSeq !== undefined) one.readSeq = Math.max(one.readSeq ?? 0, said.readSeq);
    known.set(sign, one);
  }

  return {
    known,
    /** Forgets who is a member no more, and who has stopped writing. */
    tidy(): void {
      const members = log().standing()?.members;
      for (const [sign, one] of known) {
        if (members?.has(sign) !== true) known.delete(sign);
        else if ((one.typingUntilMs ?? 0) <= clock.monotonic()) one.typingUntilMs = undefined;
      }
    },
    take(messages: readonly Message[]): void {
      for (const message of messages.slice(-maxLooked)) {
        try {
          take(message);
        } catch (error) {
          if (!isVakError(error)) throw error;
        }
      }
    },
  };
}

interface Said extends PayloadOf<typeof roomPresenceType> {
  readonly peer: string;
  readonly writtenMs: number;
  readonly seqnum: number;
}

/** Creates that of one room. */
export function createRoomPresence(deps: RoomPresenceDeps): RoomPresence {
  const { workspace, room, bus, publishNow, choice, clock, randomness, onChange } = deps;
  const subject = roomPresenceSubject(workspace, room);
  const held = createDisposer();
  const hearing = createHearing(deps);
  let isTyping = false;
  let saidTypingMs = Number.NEGATIVE_INFINITY;
  let [readSeq, saidReadSeq, saidReadMs] = [0, 0, Number.NEGATIVE_INFINITY];
  let readTimer: Disposable | undefined;
  let told = '';

  function say(fields: Omit<PayloadOf<typeof roomPresenceType>, 'v' | 'room'>): void {
    const payload = utf8(JSON.stringify({ v: 1, room, ...fields }));
    publishNow?.({ subject, type: roomPresenceType, payload, trace: startTrace(randomness.bytes) });
  }

  function tell(): void {
    hearing.tidy();
    const now = JSON.stringify([...hearing.known.values()].map((one) => [one.peer, one.typingUntilMs, one.readSeq]));
    if (now !== told) onChange();
    told = now;
  }

  function sayRead(): void {
    readTimer?.dispose();
    readTimer = undefined;
    if (!choice().sendsReceipts || readSeq <= saidReadSeq) return;
    [saidReadSeq, saidReadMs] = [readSeq, clock.monotonic()];
    say({ readSeq });
  }

  held.add(
    bus.subscribe(subject, {
      kind: 'drop-oldest',
      capacity,
      onBatch(messages) {
        hearing.take(messages);
        tell();
      },
    }),
  );
  held.add(clock.setTicker(1_000, tell));

  return {
    typing() {
      hearing.tidy();
      return [...hearing.known.values()].flatMap((one) => (one.typingUntilMs === undefined ? [] : [one.peer]));
    },
    read() {
      hearing.tidy();
      return [...hearing.known.values()].flatMap(({ peer, readSeq: seq }) =>
        seq === undefined ? [] : [{ peer, seq }],
      );
    },
    setTyping(isNow) {
      if (!choice().sendsTyping) return;
      const isDue = isNow && clock.monotonic() - saidTypingMs >= sayTypingEveryMs;
      if (!isDue && isNow === isTyping) return;
      isTyping = isNow;
      saidTypingMs = isNow ? clock.monotonic() : Number.NEGATIVE_INFINITY;
      say({ isTyping });
    },
    markRead(seq) {
      readSeq = Math.max(readSeq, seq);
      const waitMs = saidReadMs + sayReadEveryMs - clock.monotonic();
      if (waitMs <= 0) sayRead();
      else readTimer ??= clock.setTimer(waitMs, sayRead);
    },
    dispose() {
      held.dispose();
      readTimer?.dispose();
    },
  };
}
