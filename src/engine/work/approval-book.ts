/**
 * Which approvals were asked for, and what was answered (protocol.md W8).
 * Law: a verdict counts for the one request whose leaf it names, from an operator, within its time, once; the first one decides.
 *
 * Pure: it is told, it reads nothing, and the order in which things become known changes nothing.
 */
import type { PayloadOf } from '../../shared/protocol/payloads.ts';

export interface ApprovalRequest extends PayloadOf<'vak.approvals.request'> {
  /** Id and leaf of its envelope. */
  readonly requestId: string;
  readonly leaf: string;
  readonly peer: string;
  readonly session: string;
  /** The task that asks; undefined: none is named. */
  readonly taskId: string | undefined;
  /** Place in the stream of approvals. */
  readonly seq: number;
  /** ms since the epoch. */
  readonly storedMs: number;
}

export interface ApprovalVerdict extends PayloadOf<'vak.approvals.verdict'> {
  /** Who signed it. */
  readonly by: string;
  /** The session in its subject: of the request that it answers. */
  readonly session: string;
  readonly seq: number;
  readonly storedMs: number;
}

/** `expired`: its time was over before anybody answered. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired';

export interface Approval {
  readonly request: ApprovalRequest;
  /** The one that decided. */
  readonly verdict: ApprovalVerdict | undefined;
}

/** Why a verdict does not count for a request; undefined: it does. */
export function verdictProblem(verdict: ApprovalVerdict, request: ApprovalRequest): string | undefined {
  if (verdict.requestId !== request.requestId) return 'It answers another request.';
  if (verdict.requestLeaf !== request.leaf) return 'It answers a request of that id with another content.';
  if (verdict.session !== request.session) return 'It was sent to another session than the one that asked.';
  if (verdict.storedMs > Date.parse(request.expiresAt))
    return `It came after the request had expired at ${request.expiresAt}.`;
  return undefined;
}

/** A request or verdict that is sound by itself and does not count, and why. */
export interface IdleRecord {
  readonly kind: 'request' | 'verdict';
  readonly seq: number;
  readonly storedMs: number;
  readonly why: string;
}

/** The state of an approval at a time, ms since the epoch. */
export function approvalState({ request, verdict }: Approval, nowMs: number): ApprovalState {
  if (verdict !== undefined) return verdict.decision === 'approve' ? 'approved' : 'denied';
  return nowMs > Date.parse(request.expiresAt) ? 'expired' : 'pending';
}

export interface ApprovalBook {
  noteRequest(request: ApprovalRequest): void;
  noteVerdict(verdict: ApprovalVerdict): void;
  get(requestId: string): Approval | undefined;
  /** All that are remembered, oldest first. */
  all(): Iterable<Approval>;
  /** Rises whenever something was noted. */
  version(): number;
  /** What does not count as far as is known now, of those that are remembered. */
  idle(): Iterable<IdleRecord>;
}

/** Verdicts that name a request which is not known yet, and further ones of a request. */
const maxVerdicts = 16;
const maxRepeated = 16;

interface Entry {
  request: ApprovalRequest | undefined;
  /** Requests of its id that came later. */
  repeated: readonly ApprovalRequest[];
  readonly verdicts: ApprovalVerdict[];
}

/** The verdict that decides. */
function decidingOf({ request, verdicts }: Entry): ApprovalVerdict | undefined {
  return request && verdicts.find((one) => verdictProblem(one, request) === undefined);
}

function whyIdle(verdict: ApprovalVerdict, { request }: Entry, deciding: ApprovalVerdict | undefined): string {
  if (request === undefined) return 'It answers a request that nobody is known to have made.';
  const problem = verdictProblem(verdict, request);
  if (problem !== undefined || deciding === undefined) return problem ?? '';
  return `${deciding.by} had answered the request already (${deciding.decision}); one answer counts.`;
}

function* idleOf(entry: Entry): Iterable<IdleRecord> {
  for (const { seq, storedMs } of entry.repeated) {
    yield { kind: 'request', seq, storedMs, why: 'A request of its id had been made before; the first one stands.' };
  }
  const deciding = decidingOf(entry);
  for (const verdict of entry.verdicts) {
    const { seq, storedMs } = verdict;
    if (verdict !== deciding) yield { kind: 'verdict', seq, storedMs, why: whyIdle(verdict, entry, deciding) };
  }
}

/** Creates a book of at most `capacity` requests; the oldest give way. */
export function createApprovalBook({ capacity }: { readonly capacity: number }): ApprovalBook {
  const entries = new Map<string, Entry>();
  let version = 0;

  function entryOf(requestId: string): Entry {
    const known = entries.get(requestId);
    if (known !== undefined) return known;
    if (entries.size >= capacity) {
      const oldest = entries.keys().next();
      if (!oldest.done) entries.delete(oldest.value);
    }
    const entry: Entry = { request: undefined, repeated: [], verdicts: [] };
    entries.set(requestId, entry);
    return entry;
  }

  function toApproval(entry: Entry): Approval | undefined {
    const { request } = entry;
    return request && { request, verdict: decidingOf(entry) };
  }

  return {
    version: () => version,
    noteRequest(request) {
      version++;
      const entry = entryOf(request.requestId);
      const all = [...entry.repeated, ...(entry.request === undefined ? [] : [entry.request])];
      if (all.some(({ seq }) => seq === request.seq)) return;
      // Whoever repeats an id asks for nothing: the first one stands.
      const [first, ...later] = [...all, request].sort((a, b) => a.seq - b.seq);
      entry.request = first;
      entry.repeated = later.slice(0, maxRepeated);
    },
    noteVerdict(verdict) {
      version++;
      const { verdicts } = entryOf(verdict.requestId);
      if (verdicts.some(({ seq }) => seq === verdict.seq)) return;
      verdicts.push(verdict);
      verdicts.sort((a, b) => a.seq - b.seq);
      if (verdicts.length > maxVerdicts) verdicts.pop();
    },
    get(requestId) {
      const entry = entries.get(requestId);
      return entry && toApproval(entry);
    },
    *all() {
      for (const entry of entries.values()) {
        const approval = toApproval(entry);
        if (approval !== undefined) yield approval;
      }
    },
    *idle() {
      for (const entry of entries.values()) yield* idleOf(entry);
    },
  };
}
