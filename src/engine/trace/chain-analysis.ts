/**
 * What a chain comes to, place by place (protocol.md E10–E14, docs/spec/trace.md T7).
 * Law: pure; only what is soundly signed counts. Every place is verified, wrong, void or missing, and no missing place is a wrong one.
 */
import type {
  ChainFault,
  ChainFork,
  ChainMissing,
  ChainRange,
  ChainReport,
  ChainSide,
} from '../../shared/contract/chain-report.ts';
import { genesisHash } from '../../shared/protocol/envelope.ts';
import { isSameHash } from '../envelope/link.ts';
import type { ChainRecord } from './chain-record.ts';

/** Rivals of one place that are told. */
const maxSides = 8;

/** A checkpoint that counts: what it says was at a place. */
export interface SaidHead {
  readonly seq: number;
  readonly head: string;
}

export interface ChainAnalysis
  extends Pick<
    ChainReport,
    'count' | 'seen' | 'headLeaf' | 'verified' | 'verifiedCount' | 'faults' | 'forks' | 'missing' | 'missingCount'
  > {
  /** Leaves that count at a place, of envelopes that are here. */
  leavesAt(seq: number): readonly string[];
}

/** What is at one place: rivals in the order in which they were stored, and what a void record says was there. */
interface Place {
  readonly seq: number;
  readonly records: readonly ChainRecord[];
  readonly leaves: readonly string[];
}

function placesOf(records: readonly ChainRecord[], voids: ReadonlyMap<number, string>): Place[] {
  const bySeq = new Map<number, Map<string, ChainRecord>>();
  for (const record of records.filter(({ why }) => why === null)) {
    const at = bySeq.get(record.seq) ?? new Map<string, ChainRecord>();
    const known = at.get(record.side.leaf);
    // A copy whose payload was changed accuses nobody where a sound one is here.
    if (known === undefined || (known.changed !== null && record.changed === null)) at.set(record.side.leaf, record);
    bySeq.set(record.seq, at);
  }
  const seqs = [...new Set([...bySeq.keys(), ...voids.keys()])].sort((a, b) => a - b);
  return seqs.map((seq) => {
    const here = [...(bySeq.get(seq)?.values() ?? [])];
    const said = voids.get(seq);
    return {
      seq,
      records: here,
      leaves: [...here.map(({ side }) => side.leaf), ...(said === undefined ? [] : [said])],
    };
  });
}

function linkFault({ seq, side, isFabric }: ChainRecord, before: Place | undefined): ChainFault | undefined {
  const fault = (expected: string): ChainFault => ({
    ...{ kind: 'link', seq, expected, found: side.prevhash, id: side.id },
  });
  if (seq === 0) return isFabric && !isSameHash(side.prevhash, genesisHash) ? fault(genesisHash) : undefined;
  if (before?.seq !== seq - 1 || before.leaves.some((leaf) => isSameHash(leaf, side.prevhash))) return undefined;
  return fault(before.leaves[0] ?? '');
}

function faultsAt(place: Place, before: Place | undefined): ChainFault[] {
  return place.records.flatMap((record) => {
    const { seq, changed, side } = record;
    const link = linkFault(record, before);
    const payload: ChainFault[] = changed === null ? [] : [{ kind: 'payload', seq, ...changed, id: side.id }];
    return link === undefined ? payload : [link, ...payload];
  });
}

function sidesOf({ records }: Place): readonly ChainSide[] {
  return records
    .map(({ side }) => side)
    .sort((a, b) => a.storedMs - b.storedMs)
    .slice(0, maxSides);
}

/** Goes through the places, the lowest first. */
function walk(places: readonly Place[]) {
  const verified: { fromSeq: number; toSeq: number }[] = [];
  const [faults, forks, missing]: [ChainFault[], ChainFork[], ChainMissing[]] = [[], [], []];
  let before: Place | undefined;
  for (const place of places) {
    const { seq, records } = place;
    if (before !== undefined && seq > before.seq + 1)
      missing.push({ fromSeq: before.seq + 1, toSeq: seq - 1, isTail: false });
    const wrong = faultsAt(place, before);
    faults.push(...wrong);
    if (records.length > 1) forks.push({ seq, sides: sidesOf(place) });
    const run = verified.at(-1);
    if (wrong.length === 0 && records.length === 1) {
      if (run?.toSeq === seq - 1) run.toSeq = seq;
      else verified.push({ fromSeq: seq, toSeq: seq });
    }
    before = place;
  }
  return { verified, faults, forks, missing, last: before };
}

const countOf = (ranges: readonly ChainRange[]): number =>
  ranges.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0);

/** Faults of checkpoints that name another head than what is here. */
function checkpointFaults(heads: readonly SaidHead[], bySeq: ReadonlyMap<number, Place>): ChainFault[] {
  return heads.flatMap(({ seq, head }): ChainFault[] => {
    const place = bySeq.get(seq);
    const [found] = place?.leaves ?? [];
    if (found === undefined || place?.leaves.some((leaf) => isSameHash(leaf, head)) === true) return [];
    return [{ kind: 'checkpoint', seq, expected: head, found, id: place?.records[0]?.side.id ?? '' }];
  });
}

/** Looks at a chain: its envelopes in any order, places that were declared void with their leaves, heads that are on record. */
export function analyseChain(
  records: readonly ChainRecord[],
  voids: ReadonlyMap<number, string>,
  heads: readonly SaidHead[],
): ChainAnalysis {
  const places = placesOf(records, voids);
  const bySeq = new Map(places.map((place): [number, Place] => [place.seq, place]));
  const { last, ...walked } = walk(places);
  const tail = Math.max(-1, ...heads.map(({ seq }) => seq));
  const cutOff: ChainMissing[] =
    tail > (last?.seq ?? -1) ? [{ fromSeq: (last?.seq ?? -1) + 1, toSeq: tail, isTail: true }] : [];
  const missing = [...walked.missing, ...cutOff];
  const first = places[0];
  return {
    ...walked,
    missing,
    faults: [...walked.faults, ...checkpointFaults(heads, bySeq)].sort((a, b) => a.seq - b.seq),
    count: places.reduce((sum, place) => sum + place.records.length, 0),
    seen: first === undefined || last === undefined ? null : { fromSeq: first.seq, toSeq: last.seq },
    headLeaf: last?.leaves[0] ?? null,
    verifiedCount: countOf(walked.verified),
    missingCount: countOf(missing),
    leavesAt: (seq) => bySeq.get(seq)?.leaves ?? [],
  };
}
