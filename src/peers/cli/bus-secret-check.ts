/** Whether what was given for a bus secret is of its form, before it is stored. */
import { decodeNkeySeed } from '../../engine/identity/nkey.ts';
import type { Secret } from '../../engine/identity/secret.ts';
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { natsJwtName, natsSeedName } from '../../shared/settings/secret-shape.ts';

/** Throws `invalid-payload` or `invalid-input`; shows nothing of it. */
export function checkSecret(key: string, secret: Secret): void {
  if (key === natsSeedName) decodeNkeySeed(secret.reveal(), key).fill(0);
  if (key !== natsJwtName) return;
  if (/^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(toText(secret.reveal()))) return;
  throw new VakError(
    'invalid-input',
    `${key}: ${secret.length} bytes that are no JWT; give the JWT alone, without its frame`,
  );
}
