/**
 * A file that holds one inclusion proof (protocol.md E14), as `vak chain prove` and the Trace view write it.
 * Law: whoever made it is a stranger: it is parsed strictly, and says nothing until it is checked.
 */
import { fromBase64 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { type BundleProof, parseBundleLine } from './bundle-format.ts';

/** A proof of 257 leaf inputs of the largest form, and its checkpoint. */
export const maxProofBytes = 4 * 1024 * 1024;

/** Throws `invalid-input` that names the field for what is no proof. */
export function parseProof(bytes: Uint8Array, field: string): BundleProof {
  try {
    const line = parseBundleLine(bytes);
    if (line.kind === 'proof') return line;
  } catch (cause) {
    if (!isVakError(cause)) throw cause;
    throw new VakError('invalid-input', `${field}: it is none: ${cause.message}`, { cause });
  }
  throw new VakError('invalid-input', `${field}: it is none; name what vak chain prove or the Trace view wrote`);
}

/** Workspace of the checkpoint; undefined where it cannot be read, which the check says. */
export function workspaceOfProof({ checkpoint }: BundleProof): string | undefined {
  try {
    return decodeEnvelope(fromBase64(checkpoint.envelope, 'checkpoint')).workspaceid;
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}
