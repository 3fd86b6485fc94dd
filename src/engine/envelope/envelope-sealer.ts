/**
 * Seals payloads of one sender (protocol.md E6, E7).
 * Law: a key id never comes back once it was left, so no key seals more than 2^28 messages, and no two senders share one.
 */
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Envelope, SealAttributes } from '../../shared/protocol/envelope.ts';
import { aadOf } from '../../shared/protocol/envelope-aad.ts';
import { buildKeyId } from '../../shared/protocol/key-id.ts';
import { createNoncePool } from '../crypto/nonce-pool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { sealGcm } from './gcm-cipher.ts';
import type { SecretRegistry } from './secret-registry.ts';

/** Fields that the seal binds (AAD). */
export type SealedFields = Pick<Envelope, 'id' | 'type' | 'workspaceid' | 'seqnum'>;

export interface EnvelopeSealer {
  /** Seals; the payload stays as it is. Throws `locked`, `not-found` (no active secret), `invalid-payload` (a field of the AAD). */
  seal(fields: SealedFields, payload: Uint8Array): { readonly seal: SealAttributes; readonly sealed: Uint8Array };
  /** The key that it sealed with last; undefined: it has sealed nothing. */
  use(): SealerUse | undefined;
}

/** How far a key is used up. */
export interface SealerUse {
  readonly secretId: string;
  readonly messages: number;
  readonly maxMessages: number;
}

/** What a sealer is made of. */
export interface EnvelopeSealerDeps {
  readonly registry: SecretRegistry;
  /** Whose key ids: a token. */
  readonly peer: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Messages a key; for tests. */
  readonly maxMessages?: number;
}

const bootBytes = 8;

/** What a key id was made for. */
interface CurrentKey {
  readonly keyId: string;
  readonly secretId: string;
  readonly day: string;
  messages: number;
}

/** `yyyymmdd` in UTC. */
function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '');
}

/** Creates the sealer of one peer; all its sessions of one process may share it. */
export function createEnvelopeSealer(deps: EnvelopeSealerDeps): EnvelopeSealer {
  const { registry, peer, clock, randomness, maxMessages = 2 ** 28 } = deps;
  const nonces = createNoncePool(randomness);
  let current: CurrentKey | undefined;

  /** The key id to use now. Each new one has a new `boot`: a clock that is set back brings none back. */
  function currentKey(): CurrentKey {
    const { secretId } = registry.sealing();
    const day = dayOf(clock.now());
    if (current?.secretId === secretId && current.day === day && current.messages < maxMessages) return current;
    const boot = toHex(randomness.bytes(bootBytes));
    current = { keyId: buildKeyId({ secretId, peer, day, boot }), secretId, day, messages: 0 };
    return current;
  }

  return {
    seal(fields, payload) {
      const used = currentKey();
      const found = registry.keyFor(used.keyId, peer);
      if (found.kind === 'failed') {
        const code = found.failure.kind === 'locked' ? 'locked' : 'not-found';
        throw new VakError(code, `nothing can be sealed: ${found.failure.why}`);
      }
      const nonce = nonces.next();
      used.messages++;
      const sealed = sealGcm({ key: found.key, nonce, aad: utf8(aadOf(fields)), bytes: payload });
      return { seal: { encalg: 'AES-256-GCM', keyid: used.keyId, nonce: toHex(nonce) }, sealed };
    },
    use: () => current && { secretId: current.secretId, messages: current.messages, maxMessages },
  };
}
