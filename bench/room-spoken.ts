/** A room in which its owner has said much, as it reads it itself: envelopes and frames judged as the product judges them. */
import { verify } from 'node:crypto';
import { runtimePrimitives } from '../src/engine/crypto/runtime-primitives.ts';
import { createSecret } from '../src/engine/identity/secret.ts';
import { createRecordChecks } from '../src/engine/identity/signed-record.ts';
import { countedNonce } from '../src/engine/rooms/counted-nonce.ts';
import { createFrameIntake, roomFrameType } from '../src/engine/rooms/frame-intake.ts';
import { createFrameSealer } from '../src/engine/rooms/frame-sealer.ts';
import { emptyRoomFile } from '../src/engine/rooms/room-file.ts';
import type { VerifiedFrame } from '../src/engine/rooms/room-frame.ts';
import { deriveFrameKey } from '../src/engine/rooms/room-keys.ts';
import { createRoomReader, type ReadState, type RoomReader } from '../src/engine/rooms/room-reader.ts';
import { roomMessagesSubject } from '../src/engine/rooms/room-subjects.ts';
import { fromBase64Url } from '../src/shared/base/base64url.ts';
import { utf8 } from '../src/shared/base/bytes.ts';
import { frameAad, frameSignatureInput } from '../src/shared/protocol/room-frame-input.ts';
import { startTrace } from '../src/shared/protocol/trace-context.ts';
import { createListedStream } from '../tests/support/listed-stream.ts';
import { createTrustedWorkspace } from '../tests/support/trusted-workspace.ts';
import { ports } from './engines.ts';
import { openLog, publicKeyOf } from './room-places.ts';

/** Messages of a first screen. */
const screen = 60;
const messageIdOf = (n: number): string => `0197a3c0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

export interface SpokenRoom {
  /** Reads all messages, from the first one on. */
  readWhole(): Promise<void>;
  /** What a start does that has read them before: the first screen of them. */
  firstScreen(): Promise<void>;
  /** Two signatures a message, a key derived, and a text opened: nothing else. */
  primitives(): void;
}

export async function openSpokenRoom(count: number): Promise<SpokenRoom> {
  const workspace = createTrustedWorkspace();
  const owner = workspace.peer('owner', { roles: ['human'], kind: 'd' });
  const { signer } = owner;
  const { room, log } = openLog(signer);
  const key = createSecret(new Uint8Array(32).fill(3));
  const subject = roomMessagesSubject('acme', room);
  const stream = createListedStream(subject, 11);
  const sealer = createFrameSealer({ room, sender: 'owner', signer, randomness: ports.randomness });
  const [n, head] = [0, log.head()?.hash ?? ''];
  const frames: VerifiedFrame[] = [];
  for (let at = 0; at < count; at++) {
    const place = { epoch: 0, n, head, messageId: messageIdOf(at) };
    const frame = sealer.seal(place, { kind: 'text', text: `message ${at} of a room in which much is said` }, key);
    const payload = utf8(JSON.stringify(frame));
    const draft = { subject, type: roomFrameType, payload, trace: startTrace(ports.randomness.bytes) };
    owner.author.publish(draft, (bytes) => void stream.add(Uint8Array.from(bytes), workspace.clock.now()));
    frames.push(frame);
  }

  function readerFrom(saved: ReadState): RoomReader {
    const intake = createFrameIntake({
      ...{ judge: workspace.judge, verifier: createRecordChecks().verifier, keyOf: () => key },
    });
    const standing = { stop: undefined, isBehind: false, skipped: [], skippedCount: 0 };
    const logs = { room, log: () => log, standing: () => standing, catchUp: async () => {} };
    const { durable } = stream;
    return createRoomReader({ workspace: 'acme', durable, logs, intake, self: signer.nkey, saved, clock: ports.clock });
  }

  function check(reader: RoomReader, least: number): void {
    const openedCount = reader
      .timeline()
      .all()
      .filter(({ content }) => content !== undefined).length;
    if (openedCount < least) throw new Error(`${openedCount} of ${least} messages were opened`);
  }

  const first = readerFrom(emptyRoomFile);
  await first.catchUp();
  check(first, count);
  const saved = first.state();
  const publicKey = publicKeyOf(signer.nkey);

  return {
    async readWhole() {
      const reader = readerFrom(emptyRoomFile);
      await reader.catchUp();
      check(reader, count);
    },
    async firstScreen() {
      const reader = readerFrom(saved);
      await reader.catchUp();
      await reader.loadOlder(screen);
      check(reader, screen);
    },
    primitives() {
      for (const frame of frames) {
        const [aad, ct, sig] = [frameAad(frame), fromBase64Url(frame.ct, 'ct'), fromBase64Url(frame.sig, 'sig')];
        const message = frameSignatureInput(aad, runtimePrimitives.sha256(ct));
        for (let times = 0; times < 2; times++)
          if (!verify(null, message, publicKey, sig)) throw new Error('not signed');
        const frameKey = deriveFrameKey(key, frame);
        const sealed = { key: frameKey.reveal(), nonce: countedNonce(frame.counter), text: ct, aad };
        runtimePrimitives.chacha20Poly1305.open(sealed);
        frameKey.dispose();
      }
    },
  };
}
