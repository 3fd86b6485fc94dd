/**
 * Puts the records of this profile's own identities into a workspace's directory (protocol.md I1, I4).
 * Law: what is there is not replaced by something older, and nobody gets a role that the workspace's maker did not have.
 */
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import { digestCard, type VerifiedCard } from './cards.ts';
import { digestGrant, type VerifiedGrant } from './grants.ts';
import type { KeyStoreContents } from './key-store.ts';
import { cardOf, operatorRoles } from './operator-identity.ts';
import { grant, workspaceIn } from './root-grants.ts';
import type { SerialFloor } from './serial-floor.ts';

/** Where records are put and remembered. */
export interface RecordPlaces {
  readonly directory: Pick<Directory, 'card' | 'grants' | 'putCard' | 'putGrant'>;
  readonly floor: Pick<SerialFloor, 'highest' | 'raise' | 'settled'>;
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
  if (maker === undefined || maker.kind !== 'human' || workspaceIn(contents, workspace).rootSeed === null) return;
  if (directory.grants(maker.peer).length > 0) return;
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
