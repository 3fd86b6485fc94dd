/**
 * Follows the chain of every source that is heard, as messages come (protocol.md E11, E12).
 * Law: a chain begins and moves on with what is soundly signed. Links that fit are taken on trust, sixteen at most; the signature
 * of a later one vouches for all of them, for each names the leaf before it. What nobody vouches for is taken back.
 */
import type { ChainHead, LinkVerdict } from '../../shared/protocol/chain-verdict.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { ReadEnvelope } from './envelope-reader.ts';
import { hasOwnPayload, judgeFirst, verifyLink } from './link.ts';
import type { ArrivedLink } from './message-trust.ts';
import { ownText } from './own-text.ts';

/** Who vouches for an envelope: a signature that counts, the policy that asks for none, nobody. */
export type Soundness = 'signed' | 'unsigned' | 'unsound';

export interface LinkWatch {
  /** The verdict of an envelope that came. Of one that moved nothing then it may be asked again, once more is known of its sender. */
  observe(read: ReadEnvelope, arrival: LinkArrival): ArrivedLink;
  /** Says that the envelope at a place was found soundly signed: it vouches for all before it. */
  vouch(source: string, place: number): void;
}

/** How an envelope came. */
export interface LinkArrival {
  /** Where the buffer holds it, or will. */
  readonly place: number;
  readonly atMs: number;
  /** Nothing else speaks against it; what is refused anyway is judged and moves nothing. */
  readonly mayMove: boolean;
}

/** What a watch asks. */
export interface LinkWatchDeps {
  /** Of an envelope that came at that time. */
  readonly soundnessOf: (read: ReadEnvelope, atMs: number) => Soundness;
  /** The same of an earlier one by its place in the buffer; one that has left the buffer is `unsound`: nobody can tell any more. */
  readonly soundnessAt: (place: number) => Soundness;
}

/** Sources that are followed; beyond it the one silent for longest is left with its last sound number alone. */
const maxSources = 4096;
const maxFloors = 65_536;
/** Links that are taken on trust until a signature is looked at. */
const maxTrusted = 16;
/** Places that are remembered to tell a fork from a repeat, and for the inspector. */
const maxRecent = 32;

interface Place extends ChainHead {
  readonly bufferSeq: number;
  readonly link: ArrivedLink;
}

interface Chain {
  /** How its envelopes are vouched for. */
  readonly kind: Exclude<Soundness, 'unsound'>;
  /** The last place that is vouched for. */
  sound: Place;
  /** Links that fit, behind it. */
  trusted: Place[];
  /** Changed in place: a copy for each message would be most of what is thrown away at thousands a second. */
  recent: Place[];
}

const ok: LinkVerdict = { kind: 'ok' };
const reordered: LinkVerdict = { kind: 'reordered' };

function placeOf({ envelope: { source, seqnum }, leaf }: ReadEnvelope, bufferSeq: number, link: ArrivedLink): Place {
  return { source: ownText(source), seq: seqnum, leaf, bufferSeq, link };
}

/** The place that an envelope names as the one before it; else the one that has that number. */
function predecessorIn(places: readonly Place[], { envelope: { prevhash, seqnum } }: ReadEnvelope): Place | undefined {
  return places.findLast(({ leaf }) => leaf === prevhash) ?? places.findLast(({ seq }) => seq === seqnum - 1);
}

/** The verdict of an envelope in a chain as it stands. */
function verdictIn({ sound, trusted, recent }: Chain, read: ReadEnvelope): LinkVerdict {
  const verdict = verifyLink(trusted.at(-1) ?? sound, read);
  if (verdict.kind !== 'reordered') return verdict;
  const rival = recent.find(({ seq }) => seq === read.envelope.seqnum);
  return rival !== undefined && rival.leaf !== read.leaf ? { kind: 'fork' } : verdict;
}

/** The verdict of what is heard first of a source, of which `floor` was the last sound number, if it was heard before. */
function verdictAlone(read: ReadEnvelope, floor: number | undefined): LinkVerdict {
  const { seqnum } = read.envelope;
  if (!hasOwnPayload(read)) return { kind: 'forged-payload' };
  if (floor === undefined) return judgeFirst(read);
  if (seqnum <= floor) return reordered;
  return seqnum === floor + 1 ? ok : { kind: 'gap', from: floor + 1, to: seqnum - 1 };
}

/** Creates a watch. */
export function createLinkWatch({ soundnessOf, soundnessAt }: LinkWatchDeps): LinkWatch {
  const chains = createBoundedCache<Chain>(maxSources);
  /** Last number of each source that a signature vouches for: so small that it outlives the rest. */
  const floors = createBoundedCache<number>(maxFloors);

  /** Takes a place as vouched for, and everything before it with it. */
  function settle(chain: Chain, place: Place): void {
    chain.sound = place;
    if (chain.kind === 'signed') floors.set(place.source, place.seq);
  }

  /** Looks at the signatures of trusted links from the newest back, until one vouches for it and all before; the rest is taken back. */
  function settleTrusted(chain: Chain): void {
    const links = chain.trusted;
    chain.trusted = [];
    const vouched = links.findLast(({ bufferSeq }) => soundnessAt(bufferSeq) === chain.kind);
    if (vouched !== undefined) settle(chain, vouched);
    const gone = new Set(links.slice(vouched === undefined ? 0 : links.indexOf(vouched) + 1));
    for (const { link } of gone) link.isHeld = false;
    chain.recent = chain.recent.filter((place) => !gone.has(place));
  }

  function remember(chain: Chain, place: Place): void {
    place.link.isHeld = true;
    chain.recent.push(place);
    if (chain.recent.length > maxRecent) chain.recent.shift();
  }

  function begin(read: ReadEnvelope, { place: bufferSeq, atMs, mayMove }: LinkArrival): ArrivedLink {
    const { source, seqnum } = read.envelope;
    const floor = floors.get(source);
    const verdict = verdictAlone(read, floor);
    const kind = mayMove && (verdict.kind === 'ok' || verdict.kind === 'gap') ? soundnessOf(read, atMs) : 'unsound';
    const isFirst = floor === undefined && seqnum > 0;
    const link: ArrivedLink = { verdict, isFirst, previousSeq: undefined, isHeld: false };
    if (kind !== 'unsound') {
      const place = placeOf(read, bufferSeq, link);
      const chain: Chain = { kind, sound: place, trusted: [], recent: [] };
      remember(chain, place);
      settle(chain, place);
      chains.set(place.source, chain);
    }
    return link;
  }

  /** Moves a chain on by a link that fits; whoever vouches for it is asked later. */
  function trust(chain: Chain, place: Place): void {
    chain.trusted.push(place);
    remember(chain, place);
  }

  /** Judges what does not fit, once more without what nobody vouches for, if it is sound itself. */
  function reconsider(chain: Chain, read: ReadEnvelope, { place, atMs }: { place: Place; atMs: number }): void {
    const { link } = place;
    if (link.verdict.kind === 'forged-payload' || soundnessOf(read, atMs) !== chain.kind) return;
    settleTrusted(chain);
    link.verdict = verdictIn(chain, read);
    if (link.verdict.kind !== 'ok' && link.verdict.kind !== 'gap') return;
    settle(chain, place);
    remember(chain, place);
  }

  return {
    vouch(source, place) {
      const chain = chains.get(source);
      const at = chain?.trusted.findIndex(({ bufferSeq }) => bufferSeq === place) ?? -1;
      const vouched = chain?.trusted[at];
      if (chain === undefined || vouched === undefined) return;
      settle(chain, vouched);
      chain.trusted = chain.trusted.slice(at + 1);
    },
    observe(read, arrival) {
      const known = chains.get(read.envelope.source);
      // A chain of unsigned envelopes is nobody's: a signed one begins anew.
      const isOver = known?.kind === 'unsigned' && arrival.mayMove && soundnessOf(read, arrival.atMs) === 'signed';
      if (known === undefined || isOver) return begin(read, arrival);
      if (known.trusted.length >= maxTrusted) settleTrusted(known);
      const previousSeq = predecessorIn(known.recent, read)?.bufferSeq;
      const isOfKind = (read.envelope.signed !== undefined) === (known.kind === 'signed');
      const link: ArrivedLink = { verdict: verdictIn(known, read), isFirst: false, previousSeq, isHeld: false };
      if (arrival.mayMove && isOfKind) {
        const place = placeOf(read, arrival.place, link);
        if (link.verdict.kind === 'ok') trust(known, place);
        else reconsider(known, read, { place, atMs: arrival.atMs });
      }
      // One object for the many that are so.
      if (link.verdict.kind === 'ok') link.verdict = ok;
      return link;
    },
  };
}
