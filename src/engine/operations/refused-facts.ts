/**
 * Records that do not count, put together by their sort (protocol.md W6, W8).
 * Law: all that were refused are counted, also those that are not listed any more.
 */
import type { IncidentRecord } from '../../shared/contract/operations-contract.ts';
import type { RefusedFact } from './incident-book.ts';

/** One record that does not count, as its list has it. */
export interface ListedRefusal {
  readonly kind: RefusedFact['record'];
  readonly seq: number;
  readonly atMs: number;
  readonly why: string;
  /** Where it lies, and of whom its subject says that it comes (of a receipt a session); without both another list has it. */
  readonly stream?: string;
  readonly from?: string;
}

/** Records that an incident lists: enough to see what is done there. */
const maxRecords = 32;

/** What there is of each sort; `count`: of all sorts together, those included that the list has dropped. */
export function refusedFacts(newest: readonly ListedRefusal[], count: number): readonly RefusedFact[] {
  const byKind = new Map<RefusedFact['record'], ListedRefusal[]>();
  for (const one of newest) byKind.set(one.kind, [...(byKind.get(one.kind) ?? []), one]);
  const facts = [...byKind].map(([record, listed]) => factOf(record, listed));
  // Nobody knows what sort the dropped ones were; most likely that of most of them.
  const [most, ...others] = facts.sort((a, b) => b.count - a.count);
  if (most === undefined) return [];
  return [{ ...most, count: most.count + Math.max(0, count - newest.length) }, ...others];
}

function recordsOf(listed: readonly ListedRefusal[]): readonly IncidentRecord[] {
  const there = listed.flatMap(({ stream, seq, atMs, from, why }): IncidentRecord[] =>
    stream === undefined || from === undefined ? [] : [{ stream, seq, atMs, from, why }],
  );
  return there.sort((a, b) => b.atMs - a.atMs || b.seq - a.seq).slice(0, maxRecords);
}

function factOf(record: RefusedFact['record'], listed: readonly ListedRefusal[]): RefusedFact {
  const [first, ...rest] = listed as readonly [ListedRefusal, ...ListedRefusal[]];
  const latest = rest.reduce((a, b) => (b.atMs > a.atMs || (b.atMs === a.atMs && b.seq > a.seq) ? b : a), first);
  return {
    ...{ record, count: listed.length, firstMs: Math.min(...listed.map(({ atMs }) => atMs)), why: latest.why },
    records: recordsOf(listed),
    session: record === 'receipt' ? (latest.from ?? null) : null,
    mark: { atMs: latest.atMs, seq: latest.seq },
  };
}
