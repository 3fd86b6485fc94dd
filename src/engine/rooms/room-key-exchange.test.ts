import { expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { keyOf as memberOf, peerOf, writeRoom } from '../../../tests/support/room-fixture.ts';
import { keyOf, ownBoxOf } from '../../../tests/support/room-key-fixture.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import type { OwnBox } from './key-package.ts';
import { createRoomKeyExchange, type KeyRecordType } from './room-key-exchange.ts';
import type { EpochStart } from './room-log.ts';

const signs = [1, 2, 3].map(memberOf);
const signOf = (n: number): string => signs[n - 1] ?? '';

/** The exchange of peer 1, who owns a room in which 2 is. */
function makeExchange() {
  const clock = createFakeClock();
  const written = writeRoom();
  written.admit(2);
  const sent: { readonly to: string; readonly type: KeyRecordType }[] = [];
  let boxes: readonly OwnBox[] = [ownBoxOf(1)];
  const kept: number[] = [];
  const exchange = createRoomKeyExchange({
    ...{ signer: signerOf(1), clock, randomness: createSystemRandomness(), verifier: createRecordChecks().verifier },
    boxes: () => boxes,
    keyring: {
      keyOf: () => keyOf(1),
      baseOf: (log: typeof written.log, epoch: number) => log.epochs()[epoch],
      keep: async ({ epoch }: { readonly epoch: number }) => void kept.push(epoch),
    } as never,
    logOf: (room) => (room === written.room ? written.log : undefined),
    boxOf: (peer) => ({ box: toBase64Url(ownBoxOf(Number(peer.slice(5))).publicKey) }),
    publish: async (to, type) => void sent.push({ to, type }),
    onChange: () => {},
  });
  const from = (n: number, type: KeyRecordType, record: object) =>
    exchange.take({ type, payload: utf8(JSON.stringify(record)), peer: peerOf(n), signer: signOf(n) });
  const epochOf = ({ epoch, hash: rekeyHash }: EpochStart) => ({ v: 1, room: written.room, epoch, rekeyHash });
  return {
    ...{ ...written, clock, exchange, sent, from, epochOf },
    lock: () => {
      boxes = [];
    },
  };
}
const rekey = { type: 'REKEY', commit: 'A'.repeat(43), cause: 'hand' } as const;

test('R28 a member that asks without end is answered 256 times at once, and goes on being answered a little', async () => {
  const { log, write, from, epochOf, sent, clock } = makeExchange();
  for (let count = 0; count < 300; count++) write(1, rekey);
  for (let round = 0; round < 3; round++)
    for (const start of log.epochs().slice(2)) await from(2, 'vak.keys.request', epochOf(start));
  expect(sent).toHaveLength(256);
  clock.advance(5_000);
  for (const start of log.epochs().slice(2)) await from(2, 'vak.keys.request', epochOf(start));
  expect(sent).toHaveLength(266);
});

test('R28 who never was a member is not answered, nor whoever takes a member’s name', async () => {
  const { log, from, epochOf, sent, exchange, room } = makeExchange();
  const [, join] = log.epochs() as [EpochStart, EpochStart];
  await from(3, 'vak.keys.request', epochOf(join));
  const payload = utf8(JSON.stringify(epochOf(join)));
  await exchange.take({ type: 'vak.keys.request', payload, peer: peerOf(2), signer: memberOf(3) });
  await exchange.take({ type: 'vak.keys.request', payload, peer: peerOf(3), signer: memberOf(2) });
  await from(2, 'vak.keys.request', { ...epochOf(join), room: `${room.slice(0, -1)}x` });
  expect(sent).toEqual([]);
  await from(2, 'vak.keys.request', epochOf(join));
  expect(sent).toEqual([{ to: peerOf(2), type: 'vak.keys.package' }]);
});

test('R50 who invites to rooms without end takes no other’s place', async () => {
  const { from, exchange } = makeExchange();
  const roomAt = (n: number): string => n.toString(2).padStart(26, 'a').replaceAll('0', 'b').replaceAll('1', 'c');
  await from(2, 'vak.keys.invite', { v: 1, room: roomAt(9_999), n: 1 });
  for (let n = 0; n < 500; n++) await from(3, 'vak.keys.invite', { v: 1, room: roomAt(n), n: 1 });
  expect(exchange.invitations()).toHaveLength(17);
  expect(exchange.invitations()).toContain(roomAt(9_999));
  exchange.forgetInvitation(roomAt(499));
  expect(exchange.invitations()).toHaveLength(16);
});

test('R31 while the key store is locked a package waits, and is not lost', async () => {
  const { log, from, epochOf, lock } = makeExchange();
  const [create] = log.epochs() as [EpochStart];
  const record = {
    ...epochOf(create),
    ...{
      sender: memberOf(2),
      recipient: memberOf(1),
      recipientBox: 'A'.repeat(43),
      box: toBase64Url(new Uint8Array(262)),
    },
    ...{ issuedAt: 1, sig: toBase64Url(new Uint8Array(64)) },
  };
  expect(await from(2, 'vak.keys.package', record)).toBe('done');
  lock();
  expect(await from(2, 'vak.keys.package', record)).toBe('later');
});
