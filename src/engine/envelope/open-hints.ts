/**
 * What the fields of a seal's AAD may have been before somebody changed one (protocol.md E9).
 * Law: a guess comes from what the message itself or its place says, and changes one field alone.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { parseSource } from '../../shared/protocol/envelope-fields.ts';
import { parseSubject, type SubjectParts, typeOfSubject } from '../../shared/protocol/subject.ts';

/** What is known beside the envelope. */
export interface OpenHints {
  /** The bus subject that it came on. */
  readonly subject: string;
  /** Sequence number of the envelope before it in its chain. */
  readonly previousSeq?: number;
  /** Whether its signature is valid; without it nobody knows. */
  readonly isSignatureValid?: boolean;
}

/** Another value of one field. */
export type AadChange =
  | { readonly field: 'type' | 'workspaceid'; readonly value: string }
  | { readonly field: 'seqnum'; readonly value: number };

function readSubject(subject: string | undefined): SubjectParts | undefined {
  if (subject === undefined) return undefined;
  try {
    return parseSubject(subject);
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

/** Values to try, each other than the one that came, none twice. */
export function listAadChanges(
  envelope: Envelope,
  { subject, previousSeq, workspace }: OpenHints & { readonly workspace: string },
): readonly AadChange[] {
  const { type, workspaceid, seqnum, source } = envelope;
  const places = [readSubject(subject), readSubject(envelope.subject)].filter((parts) => parts !== undefined);
  const types = new Set(places.map(typeOfSubject));
  const workspaces = new Set([workspace, ...places.map((parts) => parts.workspace)]);
  const own = parseSource(source);
  if (own !== undefined) workspaces.add(own.ws);
  const seqs = new Set([seqnum - 1, seqnum + 1]);
  if (previousSeq !== undefined) seqs.add(previousSeq + 1);
  types.delete(type);
  workspaces.delete(workspaceid);
  seqs.delete(seqnum);
  return [
    ...[...types].map((value): AadChange => ({ field: 'type', value })),
    ...[...workspaces].map((value): AadChange => ({ field: 'workspaceid', value })),
    ...[...seqs].map((value): AadChange => ({ field: 'seqnum', value })),
  ];
}
