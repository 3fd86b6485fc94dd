import { expect, it } from 'vitest';
import { consumerOf, namesIn } from '../../../tests/support/access-calls.ts';
import { draftOf } from '../../../tests/support/envelope-fixture.ts';
import { createFabricFixture } from '../../../tests/support/fabric-fixture.ts';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { createPlayedStatus } from '../../../tests/support/outbox-fixture.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { createMemoryJournal } from '../bus/memory/memory-journal.ts';
import { provision } from '../bus/provision.ts';
import { openDurablePeer } from '../outbox/durable-peer.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness, isSessionOf } from '../ports/randomness.ts';
import type { DeniedAccess } from './denial-teller.ts';
import { createPermit } from './permit.ts';
import { createPermittedPlane } from './permitted-plane.ts';

const ports = { clock: createSystemClock(), logger: createSilentLogger() };

it('A4 a worker does all of its work with no more than its rights, and goes on with what its last process left', async () => {
  const fixture = createFabricFixture();
  const fabric = await fixture.open();
  await provision(fabric.durable, 'ws');
  const { deadLetter, receipt, inbox, stream } = namesIn('ws');
  await fabric.durable.stream(stream('INBOX')).ensureConsumer(consumerOf('inbox-boss', inbox('boss')));

  const denied: DeniedAccess[] = [];
  const permit = createPermit({
    ...{ workspace: 'ws', peer: 'w1', roles: ['worker'], queues: ['q'], ...ports },
    ...{ ownsSession: (session) => isSessionOf('w1', session), onDenied: (one) => denied.push(one) },
  });
  const durable = createPermittedPlane(fabric.durable, permit);
  const journal = createMemoryJournal();
  const status = createPlayedStatus('reconnecting');
  const start = (seed: number) =>
    openDurablePeer({
      ...{ workspace: 'ws', peer: 'w1', signer: signerOf(1), status, durable: () => durable, ...ports },
      ...{ journal: { ...journal, close: async () => {} }, randomness: createSeededRandomness(seed) },
    });

  const first = await start(1);
  const left = receipt(first.session('d'));
  const { stored: neverSaid } = await first.publish(draftOf('{}', left));
  neverSaid.catch(() => undefined);
  expect(await first.close(0)).toBe(false);

  status.set('connected');
  const second = await start(2);
  const own = [receipt(second.session('d')), deadLetter('w1'), inbox('boss')];
  for (const subject of own) await (await second.publish(draftOf('{}', subject))).stored;
  expect(await second.close(2_000)).toBe(true);

  const sources = new Set<string>();
  for (const kind of ['RECEIPTS', 'DLQ', 'INBOX', 'CHAIN']) {
    const { messages } = await fabric.durable.stream(stream(kind)).read({ limit: 10 });
    for (const { data } of messages) sources.add(`${kind} ${decodeEnvelope(data).source}`);
  }
  const at = (of: typeof first, kind: 'q' | 'd'): string => `vak://ws/w1/${of.session(kind)}`;
  expect([...sources].toSorted()).toEqual(
    [
      `RECEIPTS ${at(first, 'd')}`,
      ...['RECEIPTS', 'DLQ', 'CHAIN'].map((kind) => `${kind} ${at(second, 'd')}`),
      `INBOX ${at(second, 'q')}`,
      `CHAIN ${at(first, 'd')}`,
    ].toSorted(),
  );
  expect(denied).toEqual([]);
  await fixture.end();
});
