/** Reads who this peer is to be. Pure. */
import { isToken } from '../../../shared/protocol/subject.ts';

export interface IdentityFields {
  readonly peer: string;
  readonly displayName: string;
}

/** What is wrong, by field. */
export type IdentityErrors = Partial<Record<keyof IdentityFields, string>>;

export type IdentityForm =
  | { readonly kind: 'ready'; readonly identity: IdentityFields }
  | { readonly kind: 'wrong'; readonly errors: IdentityErrors };

/** What a profile is called unless somebody says otherwise. */
export const suggestedIdentity: IdentityFields = { peer: 'operator', displayName: 'Operator' };

const maxNameLength = 64;

export function readIdentityForm(fields: IdentityFields): IdentityForm {
  const peer = fields.peer.trim();
  const displayName = fields.displayName.trim();
  const errors: IdentityErrors = {};
  if (!isToken(peer)) errors.peer = 'Use 1–64 of A–Z a–z 0–9 _ -, without spaces.';
  if (displayName === '') errors.displayName = 'Type a name for people to read.';
  else if (displayName.length > maxNameLength) errors.displayName = `Use at most ${maxNameLength} characters.`;
  return Object.keys(errors).length > 0
    ? { kind: 'wrong', errors }
    : { kind: 'ready', identity: { peer, displayName } };
}
