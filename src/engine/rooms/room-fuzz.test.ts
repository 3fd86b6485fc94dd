import { expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { keyOf, messageIdOf, ownBoxOf, room, text32 } from '../../../tests/support/room-key-fixture.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { messageKinds } from '../../shared/protocol/payload-rooms.ts';
import { decodePayload, type KnownType, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { decodeRoomContent } from '../../shared/protocol/room-content.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { openRoomKey, sealRoomKey } from './key-package.ts';
import { openFrame, sealFrame, verifyFrame } from './room-frame.ts';
import { commitRoomKey } from './room-keys.ts';

/** Fuzzed inputs of key records, and of messages (quality: a tenth in each run). */
const count = process.env['VAK_ENDURANCE'] === '1' ? 100_000 : 10_000;
/** Longest that one input may take: some 100 times what the largest needs. */
const maxMs = 1000;

type Draw = (below: number) => number;

/** A repeatable source of whole numbers below n (xorshift32). */
function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const [ada, bob] = [signerOf(1), signerOf(2)];
const { verifier } = createRecordChecks();
const place = { v: 1, room, epoch: 3, rekeyHash: text32(7) } as const;
const keyPackage = sealRoomKey(
  {
    ...place,
    key: keyOf(1),
    recipient: bob.nkey,
    recipientBox: toBase64Url(ownBoxOf(2).publicKey),
    isStep: false,
    issuedAt: 5,
  },
  { signer: ada, randomness: createSystemRandomness() },
);
const opening = {
  expected: { ...place, authors: new Set([ada.nkey]), commit: toBase64Url(commitRoomKey(keyOf(1))) },
  recipient: bob.nkey,
  boxes: [ownBoxOf(2)],
  verifier,
};
const frame = sealFrame(
  {
    room,
    epoch: 3,
    sender: 'ada',
    boot: toBase64Url(new Uint8Array(16)),
    counter: 5,
    messageId: messageIdOf(1),
    n: 4,
    head: text32(7),
  },
  { kind: 'text', text: 'hello' },
  { roomKey: keyOf(1), signer: ada },
);

const target = messageIdOf(1);
const sha256 = 'a'.repeat(64);
const contents: readonly object[] = [
  { text: 'hello' },
  { target, text: 'hello' },
  { target, emoji: '👍', isOff: true },
  { target, reason: 'why' },
  {
    bucket: 'b',
    object: 'o',
    size: 5,
    sha256,
    salt: text32(1),
    epoch: 1,
    name: 'a.txt',
    mime: 'text/plain',
    text: 'a',
  },
];

const hostile = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  '\0',
  '\u202E',
  '\ud800',
  'A'.repeat(70_000),
  [],
  {},
  [[[]]],
  '__proto__',
  'z͑ͫ̓'.repeat(99),
];

/** Replaces, adds or takes away a field. */
function spoil(value: object, draw: Draw): object {
  const entries = Object.entries(value);
  const at = draw(entries.length);
  const [key = 'x'] = entries[at] ?? [];
  if (draw(8) === 0) return Object.fromEntries(entries.filter((_, index) => index !== at));
  if (draw(8) === 0) return { ...value, [String(hostile[draw(hostile.length)])]: hostile[draw(hostile.length)] };
  return { ...value, [key]: hostile[draw(hostile.length)] };
}

/** Changes, cuts or spoils what goes over the wire. */
function mutated(value: object, draw: Draw): Buffer {
  const kind = draw(5);
  const bytes = Buffer.from(JSON.stringify(kind < 2 ? spoil(value, draw) : value));
  if (kind === 2) return bytes.subarray(0, draw(bytes.length));
  if (kind === 3) bytes.writeUInt8(draw(256), draw(bytes.length));
  // One letter for another is what leaves base64 and ids well formed.
  if (kind === 4) bytes.write('AbZ09_-'.charAt(draw(7)), draw(bytes.length));
  if (kind === 0) return Buffer.concat([bytes, Buffer.from('['.repeat(draw(2000)))]);
  return bytes;
}

/** What a decoder gives, undefined for a typed error; anything else that is thrown ends the test. */
function tried<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (!isVakError(error)) throw error;
    expect(error.message.length).toBeLessThan(600);
    return undefined;
  }
}

/** Runs each input, and gives how often `work` said yes. */
function fuzz(seed: number, work: (draw: Draw, round: number) => boolean): number {
  const draw = createDraw(seed);
  let yes = 0;
  let slowestMs = 0;
  for (let round = 0; round < count; round++) {
    const startedAt = performance.now();
    if (work(draw, round)) yes++;
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }
  expect(slowestMs).toBeLessThan(maxMs);
  return yes;
}

function decoded<T extends KnownType>(type: T, value: object, draw: Draw): PayloadOf<T> | undefined {
  const bytes = mutated(value, draw);
  return tried(() => decodePayload(type, bytes));
}

test(
  `R5 ${count} mutated key records: a refusal with its fault or a typed error, in bounded time; no other key is taken`,
  () => {
    const others = [
      ['vak.keys.request', place],
      ['vak.keys.withheld', { ...place, reason: 'blocked' }],
      ['vak.keys.invite', { v: 1, room, n: 4 }],
    ] as const;
    const read = fuzz(20_260_105, (draw, round) => {
      const [type, value] = others[round % others.length] ?? others[0];
      if (round % 4 === 0) return decoded(type, value, draw) !== undefined;
      const record = decoded('vak.keys.package', keyPackage, draw);
      if (record === undefined) return false;
      const opened = openRoomKey(record, opening);
      if (opened.kind === 'opened') expect(record).toMatchObject(keyPackage);
      return true;
    });
    expect(read).toBeGreaterThan(count / 20);
  },
  count * 20,
);

test(
  `R7 ${count} mutated frames: a refusal with its fault or a typed error, in bounded time; no other message is believed`,
  () => {
    const read = fuzz(20_260_107, (draw) => {
      const came = decoded('vak.rooms.frame', frame, draw);
      if (came === undefined) return false;
      const verified = verifyFrame(came, { room, nkey: ada.nkey, verifier });
      if (verified.kind === 'verified') {
        expect(came).toMatchObject(frame);
        expect(openFrame(verified.frame, keyOf(1)).kind).toBe('opened');
      }
      return true;
    });
    expect(read).toBeGreaterThan(count / 20);
  },
  count * 20,
);

test(
  `R13 ${count} mutated messages: one that fits its bounds, or a typed error, in bounded time`,
  () => {
    const read = fuzz(20_260_113, (draw) => {
      const kind = messageKinds[draw(messageKinds.length)] ?? 'text';
      const bytes = mutated(contents[draw(contents.length)] ?? {}, draw);
      const content = tried(() => decodeRoomContent(kind, bytes));
      if (content === undefined) return false;
      expect(JSON.stringify(content).length).toBeLessThan(400_000);
      return true;
    });
    expect(read).toBeGreaterThan(count / 50);
  },
  count * 20,
);
