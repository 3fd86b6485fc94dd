/**
 * Every secret that an open key store has given out.
 * Law: equal bytes are one `Secret` however often the file is read, and all of them are erased together.
 */
import { createHmac } from 'node:crypto';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createSecret, type Secret } from './secret.ts';

export interface SecretPool extends Disposable {
  /** The secret of these bytes; takes ownership of them. Throws `locked` after the end. */
  take(bytes: Uint8Array): Secret;
  /** How many are held. */
  readonly size: number;
}

/** Creates a pool. Secrets are found again by a hash under a key of the pool's own, never by their bytes. */
export function createSecretPool(randomness: Randomness): SecretPool {
  const key = randomness.bytes(32);
  const held = new Map<string, Secret>();
  let isDisposed = false;
  return {
    take(bytes) {
      if (isDisposed) {
        bytes.fill(0);
        throw new VakError('locked', 'the key store is locked');
      }
      const digest = createHmac('sha256', key).update(bytes).digest('base64');
      const known = held.get(digest);
      if (known !== undefined && known.length === bytes.length) {
        bytes.fill(0);
        return known;
      }
      const secret = createSecret(bytes);
      held.set(digest, secret);
      return secret;
    },
    get size() {
      return held.size;
    },
    dispose() {
      isDisposed = true;
      for (const secret of held.values()) secret.dispose();
      held.clear();
      key.fill(0);
    },
  };
}
