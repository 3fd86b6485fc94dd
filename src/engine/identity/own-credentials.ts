/**
 * A spawned peer's own keys, as it holds them (protocol.md I3).
 * Law: nothing is used before key, card, grant and root are seen to fit together; what came is owned, and erased at the end.
 */

import { toBase64Url } from '../../shared/base/base64url.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { deriveX25519PublicKey } from '../crypto/x25519.ts';
import { type VerifiedCard, verifyCard } from './cards.ts';
import { type VerifiedGrant, verifyGrant } from './grants.ts';
import { createNkeySigner, type NkeySigner } from './nkey.ts';
import type { PeerCredentials } from './peer-credentials.ts';
import { createOwnSecrets, type OwnSecrets } from './peer-secrets.ts';
import { createSecret, type Secret } from './secret.ts';
import { createRecordChecks } from './signed-record.ts';

export interface OwnCredentials extends Disposable {
  readonly signer: NkeySigner;
  readonly boxSecret: Secret;
  readonly card: VerifiedCard;
  readonly grant: VerifiedGrant;
  readonly rootPublic: string;
  /** They are replaced when others count. */
  readonly secrets: OwnSecrets;
}

function checkFit(
  given: OwnCredentials,
  { workspace, peer }: { readonly workspace: string; readonly peer: string },
): void {
  const { signer, boxSecret, card, grant } = given;
  const names =
    [card.ws, grant.ws].every((ws) => ws === workspace) && [card.peer, grant.peer].every((one) => one === peer);
  const keys = card.sign === signer.nkey && grant.sign === signer.nkey;
  const box = card.box === toBase64Url(deriveX25519PublicKey(boxSecret.reveal()));
  if (names && keys && box) return;
  const what = names ? (keys ? 'box key' : 'signing key') : 'name';
  throw new VakError('invalid-input', `credentials of ${peer}: the ${what} does not fit card and grant`);
}

/** Takes what main gave; the arrays are owned from then on. Throws `invalid-payload` or `invalid-input` that says what does not fit. */
export function takeCredentials(
  given: PeerCredentials,
  self: { readonly workspace: string; readonly peer: string },
): OwnCredentials {
  const held = createDisposer();
  try {
    const signSeed = held.add(createSecret(given.signSeed));
    const boxSecret = held.add(createSecret(given.boxSecret));
    const secrets = held.add(createOwnSecrets(given));
    const checks = createRecordChecks();
    const own: OwnCredentials = {
      signer: held.add(createNkeySigner(signSeed)),
      boxSecret,
      card: verifyCard(given.card, checks),
      grant: verifyGrant(given.grant, given.rootPublic, checks),
      rootPublic: given.rootPublic,
      secrets,
      dispose: () => held.dispose(),
    };
    checkFit(own, self);
    return own;
  } catch (error) {
    held.dispose();
    throw error;
  }
}
