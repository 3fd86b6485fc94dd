/**
 * Who signed what lies in a bundle, as its grants tell it under a workspace's root (docs/spec/triage.md D11, protocol.md E13, I4).
 * Law: a signature that holds is never taken for one that may be: without the root nobody is known.
 */
import { fromBase64Url } from '../../shared/base/base64url.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { rolesThatMayPublish } from '../../shared/protocol/acl.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { createSignatureCheck, isSignedBy } from '../envelope/envelope-signature.ts';
import { decodeNkey } from '../identity/nkey.ts';
import type { SerialFloor } from '../identity/serial-floor.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createSignerResolution } from '../identity/signer-resolution.ts';
import type { GrantLookup } from '../ports/directory.ts';
import { type BundleManifest, manifestMessage } from './bundle-format.ts';

/** `valid`: by the key that the root granted. `sound`: the signature holds, and nobody here knows whose it is. */
export type BundleSignature =
  | { readonly kind: 'valid' | 'sound' | 'unsigned'; readonly signer: string | null }
  | { readonly kind: 'invalid'; readonly signer: string | null; readonly why: string };

export interface BundleSigners {
  ofManifest(manifest: BundleManifest): BundleSignature;
  /** Of an envelope that came on a subject and was stored at a time. */
  ofEnvelope(envelope: Envelope, subject: string, storedMs: number): BundleSignature;
}

/** Creates it. `root`: undefined: it is not known here. */
export function createBundleSigners(options: {
  readonly ws: string;
  readonly root: string | undefined;
  readonly grants: GrantLookup;
}): BundleSigners {
  const { ws, root, grants: directory } = options;
  const checks = createRecordChecks();
  const { verifier } = checks;
  // What this profile has seen of serials is its own: a bundle tells of another time.
  const floor: Pick<SerialFloor, 'judge' | 'raise'> = { judge: () => 'known', raise: () => {} };
  const resolution =
    root === undefined ? undefined : createSignerResolution({ ws, rootPublic: root, directory, floor, checks });
  const rolesFor = (subject: string, { workspaceid: workspace, agentid: peer, sessionid = '' }: Envelope) => ({
    roles: rolesThatMayPublish(subject, { workspace, peer, session: sessionid }),
  });
  const signatures = resolution === undefined ? undefined : createSignatureCheck({ verifier, resolution, rolesFor });

  function holds(check: () => boolean): string | undefined {
    try {
      return check()
        ? undefined
        : 'The signature does not hold: something was changed after signing, or another key signed.';
    } catch (error) {
      if (isVakError(error)) return `${error.message}.`;
      throw error;
    }
  }

  return {
    ofManifest(manifest) {
      const { signer, signature, peer, createdAt } = manifest;
      const signed = () => ({
        ...{ publicKey: decodeNkey(signer, 'signer'), message: manifestMessage(manifest) },
        signature: fromBase64Url(signature, 'signature'),
      });
      const why = holds(() => verifier.verify(signed(), 'signer'));
      if (why !== undefined) return { kind: 'invalid', signer, why };
      const at = Date.parse(createdAt);
      const verdict = resolution?.resolveSigner({ ws, peer, signer, roles: ['operator'], at });
      if (verdict === undefined) return { kind: 'sound', signer };
      return verdict.kind === 'granted' ? { kind: 'valid', signer } : { kind: 'invalid', signer, why: verdict.why };
    },
    ofEnvelope(envelope, subject, storedMs) {
      const { signed } = envelope;
      if (signed === undefined) return { kind: 'unsigned', signer: null };
      const { signer } = signed;
      const report = signatures?.check(envelope, subject, storedMs);
      if (report?.kind === 'invalid') return { kind: 'invalid', signer, why: report.why };
      if (report !== undefined) return { kind: 'valid', signer };
      const why = holds(() => isSignedBy(envelope, signed, verifier));
      return why === undefined ? { kind: 'sound', signer } : { kind: 'invalid', signer, why };
    },
  };
}
