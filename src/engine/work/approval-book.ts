/**
 * Which approvals were asked for, and what was answered (protocol.md W8).
 * Law: a verdict counts for the one request whose leaf it names, from an operator, within its time, once; the first one decides.
 *
 * Pure: it is told, it reads nothing, and the order in which things become known changes nothing.
 */
import type { RecordAuthor } from '../../shared/contract/approvals-contract.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';

export interface ApprovalRequest extends PayloadOf<'vak.approvals.request'> {
  /** Id and leaf of its envelope. */
  readonly requestId: string;
  readonly leaf: string;
  readonly peer: string;
  readonly session: string;
  /** The task that asks; undefined: none is named. */
  readonly taskId: string | undefined;
  /** Queues that its peer was granted when it asked. */
  readonly queues: readonly string[];
  /** Public key that signed it. */
  readonly signer?: string | undefined;
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
  /** Public key that signed it. */
  readonly signer?: string | undefined;
  readonly storedMs: number;
}

/** Nobody waits for the answer any more: why, a sentence for people, and since when (ms since the epoch, by the engine's clock where that is known). */
export interface AskerGone {
  readonly why: string;
  readonly atMs: number;
}

/** `expired`: its time was over before anybody answered. `asker-gone`: before that nobody waited for the answer any more. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'asker-gone';

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
  readonly author: RecordAuthor;
  readonly why: string;
}

/** The state of an approval at a time, ms since the epoch. `gone`: what is known of who asked; undefined: it waits, as far as is known. */
export function approvalState({ request, verdict }: Approval, nowMs: number, gone?: AskerGone): ApprovalState {
  if (verdict !== undefined) return verdict.decision === 'approve' ? 'approved' : 'denied';
  const expiresMs = Date.parse(request.expiresAt);
  if (gone !== undefined && gone.atMs <= expiresMs) return 'asker-gone';
  return nowMs > expiresMs ? 'expired' : 'pending';
}

export interface ApprovalBook {
  noteRequest(request: ApprovalRequest): void;
  noteVerdict(verdict: ApprovalVerdict): void;
  get(requestId: string): Approval | undefined;
  /** All that are remembered, oldest first. */
  all(): Iterable<Approval>;
  /** The last requests for a task, 16 at most. */
  ofTask(taskId: string): Iterable<ApprovalRequest>;
  /** Rises whenever something was noted. */
  version(): number;
  /** What does not count as far as is known now, of those that are remembered. */
  idle(): Iterable<IdleRecord>;
}

/** Verdicts that name a request which is not known yet, and further ones of a request. */
const maxVerdicts = 16;
const maxRepeated = 16;
/** Requests for one task that are told together, the last ones. */
const maxOfTask = 16;

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
  for (const { seq, storedMs, peer, session, signer = null } of entry.repeated) {
    const why = 'A request of its id had been made before; the first one stands.';
    yield { kind: 'request', seq, storedMs, why, author: { peer, session, signer, isProven: true } };
  }
  const deciding = decidingOf(entry);
  for (const verdict of entry.verdicts) {
    const { seq, storedMs, by: peer, signer = null } = verdict;
    if (verdict === deciding) continue;
    // Its subject names the session that asks; of which session it is itself is not kept.
    const author = { peer, session: null, signer, isProven: true };
    yield { kind: 'verdict', seq, storedMs, why: whyIdle(verdict, entry, deciding), author };
  }
}

/** Creates a book of at most `capacity` requests; the oldest give way. */
export function createApprovalBook({ capacity }: { readonly capacity: number }): ApprovalBook {
  const entries = new Map<string, Entry>();
  /** Ids of the last requests, by the task that they name. */
  const byTask = new Map<string, string[]>();
  let version = 0;

  function forget(requestId: string): void {
    const taskId = entries.get(requestId)?.request?.taskId;
    entries.delete(requestId);
    if (taskId === undefined) return;
    const own = byTask.get(taskId)?.filter((one) => one !== requestId) ?? [];
    if (own.length === 0) byTask.delete(taskId);
    else byTask.set(taskId, own);
  }

  function noteTask({ taskId, requestId }: ApprovalRequest): void {
    if (taskId === undefined) return;
    const own = byTask.get(taskId) ?? [];
    if (!own.includes(requestId)) byTask.set(taskId, [...own, requestId].slice(-maxOfTask));
  }

  function entryOf(requestId: string): Entry {
    const known = entries.get(requestId);
    if (known !== undefined) return known;
    if (entries.size >= capacity) {
      const oldest = entries.keys().next();
      if (!oldest.done) forget(oldest.value);
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
      if (first !== undefined) noteTask(first);
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
    *ofTask(taskId) {
      for (const requestId of byTask.get(taskId) ?? []) {
        const request = entries.get(requestId)?.request;
        if (request?.taskId === taskId) yield request;
      }
    },
    *idle() {
      for (const entry of entries.values()) yield* idleOf(entry);
    },
  };
}
