/**
 * Opens sealed payloads, and says why one does not open (protocol.md E6, E7, E9).
 * Law: a payload leaves it only if its tag fits the envelope's own fields; a failure shows neither payload nor key.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { OpenedPayload, OpenFailure } from '../../shared/contract/trust-report.ts';
import type { Envelope, SealAttributes } from '../../shared/protocol/envelope.ts';
import { aadOf } from '../../shared/protocol/envelope-aad.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { checkAttributes } from '../../shared/protocol/envelope-fields.ts';
import { openGcm, tagLength } from './gcm-cipher.ts';
import { payloadHashOf } from './hashing.ts';
import { type AadChange, listAadChanges, type OpenHints } from './open-hints.ts';
import type { SecretRegistry } from './secret-registry.ts';

export interface EnvelopeOpener {
  /** The payload, opened if it is sealed. Never throws. */
  open(envelope: Envelope): OpenedPayload;
  /** The same of an envelope as it was decoded: decoding has checked its attributes (E1). */
  openDecoded(envelope: Envelope): OpenedPayload;
  /** Why nothing that was sealed with a key opens now; undefined: the key is there. */
  whyClosed(keyId: string, agentId: string): OpenFailure | undefined;
  /**
   * Why an envelope that `open` failed on does not open, with the culprit where it can be found out. Takes up to eight
   * tries of opening. Throws a TypeError if it does open.
   */
  diagnose(envelope: Envelope, hints: OpenHints): OpenFailure;
}

/**
 * What a failure says only of what is known here and now (E7, E9, E21): a secret that comes, or is opened to longer use, may open it; or an
 * alias may, which names another secret for its key id. Undefined: it is for good.
 */
export function mayOpenLater({ kind }: OpenFailure): 'secret' | 'alias' | undefined {
  if (kind === 'unknown-secret' || kind === 'expired-secret') return 'secret';
  return kind === 'foreign-key' || kind === 'tag-mismatch' ? 'alias' : undefined;
}

/** What an opener is made of. */
export interface EnvelopeOpenerDeps {
  readonly registry: Pick<SecretRegistry, 'keyFor'>;
  /** The engine's own workspace: a hint. */
  readonly workspace: string;
}

const failed = (kind: OpenFailure['kind'], why: string, culprit: string | null): OpenedPayload => {
  return { kind: 'failed', failure: { kind, why, culprit } };
};

/** The first field that breaks E1. */
function findBadField(envelope: Envelope): OpenedPayload | undefined {
  try {
    checkAttributes(envelope);
    return undefined;
  } catch (error) {
    if (!isVakError(error)) throw error;
    const field = error.details?.['field'];
    return failed('malformed', `${error.message}.`, typeof field === 'string' ? field : null);
  }
}

/** A payload that is too short to be sealed. */
function findCut(envelope: Envelope): OpenedPayload | undefined {
  const { length } = payloadBytesOf(envelope);
  if (length >= tagLength) return undefined;
  const why = `data_base64 has ${length} bytes, and the tag of a sealed payload alone has ${tagLength}: it was cut.`;
  return failed('malformed', why, 'data_base64');
}

/** What is left when every field that could be tried is ruled out. */
function lastCulprit(keyId: string, isSignatureValid: boolean): OpenFailure {
  if (isSignatureValid) {
    const why =
      `The envelope is as its sender signed it, but it was sealed with another secret than the one that is used here for ` +
      `key ${keyId}. Ask its sender for the secret, and add it under an id of its own.`;
    return { kind: 'tag-mismatch', why, culprit: 'key' };
  }
  const why =
    `The tag does not fit. Type, workspace and sequence number look right and the payload has its hash, so id, key or ` +
    `nonce was changed after sealing, or the payload together with its hash; no valid signature says which.`;
  return { kind: 'tag-mismatch', why, culprit: 'id' };
}

/** Creates an opener. */
export function createEnvelopeOpener({ registry, workspace }: EnvelopeOpenerDeps): EnvelopeOpener {
  /** Opens with the fields of `envelope`, which may differ from those that came. */
  function openSealed(envelope: Envelope, seal: SealAttributes): OpenedPayload {
    const found = registry.keyFor(seal.keyid, envelope.agentid);
    if (found.kind === 'failed') return found;
    const aad = aadOf(envelope);
    const nonce = Buffer.from(seal.nonce, 'hex');
    const bytes = openGcm({ key: found.key, nonce, aad: utf8(aad), bytes: payloadBytesOf(envelope) });
    if (bytes !== undefined) return { kind: 'opened', bytes, wasSealed: true };
    const why = `The tag does not fit: payload, key, nonce or one of id, type, workspaceid, seqnum was changed (${aad}).`;
    return failed('tag-mismatch', why, null);
  }

  function openDecoded(envelope: Envelope): OpenedPayload {
    const { seal } = envelope;
    if (seal === undefined) return { kind: 'opened', bytes: payloadBytesOf(envelope), wasSealed: false };
    return findCut(envelope) ?? openSealed(envelope, seal);
  }

  function open(envelope: Envelope): OpenedPayload {
    return (envelope.seal === undefined ? undefined : findBadField(envelope)) ?? openDecoded(envelope);
  }

  function opensWith(envelope: Envelope, { field, value }: AadChange): boolean {
    return open({ ...envelope, [field]: value }).kind === 'opened';
  }

  return {
    ...{ open, openDecoded },
    whyClosed(keyId, agentId) {
      const found = registry.keyFor(keyId, agentId);
      return found.kind === 'failed' ? found.failure : undefined;
    },
    diagnose(envelope, hints) {
      const result = open(envelope);
      if (result.kind === 'opened') throw new TypeError('diagnose: the envelope opens');
      if (result.failure.kind !== 'tag-mismatch') return result.failure;
      if (payloadHashOf(envelope) !== envelope.payloadhash) {
        const why = 'The sealed payload is not the one that payloadhash names: its bytes were changed after sealing.';
        return { kind: 'tag-mismatch', why, culprit: 'ciphertext' };
      }
      const change = listAadChanges(envelope, { ...hints, workspace }).find((one) => opensWith(envelope, one));
      if (change === undefined) return lastCulprit(envelope.seal?.keyid ?? 'none', hints.isSignatureValid === true);
      const { field, value } = change;
      const why = `${field} was changed after sealing: it says ${envelope[field]}, and the payload opens with ${value}.`;
      return { kind: 'tag-mismatch', why, culprit: field };
    },
  };
}
