import { expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { cardWith, grantWith } from '../../../tests/support/identity-fixture.ts';
import type { PinnedPeer } from '../../engine/identity/pins.ts';
import { checkRights, type Publisher } from './publish-rights.ts';

const pin: PinnedPeer = {
  ...{ card: cardWith({ peer: 'bob' }), offered: null, firstSeenMs: 1, verifiedMs: null },
  blockedMs: 0,
};

/** Ada, a human of acme, to whom bob is blocked. */
const ada = {
  identity: { peer: 'ada' },
  open: {
    workspace: 'acme',
    contents: () => ({}),
    timelines: () => () => ({ grants: [{ grant: grantWith(), digest: '', fromMs: 0 }], replays: [] }),
    pins: { find: ({ peer }: { peer: string }) => (peer === 'bob' ? pin : undefined) },
  },
  nowMs: 1,
} as unknown as Publisher;

test('I2 vak publish refuses what is for a blocked peer, although the role would allow it', () => {
  expect(refusal(() => checkRights('vak.agent.acme.bob.inbox', 's', ada), 'forbidden').message).toContain(
    'you blocked it',
  );
  expect(() => checkRights('vak.agent.acme.carl.inbox', 's', ada)).not.toThrow();
});

test('A1 A20 vak publish refuses what no role of the identity allows', () => {
  expect(refusal(() => checkRights('vak.work.acme.q.task', 's', ada), 'forbidden').message).toContain(
    'ada may not, its roles are human; refused by the engine, rule: A1 default deny',
  );
});
