import { expect, test } from 'vitest';
import { createSecret } from '../identity/secret.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createOwnSecrets } from './own-secrets.ts';
import { createSecretRegistry } from './secret-registry.ts';

const secretOf = (byte: number) => createSecret(new Uint8Array(32).fill(byte));
const entry = (id: string, byte: number) =>
  ({ id, secret: secretOf(byte), state: 'active', openOnlyUntilMs: null }) as const;

test('E7 a peer opens and seals with what it was given later, as long as it needs it', () => {
  const first = { id: 's1', secret: secretOf(1), state: 'active' as const };
  const source = createOwnSecrets({ secrets: [first] });
  const registry = createSecretRegistry({ source, clock: createFakeClock() });
  const keyId = 's2.worker.20260102.abc';
  expect([registry.sealing().secretId, registry.keyFor(keyId, 'worker').kind]).toEqual(['s1', 'failed']);
  const given = [entry('s1', 1), entry('s2', 2)];
  expect(source.renew(given)).toBe(true);
  for (const { secret } of given) secret.dispose();
  expect([registry.sealing().secretId, registry.keyFor(keyId, 'worker').kind]).toEqual(['s2', 'key']);
  const { version } = source;
  const before = version();
  expect([source.renew([entry('s1', 1), entry('s2', 2)]), version()]).toEqual([false, before]);
  const held = source.secrets()?.[1]?.secret;
  expect(source.renew([entry('s3', 3)])).toBe(true);
  // What gave way is erased; what came with the credentials stays whose it is.
  expect(() => held?.reveal()).toThrow();
  expect(first.secret.reveal()[0]).toBe(1);
  expect(registry.sealing().secretId).toBe('s3');
});
