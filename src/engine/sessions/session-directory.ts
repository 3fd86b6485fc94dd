/**
 * Who has been heard on the bus: sessions by what they published.
 * Law: bounded: at 2 000 sessions the one silent for longest is forgotten, and counted.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { SessionList, SessionSummary } from '../../shared/contract/sessions-contract.ts';
import { decodePayload, type StatusPayload } from '../../shared/protocol/payloads.ts';
import type { Bus, Message } from '../bus/bus.ts';
import type { SubjectReader } from '../feeds/subject-reader.ts';
import type { Clock } from '../ports/clock.ts';

/** Most sessions that are remembered. */
export const maxSessions = 2000;
/** Silence after which a session is stale: three heartbeats. */
const staleAfterMs = 15_000;
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
}

export interface SessionDirectory extends Disposable {
  /** Says whose session it is, and that it begins. */
  register(session: string, peer: string): void;
  /** Says that its process is gone, and why. */
  end(session: string, note: string): void;
  peerOf(session: string): string | null;
  list(): SessionList;
}

/** What the directory is made of. `onChange` is called often; the caller bounds its rate. */
export interface SessionDirectoryDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly reader: SubjectReader;
  readonly workspace: string;
  readonly onChange: () => void;
}

function noteOf({ state, detail }: StatusPayload): string {
  const exit = detail?.exitCode === undefined ? undefined : `exit code ${detail.exitCode}`;
  const why = detail?.reason ?? exit;
  return (why === undefined ? state : `${state}: ${why}`).slice(0, noteLength);
}

/** Starts to listen. Throws what `bus.subscribe` throws. */
export function createSessionDirectory(deps: SessionDirectoryDeps): SessionDirectory {
  const { bus, clock, reader, workspace, onChange } = deps;
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
    };
    entries.set(session, entry);
    onChange();
    return entry;
  }

  function hear({ subject }: Message): void {
    const { session } = reader.read(subject);
    if (session === null) return;
    const entry = entryOf(session);
    entry.messageCount++;
    entry.lastSeenMs = clock.now();
  }

  function readStatus({ subject, data }: Message): void {
    const { session } = reader.read(subject);
    if (session === null) return;
    const status = decodePayload('vak.events.status', data);
    if (status.state === 'heartbeat') return;
    const entry = entryOf(session);
    if (entry.isEnded) return;
    entry.note = noteOf(status);
    entry.isEnded = status.state === 'ended' && status.taskId === undefined;
    onChange();
  }

  function sample(): void {
    for (const entry of entries.values()) {
      entry.perSecond = ((entry.messageCount - entry.countedCount) * 1000) / sampleMs;
      entry.countedCount = entry.messageCount;
    }
    onChange();
  }

  held.add(bus.subscribe(`vak.events.${workspace}.>`, { kind: 'inline', onMessage: hear }));
  held.add(
    bus.subscribe(`vak.events.${workspace}.*.status`, {
      kind: 'drop-oldest',
      capacity: 4096,
      onBatch(messages) {
        for (const message of messages) {
          try {
            readStatus(message);
          } catch {
            // A status that does not decode changes nothing here; its row in the stream shows it as it came.
          }
        }
      },
    }),
  );
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
      entryOf(session).peer = peer;
      onChange();
    },
    end(session, note) {
      const entry = entryOf(session);
      entry.isEnded = true;
      entry.note = note.slice(0, noteLength);
      onChange();
    },
    peerOf: (session) => entries.get(session)?.peer ?? null,
    list: () => ({ sessions: Array.from(entries.values(), summaryOf), forgottenCount }),
    dispose: () => held.dispose(),
  };
}
