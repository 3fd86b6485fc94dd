/**
 * Who has been heard on the bus: sessions by what they published.
 * Law: bounded: at 2 000 sessions the one silent for longest is forgotten, and counted.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { SessionList, SessionSummary } from '../../shared/contract/sessions-contract.ts';
import { decodePayload, type StatusPayload } from '../../shared/protocol/payloads.ts';
import { wasCancelled } from '../../shared/protocol/stop-causes.ts';
import type { Intake } from '../envelope/intake.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';
import type { SubjectReader } from '../feeds/subject-reader.ts';
import type { Clock } from '../ports/clock.ts';

/** Most sessions that are remembered. */
export const maxSessions = 2000;
/** Silence after which a session is stale: three heartbeats. */
export const staleAfterMs = 15_000;
const noteLength = 160;
const sampleMs = 1000;

interface Entry {
  readonly session: string;
  peer: string | null;
  readonly firstSeenMs: number;
  lastSeenMs: number;
  messageCount: number;
  countedCount: number;
  perSecond: number;
  note: string;
  isEnded: boolean;
  startedMs: number | undefined;
  /** It has said that it begins, or that it lives: only then does its silence say something. */
  isBeating: boolean;
  /** Place in the buffer of the status that it stands by. */
  statusSeq: number;
  /** Place in the buffer of the first status that could not be opened yet. */
  unreadFromSeq: number | undefined;
}

/** How a session of a peer stands. Times in ms since the epoch. */
export interface PeerSession extends Pick<SessionSummary, 'state' | 'lastSeenMs'> {
  /** When it was heard to begin; undefined: it was not. */
  readonly startedMs: number | undefined;
}

export interface SessionDirectory extends Disposable {
  /** Says whose session it is, and that it begins. */
  register(session: string, peer: string): void;
  /** Says that its process is gone, and why. */
  end(session: string, note: string): void;
  peerOf(session: string): string | null;
  /** What is known of the sessions of a peer that say that they live; of those that are remembered. */
  ofPeer(peer: string): readonly PeerSession[];
  list(): SessionList;
  /** Reads what came while the keys were not there; call it when they are. */
  readWaiting(): void;
}

/** What the directory is made of. `onChange` is called often; the caller bounds its rate. */
export interface SessionDirectoryDeps {
  readonly intake: Pick<Intake, 'handle' | 'admit' | 'open' | 'isSound' | 'claim'>;
  readonly buffer: Pick<MessageBuffer, 'get' | 'oldestSeq' | 'newestSeq'>;
  readonly clock: Clock;
  readonly reader: SubjectReader;
  readonly workspace: string;
  readonly onChange: () => void;
}

function noteOf({ state, detail }: StatusPayload): string {
  const exit = detail?.exitCode === undefined ? undefined : `exit code ${detail.exitCode}`;
  if (state === 'failed' && wasCancelled(detail)) return (detail?.reason ?? 'cancelled').slice(0, noteLength);
  const why = detail?.reason ?? exit;
  return (why === undefined ? state : `${state}: ${why}`).slice(0, noteLength);
}

/** Starts to listen. Throws `invalid-pattern` for a workspace that is no token. */
export function createSessionDirectory(deps: SessionDirectoryDeps): SessionDirectory {
  const { intake, buffer, clock, reader, workspace, onChange } = deps;
  const held = createDisposer();
  const entries = new Map<string, Entry>();
  let forgottenCount = 0;

  function forgetQuietest(): void {
    let quietest: Entry | undefined;
    for (const entry of entries.values()) {
      if (quietest === undefined || entry.lastSeenMs < quietest.lastSeenMs) quietest = entry;
    }
    if (quietest === undefined) return;
    entries.delete(quietest.session);
    forgottenCount++;
  }

  function entryOf(session: string): Entry {
    const known = entries.get(session);
    if (known !== undefined) return known;
    if (entries.size >= maxSessions) forgetQuietest();
    const now = clock.now();
    const entry: Entry = {
      session,
      peer: null,
      firstSeenMs: now,
      lastSeenMs: now,
      messageCount: 0,
      countedCount: 0,
      perSecond: 0,
      note: '',
      isEnded: false,
      startedMs: undefined,
      isBeating: false,
      statusSeq: 0,
      unreadFromSeq: undefined,
    };
    entries.set(session, entry);
    onChange();
    return entry;
  }

  /** Counts what is not refused. A session begins with what is soundly said in it: noise brings none into the list. */
  function hear(held: HeldMessage): boolean {
    const { session } = reader.read(held.subject);
    if (session === null || held.trust.refusal !== undefined) return false;
    if (!entries.has(session) && !intake.isSound(held)) return false;
    const entry = entryOf(session);
    entry.messageCount++;
    entry.lastSeenMs = Math.max(entry.lastSeenMs, held.atMs);
    return true;
  }

  /** What was judged sound only later may be older than what is known. */
  function take(entry: Entry, status: StatusPayload, { seq, atMs }: HeldMessage): void {
    if (status.state === 'started') entry.startedMs ??= atMs;
    entry.isBeating ||= status.state === 'started' || status.state === 'heartbeat';
    if (status.state === 'heartbeat' || seq < entry.statusSeq) return;
    entry.statusSeq = seq;
    entry.note = noteOf(status);
    entry.isEnded = status.state === 'ended' && status.taskId === undefined;
    onChange();
  }

  /** The status that a payload holds; undefined if it does not fit its schema: then its row in the stream shows it as it came. */
  function decodeStatus(payload: Uint8Array): StatusPayload | undefined {
    try {
      return decodePayload('vak.events.status', payload);
    } catch (error) {
      if (!isVakError(error)) throw error;
      return undefined;
    }
  }

  /** Whether a message is worth judging: most of what waits are heartbeats, which say nothing. */
  function isHeartbeat(held: HeldMessage): boolean {
    const opened = intake.open(held);
    return opened.kind === 'opened' && decodeStatus(opened.bytes)?.state === 'heartbeat';
  }

  /** Reads a status; `news` if its session is up to date then, `read` if it said nothing, `denied` if it may not be read. */
  function readStatus(held: HeldMessage, entry: Entry): 'news' | 'read' | 'denied' {
    if (entry.isEnded) return 'news';
    // It has been counted, and says nothing that a signature could vouch for: of thousands of peers they would be most of what is checked.
    if (entry.peer !== null && isHeartbeat(held)) return 'read';
    const admission = intake.admit(held);
    if (admission.kind === 'locked') {
      entry.unreadFromSeq = Math.min(entry.unreadFromSeq ?? held.seq, held.seq);
    }
    if (admission.kind !== 'accepted') return 'denied';
    entry.peer ??= admission.envelope.agentid;
    const status = decodeStatus(admission.payload);
    if (status !== undefined) take(entry, status, held);
    return status !== undefined && status.state !== 'heartbeat' ? 'news' : 'read';
  }

  function hearStatus(held: HeldMessage): boolean {
    const { session } = reader.read(held.subject);
    const entry = session === null ? undefined : entries.get(session);
    return entry !== undefined && held.trust.refusal === undefined && readStatus(held, entry) !== 'denied';
  }

  /** The newest status of each session that waits, from what the buffer still holds. */
  function readWaiting(): void {
    const waiting = new Map(Array.from(entries).filter(([, { unreadFromSeq }]) => unreadFromSeq !== undefined));
    const from = Math.min(...Array.from(waiting.values(), ({ unreadFromSeq = 0 }) => unreadFromSeq));
    for (const entry of waiting.values()) entry.unreadFromSeq = undefined;
    for (let seq = buffer.newestSeq; waiting.size > 0 && seq >= Math.max(from, buffer.oldestSeq); seq--) {
      const held = buffer.get(seq) as HeldMessage;
      const { type, session } = reader.read(held.subject);
      const entry = session === null || type !== 'vak.events.status' ? undefined : waiting.get(session);
      if (entry === undefined || isHeartbeat(held) || readStatus(held, entry) !== 'news') continue;
      waiting.delete(entry.session);
    }
  }

  function sample(): void {
    for (const entry of entries.values()) {
      entry.perSecond = ((entry.messageCount - entry.countedCount) * 1000) / sampleMs;
      entry.countedCount = entry.messageCount;
    }
    onChange();
  }

  held.add(intake.handle(`vak.events.${workspace}.>`, hear));
  held.add(intake.handle(`vak.events.${workspace}.*.status`, hearStatus));
  held.add(clock.setTicker(sampleMs, sample));

  function summaryOf(entry: Entry): SessionSummary {
    const isStale = clock.now() - entry.lastSeenMs > staleAfterMs;
    return {
      session: entry.session,
      peer: entry.peer,
      state: entry.isEnded ? 'ended' : isStale ? 'stale' : 'live',
      firstSeenMs: entry.firstSeenMs,
      lastSeenMs: entry.lastSeenMs,
      messageCount: entry.messageCount,
      perSecond: entry.perSecond,
      note: entry.note,
    };
  }

  return {
    register(session, peer) {
      intake.claim(session, peer);
      const entry = entryOf(session);
      entry.peer = peer;
      entry.startedMs ??= clock.now();
      entry.isBeating = true;
      onChange();
    },
    end(session, note) {
      const entry = entryOf(session);
      entry.isEnded = true;
      entry.note = note.slice(0, noteLength);
      onChange();
    },
    peerOf: (session) => entries.get(session)?.peer ?? null,
    ofPeer: (peer) =>
      [...entries.values()]
        .filter((entry) => entry.peer === peer && entry.isBeating)
        .map((entry) => ({ ...summaryOf(entry), startedMs: entry.startedMs })),
    list: () => ({ sessions: Array.from(entries.values(), summaryOf), forgottenCount }),
    readWaiting,
    dispose: () => held.dispose(),
  };
}
