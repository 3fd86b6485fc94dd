/**
 * Puts the records of this profile's own identities into a workspace's directory (protocol.md I1, I4).
 * Law: what is there is not replaced by something older, and nobody gets a role that the workspace's maker did not have.
 */

import { isVakError } from '../../shared/base/vak-error.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import { digestCard, type VerifiedCard } from './cards.ts';
import { digestGrant, type VerifiedGrant, verifyGrant } from './grants.ts';
import type { KeyStore, KeyStoreContents, StoredIdentity } from './key-store.ts';
import { cardOf, operatorRoles } from './operator-identity.ts';
import { grant, nextSerial, workspaceIn } from './root-grants.ts';
import type { SerialFloor } from './serial-floor.ts';
import { createRecordChecks } from './signed-record.ts';

/** Where records are put and remembered. */
export interface RecordPlaces {
  readonly directory: Pick<Directory, 'card' | 'grants' | 'putCard' | 'putGrant'>;
  readonly floor: Pick<SerialFloor, 'highest' | 'judge' | 'raise' | 'settled'>;
}

/** Puts a card that was signed here, and notes its serial. */
export async function publishCard(card: VerifiedCard, { directory, floor }: RecordPlaces): Promise<void> {
  await directory.putCard(card);
  const { ws, peer, serial } = card;
  floor.raise({ kind: 'card', ws, peer, serial, digest: digestCard(card) });
  await floor.settled();
}

/** Puts a grant that was signed here, and notes its serial. */
export async function publishGrant(made: VerifiedGrant, { directory, floor }: RecordPlaces): Promise<void> {
  await directory.putGrant(made);
  const { ws, peer, serial } = made;
  floor.raise({ kind: 'grant', ws, peer, serial, digest: digestGrant(made) });
  await floor.settled();
}

/** The highest serial of a peer's grants that was seen, on disk or in the directory. */
export function highestGrantSerial(ws: string, peer: string, { directory, floor }: RecordPlaces): number {
  const stored = directory.grants(peer).map(({ record }) => record.serial);
  return Math.max(floor.highest({ kind: 'grant', ws, peer }), ...stored);
}

/** What is put. */
export interface OwnRecords {
  readonly contents: KeyStoreContents;
  readonly workspace: string;
  readonly clock: Clock;
}

/** The highest serial of other cards that were seen under an identity's name: of other keys, or of other times; 0 for none. */
function overtakenBy(identity: StoredIdentity, workspace: string, { directory, floor }: RecordPlaces): number {
  const own = cardOf(identity, workspace);
  const { peer, serial } = own;
  const present = directory.card(peer)?.record;
  const stored = present === undefined || present.signature === own.signature ? 0 : present.serial;
  const isReplay = floor.judge({ kind: 'card', ws: workspace, peer, serial, digest: digestCard(own) }) === 'replay';
  return Math.max(isReplay ? floor.highest({ kind: 'card', ws: workspace, peer }) : 0, stored);
}

/**
 * An identity whose card nobody takes for a replay (I4): above what was seen under its name if that is another card, as it is
 * after a restored backup or in a profile begun anew; else the same.
 */
export function withFreshSerial(
  identity: StoredIdentity,
  { workspace, clock }: Omit<OwnRecords, 'contents'>,
  places: RecordPlaces,
): StoredIdentity {
  const seen = overtakenBy(identity, workspace, places);
  return seen < identity.cardSerial ? identity : { ...identity, cardSerial: nextSerial(seen, clock) };
}

/** Puts what the directory lacks ({@link publishOwnRecords}), under serials that nobody takes for a replay. */
export async function settleOwnRecords(
  keyStore: Pick<KeyStore, 'read' | 'update'>,
  own: Omit<OwnRecords, 'contents'>,
  places: RecordPlaces,
): Promise<void> {
  const fresh = (identity: StoredIdentity): StoredIdentity => withFreshSerial(identity, own, places);
  if (keyStore.read().identities.some((identity) => fresh(identity) !== identity)) {
    await keyStore.update((contents) => ({ ...contents, identities: contents.identities.map(fresh) }));
  }
  await publishOwnRecords({ ...own, contents: keyStore.read() }, places);
}

/** Whether a grant is one of this root: those of a workspace of that name that was begun anew are none. */
function isOfRoot(record: Grant, rootPublic: string): boolean {
  try {
    verifyGrant(record, rootPublic, createRecordChecks());
    return true;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/**
 * Puts what the directory lacks, after a crash between two files or a restored backup: the cards of the own identities, and
 * the grant of the operator who made the workspace. Grants of others were in no backup and must be given again.
 */
export async function publishOwnRecords(own: OwnRecords, places: RecordPlaces): Promise<void> {
  const { contents, workspace, clock } = own;
  const { directory } = places;
  for (const identity of contents.identities) {
    const present = directory.card(identity.peer)?.record;
    if ((present?.serial ?? 0) < identity.cardSerial) await publishCard(cardOf(identity, workspace), places);
  }
  const maker = contents.identities[0];
  const { rootSeed, rootPublic } = workspaceIn(contents, workspace);
  if (maker === undefined || maker.kind !== 'human' || rootSeed === null) return;
  if (directory.grants(maker.peer).some(({ record }) => isOfRoot(record, rootPublic))) return;
  const { peer } = maker;
  const { sign } = cardOf(maker, workspace);
  const seenSerial = highestGrantSerial(workspace, peer, places);
  const made = grant({
    contents,
    workspace,
    peer,
    sign,
    seenSerial,
    clock,
    roles: operatorRoles,
    queues: [],
    notAfter: 0,
  });
  await publishGrant(made, places);
}
