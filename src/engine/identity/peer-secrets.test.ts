import { expect, it } from 'vitest';
import { createSecretRegistry } from '../envelope/secret-registry.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createOwnSecrets, type PeerSecrets } from './peer-secrets.ts';

const bytesOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const keyOf = (secretId: string): string => `${secretId}.ada.20261130.0011223344556677`;
const active = (id: string, n: number) => ({ id, secret: bytesOf(n), state: 'active', openOnlyUntilMs: null }) as const;

function setUp(given: PeerSecrets) {
  const clock = createFakeClock();
  const own = createOwnSecrets(given);
  const registry = createSecretRegistry({ source: own, clock });
  const opens = (id: string): string => {
    const found = registry.keyFor(keyOf(id), 'ada');
    return found.kind === 'key' ? 'opens' : found.failure.kind;
  };
  return { clock, own, registry, opens };
}

it('E7 what a peer holds is replaced while it works: the newest active seals, the others open, and what ended says why', () => {
  const first = active('s1', 1);
  const { own, registry, opens } = setUp({ secrets: [first], ended: [] });
  expect([registry.sealing().secretId, opens('s1'), opens('s2')]).toEqual(['s1', 'opens', 'unknown-secret']);
  own.replace({ secrets: [active('s1', 1), active('s2', 2)], ended: [] });
  expect([registry.sealing().secretId, opens('s1'), opens('s2')]).toEqual(['s2', 'opens', 'opens']);
  // Those before are erased, and no key that was derived from them is left.
  expect(first.secret.every((byte) => byte === 0)).toBe(true);
  own.replace({ secrets: [active('s2', 2)], ended: [{ id: 's1', state: 'revoked', openOnlyUntilMs: null }] });
  expect([opens('s1'), opens('s2')]).toEqual(['revoked-secret', 'opens']);
});

it('E7 one that only opens stops at its time, also where nobody tells the peer', () => {
  const { clock, opens } = setUp({
    secrets: [{ id: 's1', secret: bytesOf(1), state: 'open-only', openOnlyUntilMs: createFakeClock().now() + 60_000 }],
    ended: [{ id: 's0', state: 'open-only', openOnlyUntilMs: 5 }],
  });
  expect([opens('s1'), opens('s0')]).toEqual(['opens', 'expired-secret']);
  clock.advance(60_000);
  expect(opens('s1')).toBe('expired-secret');
});

it('I3 all of it is erased at the end, and what comes later at once', () => {
  const [first, late] = [active('s1', 1), active('s2', 2)];
  const { own } = setUp({ secrets: [first], ended: [] });
  own.dispose();
  own.replace({ secrets: [late], ended: [] });
  expect([...first.secret, ...late.secret].every((byte) => byte === 0)).toBe(true);
});
