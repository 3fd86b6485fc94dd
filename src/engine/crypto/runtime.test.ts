import { createPrivateKey, getCiphers, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';

/** `electron <version>` in the step `runtime` of the tests, unset in plain Node. */
const wanted = process.env['VAK_TEST_RUNTIME'];

describe('E13 the runtime of these tests', () => {
  test('E13 it is the one that is asked for: plain Node, or the Electron of the step runtime', () => {
    const { electron } = process.versions;
    expect(electron === undefined ? undefined : `electron ${electron}`).toBe(wanted);
  });

  test('E6 E13 it has AES-256-GCM and Ed25519', () => {
    expect(getCiphers()).toContain('aes-256-gcm');
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), new Uint8Array(32)]);
    expect(sign(null, new Uint8Array(1), createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))).toHaveLength(
      64,
    );
  });
});
