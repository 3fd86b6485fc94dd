import { createDecipheriv, scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { passphraseCost as cheapCost } from '../../../tests/support/cheap-passphrase-cost.ts';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { checkNewPassphrase, makePassphraseSlot, openPassphraseSlot, passphraseSlot } from './passphrase-slot.ts';
import { createSecret, secretFromText } from './secret.ts';

const randomness = createSystemRandomness();
const label = 'vak-keys|1|store';

describe('passphrase slot', () => {
  it('I3 is what another reading of the format opens: scrypt of the NFKC text, AES-256-GCM bound to store and cost', async () => {
    const masterKey = randomness.bytes(32);
    const slot = await makePassphraseSlot({
      passphrase: secretFromText('ﬁne e\u0301lan 12'),
      masterKey,
      label,
      randomness,
    });
    expect(slot).toMatchObject({ kind: 'passphrase', n: 131_072, r: 8, p: 1 });
    const salt = Buffer.from(slot.salt, 'base64');
    const sealed = Buffer.from(slot.key, 'base64');
    expect(salt).toHaveLength(16);
    const key = scryptSync('fine \u00e9lan 12', salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from(`${label}|passphrase|scrypt|131072|8|1|${slot.salt}`));
    decipher.setAuthTag(sealed.subarray(-16));
    const opened = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    expect([...opened]).toEqual([...masterKey]);
    const own = await openPassphraseSlot(slot, label, secretFromText('fine élan 12'));
    expect(own && [...own]).toEqual([...masterKey]);
    expect(await openPassphraseSlot(slot, 'vak-keys|1|other', secretFromText('fine élan 12'))).toBeUndefined();
  });

  it.each([
    // What other tests pay.
    [cheapCost],
    [{ n: 2 ** 16 }],
    [{ n: 2 ** 30 }],
    [{ n: 2 ** 21 }],
    [{ n: 2 ** 17 + 1 }],
    [{ n: 131_072.5 }],
    [{ n: 2 ** 20, r: 9 }],
    [{ r: 7 }],
    [{ r: 33 }],
    [{ r: 2 ** 31 }],
    [{ p: 0 }],
    [{ p: 9 }],
    [{ p: 2 ** 30 }],
    [{ n: 2 ** 20, p: 2 }],
    [{ n: 2 ** 19, r: 32 }],
    [{ salt: '' }],
    [{ key: 'AAAA' }],
    [{ extra: 1 }],
  ])('I3 refuses %j unread', (change) => {
    const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');
    const good = { kind: 'passphrase', n: 2 ** 17, r: 8, p: 1, salt: base64(16), key: base64(60) };
    expect(passphraseSlot.safeParse(good).success).toBe(true);
    expect(passphraseSlot.safeParse({ ...good, n: 2 ** 20 }).success).toBe(true);
    expect(passphraseSlot.safeParse({ ...good, ...change }).success).toBe(false);
  });

  it('I3 says of a passphrase that will not do how, never what it was', async () => {
    for (const bytes of [new Uint8Array([0xff, 0xfe]), new Uint8Array(5000).fill(65), new Uint8Array(9).fill(65)]) {
      const error = await failure((async () => checkNewPassphrase(createSecret(bytes)))());
      expect(error.code).toBe('invalid-input');
      expect(error.message).not.toContain('A'.repeat(9));
    }
  });
});
