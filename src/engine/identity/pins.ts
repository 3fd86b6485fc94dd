/**
 * Cards pinned at first sight (protocol.md I2).
 * Law: a peer's signing key changes only when the operator accepts the very key that was shown; until then the old one stays
 * pinned and sending to the peer is blocked.
 */
import { z } from 'zod';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { type Card, cardRecord } from '../../shared/protocol/identity-records.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { digestCard, type VerifiedCard } from './cards.ts';
import type { SeenSerial, SerialFloor } from './serial-floor.ts';
import { openSharedJsonFile } from './shared-json-file.ts';

/** How a peer stands. `changed` blocks sending to it. */
export type PinState =
  | { readonly kind: 'unseen' }
  | { readonly kind: 'pinned'; readonly card: Card }
  | { readonly kind: 'changed'; readonly card: Card; readonly offered: Card };

/** What a card was: `renewed` keeps the signing key, with a new box key, name or end. A `replay` changes nothing. */
export type SightVerdict = 'first' | 'known' | 'renewed' | 'changed' | 'replay';

/** What is known of a peer that was seen. Times in ms since the epoch. */
export interface PinnedPeer {
  readonly card: Card;
  /** A card of another signing key that waits for the operator, and since when. */
  readonly offered: { readonly card: Card; readonly seenMs: number } | null;
  readonly firstSeenMs: number;
  /** When the operator compared its safety number; null: never for this signing key. */
  readonly verifiedMs: number | null;
  /** When the operator blocked it; null: it is not blocked by hand. */
  readonly blockedMs: number | null;
}

/** A peer of a workspace. */
export interface PinOwner {
  readonly ws: string;
  readonly peer: string;
}

export interface Pins extends Disposable {
  state(owner: PinOwner): PinState;
  /** Takes note of a card that was verified; resolves when that is on disk. */
  see(card: VerifiedCard): Promise<SightVerdict>;
  /** The same of several, in one change; a verdict each, in their order. */
  seeAll(cards: readonly VerifiedCard[]): Promise<readonly SightVerdict[]>;
  /**
   * The operator accepts the changed key `sign`. Throws `not-found` unless that key is the one offered now: what was shown and
   * what is accepted are the same.
   */
  accept(owner: PinOwner, sign: string): Promise<void>;
  /** What is known of a peer; undefined: it was never seen. */
  find(owner: PinOwner): PinnedPeer | undefined;
  /** Peers of a workspace, by name. */
  list(ws: string): readonly PinnedPeer[];
  /**
   * The operator has compared, or takes that back. Throws `not-found` unless `sign` is the key that is pinned now and no other one is
   * offered: what was compared and what is marked are the same.
   */
  setVerified(key: PinOwner & { readonly sign: string }, isVerified: boolean): Promise<void>;
  /** Sending to it is refused, or not any more. Throws `not-found` for a peer that was never seen. */
  setBlocked(owner: PinOwner, isBlocked: boolean): Promise<void>;
  onChange(listener: () => void): Disposable;
}

const timeMs = z.int().min(0);
const pinSchema = z.strictObject({
  card: cardRecord,
  /** A card of another signing key that waits for the operator. */
  offered: cardRecord.nullable(),
  /** When this signing key was pinned, ms since the epoch. */
  pinnedMs: timeMs,
  /** The rest is missing from older files. When the peer was seen first; the offered card; when it was verified and blocked. */
  seenMs: timeMs.nullable().default(null),
  offeredMs: timeMs.nullable().default(null),
  verifiedMs: timeMs.nullable().default(null),
  blockedMs: timeMs.nullable().default(null),
});
const fileSchema = z.strictObject({ v: z.literal(1), pins: z.array(pinSchema) });
type Pin = z.infer<typeof pinSchema>;
type PinFile = z.infer<typeof fileSchema>;

const seenSerial = (card: VerifiedCard): SeenSerial => {
  return { kind: 'card', ws: card.ws, peer: card.peer, serial: card.serial, digest: digestCard(card) };
};

function isOf(pin: Pin, { ws, peer }: PinOwner): boolean {
  return pin.card.ws === ws && pin.card.peer === peer;
}

const noOffer = { offered: null, offeredMs: null } as const;

function isSameCard(left: Card, right: Card): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** What a card is to a peer that is pinned, and the pin afterwards. */
function judgeSight(pin: Pin, card: Card, nowMs: number): { readonly verdict: SightVerdict; readonly pin: Pin } {
  if (card.sign !== pin.card.sign) {
    // Not above the pinned serial: an old key's card that was put back.
    if (card.serial <= pin.card.serial) return { verdict: 'replay', pin };
    const isKnown = pin.offered !== null && isSameCard(pin.offered, card);
    return { verdict: 'changed', pin: isKnown ? pin : { ...pin, offered: card, offeredMs: nowMs } };
  }
  if (card.serial < pin.card.serial) return { verdict: 'replay', pin };
  if (card.serial === pin.card.serial) return { verdict: isSameCard(pin.card, card) ? 'known' : 'replay', pin };
  // The pinned key spoke after the other one: nothing is offered any more.
  const isOvertaken = pin.offered !== null && card.serial > pin.offered.serial;
  return { verdict: 'renewed', pin: isOvertaken ? { ...pin, card, ...noOffer } : { ...pin, card } };
}

function toPinnedPeer({ card, offered, pinnedMs, seenMs, offeredMs, verifiedMs, blockedMs }: Pin): PinnedPeer {
  const change = offered === null ? null : { card: offered, seenMs: offeredMs ?? pinnedMs };
  return { card, offered: change, firstSeenMs: seenMs ?? pinnedMs, verifiedMs, blockedMs };
}

function withPin(file: PinFile, pin: Pin): PinFile {
  return { ...file, pins: [...file.pins.filter((one) => !isOf(one, pin.card)), pin] };
}

/** Opens the pins of a profile; throws as `openSharedJsonFile` does. Serials of cards that count raise the floor. */
export async function openPins(options: {
  readonly path: string;
  readonly floor: Pick<SerialFloor, 'judge' | 'raise'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged while open. */
  readonly report: (error: VakError) => void;
}): Promise<Pins> {
  const { floor, clock } = options;
  const file = await openSharedJsonFile<PinFile>({ ...options, schema: fileSchema, empty: { v: 1, pins: [] } });
  const find = (value: PinFile, owner: PinOwner): Pin | undefined => value.pins.find((pin) => isOf(pin, owner));

  /** What a card is now, and the file afterwards; the same file back if nothing changed. */
  function sight(value: PinFile, card: VerifiedCard): { readonly verdict: SightVerdict; readonly file: PinFile } {
    const pin = find(value, card);
    if (pin === undefined) {
      if (floor.judge(seenSerial(card)) === 'replay') return { verdict: 'replay', file: value };
      const nowMs = clock.now();
      const fresh = { card, ...noOffer, pinnedMs: nowMs, seenMs: nowMs, verifiedMs: null, blockedMs: null };
      return { verdict: 'first', file: withPin(value, fresh) };
    }
    const judged = judgeSight(pin, card, clock.now());
    return { verdict: judged.verdict, file: judged.pin === pin ? value : withPin(value, judged.pin) };
  }

  async function seeAll(cards: readonly VerifiedCard[]): Promise<readonly SightVerdict[]> {
    let verdicts: SightVerdict[] = [];
    // What is on disk decides: another process may have pinned it meanwhile.
    await file.update((value) => {
      verdicts = [];
      let after = value;
      for (const card of cards) {
        const seen = sight(after, card);
        verdicts.push(seen.verdict);
        after = seen.file;
      }
      return after;
    });
    for (const [at, card] of cards.entries()) {
      // A key that nobody accepted must not raise the floor: with a huge serial it would lock the peer out.
      if (verdicts[at] !== 'changed' && verdicts[at] !== 'replay') floor.raise(seenSerial(card));
    }
    return verdicts;
  }

  return {
    state(owner) {
      const pin = find(file.read(), owner);
      if (pin === undefined) return { kind: 'unseen' };
      const { card, offered } = pin;
      return offered === null ? { kind: 'pinned', card } : { kind: 'changed', card, offered };
    },
    see: async (card) => (await seeAll([card]))[0] ?? 'known',
    seeAll,
    async accept(owner, sign) {
      await file.update((value) => {
        const pin = find(value, owner);
        const offered = pin?.offered ?? undefined;
        if (pin === undefined || offered?.sign !== sign) {
          throw new VakError('not-found', 'this key is not the one that waits to be accepted; look at it again');
        }
        // Nobody has compared this one.
        return withPin(value, { ...pin, card: offered, ...noOffer, pinnedMs: clock.now(), verifiedMs: null });
      });
      const pinned = find(file.read(), owner)?.card;
      // Verified when it was seen.
      if (pinned?.sign === sign) floor.raise(seenSerial(pinned as VerifiedCard));
    },
    find(owner) {
      const pin = find(file.read(), owner);
      return pin && toPinnedPeer(pin);
    },
    list(ws) {
      const own = file.read().pins.filter(({ card }) => card.ws === ws);
      return own.map(toPinnedPeer).sort((a, b) => (a.card.peer < b.card.peer ? -1 : 1));
    },
    async setVerified({ sign, ...owner }, isVerified) {
      await file.update((value) => {
        const pin = find(value, owner);
        if (pin?.card.sign !== sign || pin.offered !== null) {
          throw new VakError('not-found', `${owner.peer}: this key is not the one that is pinned now; compare again`);
        }
        const verifiedMs = isVerified ? (pin.verifiedMs ?? clock.now()) : null;
        return verifiedMs === pin.verifiedMs ? value : withPin(value, { ...pin, verifiedMs });
      });
    },
    async setBlocked(owner, isBlocked) {
      await file.update((value) => {
        const pin = find(value, owner);
        if (pin === undefined) throw new VakError('not-found', `${owner.peer}: no card of it was ever seen here`);
        const blockedMs = isBlocked ? (pin.blockedMs ?? clock.now()) : null;
        return blockedMs === pin.blockedMs ? value : withPin(value, { ...pin, blockedMs });
      });
    },
    onChange: (listener) => file.onChange(listener),
    dispose: () => file.dispose(),
  };
}
