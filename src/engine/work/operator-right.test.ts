import { beforeEach, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { createNkeySeed } from '../identity/nkey.ts';
import type { SignerQuestion, SignerVerdict } from '../identity/signer-resolution.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createOperatorRight, type OperatedEngine, type OperatorRight } from './operator-right.ts';

const fabric = { durable: { name: 'here' } } as unknown as OperatedEngine['fabric'];
let world: {
  engine: OperatedEngine | undefined;
  isUnlocked: boolean;
  verdict: SignerVerdict | undefined;
};
let asked: SignerQuestion[];
let right: OperatorRight;

beforeEach(() => {
  asked = [];
  const verdict = { kind: 'granted', grant: {} as never, why: '' } as const;
  world = { engine: { readOnlyContext: undefined, fabric }, isUnlocked: true, verdict };
  const signSeed = createNkeySeed(createSeededRandomness(3));
  right = createOperatorRight({
    ...{ workspace: 'acme', clock: createFakeClock(), engine: () => world.engine },
    keyStore: {
      state: () => ({ kind: world.isUnlocked ? 'unlocked' : 'locked' }) as ReturnType<KeyStore['state']>,
      read: () => ({ identities: [{ peer: 'olga', kind: 'human', signSeed }] }) as never,
    },
    resolve(question) {
      asked.push(question);
      return world.verdict;
    },
  });
});

const run = () =>
  right.run('purge', async ({ peer, signer, durable }) => ({ peer, nkey: signer.nkey, signer, durable }));

it('A2 what an operator does is done in its name, and its signer is of use no longer than that', async () => {
  const { peer, nkey, signer, durable } = await run();
  expect(durable).toBe(fabric.durable);
  expect(peer).toBe('olga');
  expect(asked).toMatchObject([{ ws: 'acme', peer: 'olga', signer: nkey, roles: ['operator'] }]);
  expect(() => signer.sign(new Uint8Array(1))).toThrow('erased');
});

it.each<[string, Partial<typeof world>, object]>([
  ['there is no engine', { engine: undefined }, { code: 'disconnected', retryable: true }],
  ['the context is read-only', { engine: { readOnlyContext: 'prod', fabric } }, { code: 'read-only' }],
  ['the keys are locked', { isUnlocked: false }, { code: 'locked' }],
  ['the grants are not known', { verdict: undefined }, { code: 'forbidden' }],
  ['it is no operator any more', { verdict: { kind: 'wrong-role', why: 'It is not.' } }, { code: 'forbidden' }],
])('A2 nothing is done while %s', async (_, change, error) => {
  Object.assign(world, change);
  let isDone = false;
  const work = right.run('purge', async () => {
    isDone = true;
  });
  expect(await failure(work)).toMatchObject({ ...error, message: expect.stringContaining('purge') });
  expect(isDone).toBe(false);
});
