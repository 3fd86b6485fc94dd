/**
 * Cards of the workspace's bucket, as this profile takes them (protocol.md I2, I4).
 * Law: first sight pins, a changed key is offered and replaces nothing, and nobody says under whose key a peer of this profile speaks.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Directory } from '../ports/directory.ts';
import type { Logger } from '../ports/logger.ts';
import type { ArrivedRecord } from './bucket-reading.ts';
import { digestCard, type VerifiedCard } from './cards.ts';
import type { Pins, SightVerdict } from './pins.ts';
import type { SerialFloor } from './serial-floor.ts';

export interface CardIntakeDeps {
  readonly workspace: string;
  readonly directory: Pick<Directory, 'card' | 'grants' | 'takeCards'>;
  readonly pins: Pick<Pins, 'find' | 'list' | 'seeAll'>;
  readonly floor: Pick<SerialFloor, 'raise'>;
  /** `U…` of a peer whose keys are in this profile; undefined: it is another's. */
  readonly ownSign: (peer: string) => string | undefined;
  readonly onRefused: (key: string, why: string) => void;
  readonly logger: Logger;
}

type ArrivedCard = ArrivedRecord<VerifiedCard>;

/** Peers that were granted nothing and are pinned all the same: anybody can sign a card. */
export const maxStrangers = 1_024;

const counts: ReadonlySet<SightVerdict> = new Set(['first', 'known', 'renewed']);

/** Creates what takes a batch; it never rejects: what cannot be kept is logged, and comes again at the next start. */
export function createCardIntake(deps: CardIntakeDeps): (batch: readonly ArrivedCard[]) => Promise<void> {
  const { workspace: ws, directory, pins, floor, ownSign, onRefused, logger } = deps;

  /** Pinned and kept already. */
  function isNothingNew({ key, record: { signature } }: ArrivedCard): boolean {
    const pin = pins.find({ ws, peer: key });
    return pin?.card.signature === signature && directory.card(key)?.record.signature === signature;
  }

  /** A card of the same key that is newer than the one here was made from a copy of this profile: its serial is used up. */
  function noteOwn({ key, record }: ArrivedCard, sign: string): boolean {
    if (record.sign !== sign) {
      onRefused(key, 'card: it is of another key, and the keys of this peer are held here.');
      return false;
    }
    const { peer, serial } = record;
    floor.raise({ kind: 'card', ws, peer, serial, digest: digestCard(record) });
    return (directory.card(key)?.record.serial ?? 0) < serial;
  }

  /** Those of others that may be looked at, as long as there is room for strangers. */
  function withinBounds(cards: readonly ArrivedCard[]): readonly ArrivedCard[] {
    const isStranger = (peer: string): boolean => directory.grants(peer).length === 0;
    let strangers: number | undefined;
    return cards.filter(({ key }) => {
      if (pins.find({ ws, peer: key }) !== undefined || !isStranger(key)) return true;
      strangers ??= pins.list(ws).filter(({ card }) => isStranger(card.peer)).length;
      if (strangers < maxStrangers) return ++strangers > 0;
      onRefused(
        '',
        `card: ${maxStrangers} peers without a grant are known already; grant a peer and its card is taken.`,
      );
      return false;
    });
  }

  async function takeOthers(cards: readonly ArrivedCard[]): Promise<readonly ArrivedCard[]> {
    const looked = withinBounds(cards);
    if (looked.length === 0) return [];
    const verdicts = await pins.seeAll(looked.map(({ record }) => record));
    return looked.filter(({ key, record }, at) => {
      const verdict = verdicts[at] ?? 'replay';
      if (verdict === 'replay') onRefused(key, 'card: a newer one of this peer was seen before.');
      if (verdict === 'changed') logger.warn('directory.key-changed', { peer: key });
      return counts.has(verdict) && directory.card(key)?.record.signature !== record.signature;
    });
  }

  async function take(cards: readonly ArrivedCard[]): Promise<void> {
    const own = cards.filter((one) => {
      const sign = ownSign(one.key);
      return sign !== undefined && noteOwn(one, sign);
    });
    const others = await takeOthers(cards.filter(({ key }) => ownSign(key) === undefined));
    await directory.takeCards([...own, ...others]);
  }

  return async (batch) => {
    try {
      await take(batch.filter((one) => !isNothingNew(one)));
    } catch (error) {
      if (!isVakError(error)) throw error;
      logger.warn('directory.cards-not-taken', { code: error.code, message: error.message });
    }
  };
}
