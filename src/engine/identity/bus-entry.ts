/**
 * Cards and grants as they lie in the workspace's buckets: one a key, which is the peer's name (protocol.md I1, I4).
 * Law: bounds before parsing; what is no record of that peer in this workspace, soundly signed, is refused with its cause.
 */
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Card, Grant } from '../../shared/protocol/identity-records.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { KeyValueEntry } from '../bus/durable.ts';
import { type VerifiedCard, verifyCard } from './cards.ts';
import { type VerifiedGrant, verifyGrant } from './grants.ts';
import type { RecordChecks } from './signed-record.ts';

/** More than a grant with every role and 64 queues takes, in bytes. */
export const maxEntryBytes = 8 * 1024;

/** `refused`: `why` is a sentence for people, without anything that came. */
export type EntryReading<T> =
  | { readonly kind: 'record'; readonly record: T }
  | { readonly kind: 'refused'; readonly why: string };

/** Reads an entry; never throws for what is in it. */
export type ReadEntry<T> = (entry: Pick<KeyValueEntry, 'key' | 'value'>) => EntryReading<T>;

/** Name of the bucket of a workspace's cards (§1). */
export function cardBucketOf(workspace: string): string {
  return `VAK_CARDS_${checkToken(workspace, 'workspace')}`;
}

/** Name of the bucket of a workspace's grants (§1). */
export function grantBucketOf(workspace: string): string {
  return `VAK_GRANTS_${checkToken(workspace, 'workspace')}`;
}

/** A record as it is put into its bucket. */
export function entryBytes(record: Card | Grant): Uint8Array {
  return utf8(JSON.stringify(record));
}

function parse(value: Uint8Array, what: string): unknown {
  if (value.length > maxEntryBytes) {
    throw new VakError('limit-exceeded', `${what}: ${value.length} bytes, at most ${maxEntryBytes} are taken`);
  }
  try {
    return JSON.parse(toTextStrict(value, what));
  } catch (error) {
    if (error instanceof SyntaxError) throw new VakError('invalid-payload', `${what}: no JSON`, { cause: error });
    throw error;
  }
}

function createReader<T extends Card | Grant>(
  what: string,
  workspace: string,
  verify: (value: unknown) => T,
): ReadEntry<T> {
  return ({ key, value }) => {
    try {
      const record = verify(parse(value, what));
      if (record.ws !== workspace) return { kind: 'refused', why: `${what}: it is of another workspace.` };
      if (record.peer !== key) return { kind: 'refused', why: `${what}: it lies under another peer's name.` };
      return { kind: 'record', record };
    } catch (error) {
      if (isVakError(error)) return { kind: 'refused', why: `${error.message}.` };
      throw error;
    }
  };
}

/** Creates a reader of cards. */
export function createCardReader(workspace: string, checks: RecordChecks): ReadEntry<VerifiedCard> {
  return createReader('card', workspace, (value) => verifyCard(value, checks));
}

/** Creates a reader of grants under the pinned root. */
export function createGrantReader(
  workspace: string,
  { rootPublic, checks }: { readonly rootPublic: string; readonly checks: RecordChecks },
): ReadEntry<VerifiedGrant> {
  return createReader('grant', workspace, (value) => verifyGrant(value, rootPublic, checks));
}
