import { expect, test } from 'vitest';
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { CallContext } from '../../shared/contract/define-contract.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { Appended } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createSessionsService } from './sessions-service.ts';

const context = { signal: new AbortController().signal } as CallContext;
const envelope = { id: '0197a3c0-0000-7000-8000-000000000001' } as Envelope;

/** The service over an outbox whose stream answers so. */
function serviceWith(stored: Promise<Appended>) {
  const drafts: EnvelopeDraft[] = [];
  const clock = createFakeClock();
  const service = createSessionsService({
    ...{ workspace: 'acme', clock, randomness: createSeededRandomness(1) },
    sessions: { peerOf: (session) => (session === 'b-1-e' ? 'builder' : null) },
    outbox: {
      async publish(draft) {
        drafts.push(draft);
        return { envelope, stored };
      },
    },
  });
  const signal = (session: string) => service.signal({ session, signal: 'cancel' }, context);
  return { drafts, clock, signal };
}

test('A2 a signal goes to the inbox of the peer whose session it is, and names the session', async () => {
  const { drafts, signal } = serviceWith(Promise.resolve({ stream: 'S', seq: 1, isDuplicate: false }));
  expect(await signal('b-1-e')).toEqual({ id: envelope.id, isStored: true });
  const [draft] = drafts;
  expect(draft).toMatchObject({ subject: 'vak.agent.acme.builder.inbox', type: 'vak.agent.message' });
  expect(JSON.parse(toText(draft?.payload ?? new Uint8Array()))).toEqual({
    kind: 'signal',
    signal: 'cancel',
    session: 'b-1-e',
  });
});

test('B8 a signal without an answer is said to wait', async () => {
  const { clock, signal } = serviceWith(new Promise(() => {}));
  const asked = signal('b-1-e');
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5_000);
  expect(await asked).toEqual({ id: envelope.id, isStored: false });
});

test('B8 a signal that is refused for good fails with why', async () => {
  const refused = Promise.reject(new VakError('no-such-peer', 'it has no inbox'));
  refused.catch(() => {});
  await expect(serviceWith(refused).signal('b-1-e')).rejects.toMatchObject({ code: 'no-such-peer' });
});

test('A2 a session that nobody owns is told nothing', async () => {
  const { drafts, signal } = serviceWith(new Promise(() => {}));
  await expect(signal('x-1-e')).rejects.toMatchObject({ code: 'not-found' });
  expect(drafts).toEqual([]);
});
