/**
 * What is wrong in the work plane: incidents, from what is known of tasks, queues, records and peers (product.md "Operations Center").
 * Law: an incident is exact about what, where, since when and how often; an acknowledgement hides nothing that comes after.
 *
 * Pure: it is told, it reads nothing; the order in which things become known changes no count.
 */
import { hash } from 'node:crypto';
import type { IncidentRecord } from '../../shared/contract/operations-contract.ts';
import type { QueuesState, TaskOutcome } from '../../shared/contract/queues-contract.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { Denial } from '../access/denial-log.ts';
import {
  compareIncidents,
  type IncidentDetail,
  type IncidentFacts,
  type IncidentMark,
  isLater,
} from './incident-facts.ts';
import { createIncidentTallies, type Happening } from './incident-tallies.ts';
import { createQueueConditions, type QueueReading } from './queue-conditions.ts';
import type { Moment } from './standing-condition.ts';

/** A task of which something became known. */
export interface TaskFact {
  readonly leaf: string;
  readonly queue: string;
  readonly outcome: TaskOutcome;
  /** Of what made it so: its dead letter, or when it was found gone. */
  readonly mark: IncidentMark;
  /** Of its dead letter. */
  readonly failure?: {
    readonly errorClass: string;
    readonly reason: string;
    readonly workerId: string | null;
    readonly attempts: number;
  };
}

/** Records of one sort that do not count, as they are known now: how many, since when, and the newest. */
export interface RefusedFact {
  readonly record: 'receipt' | 'dead-letter' | 'action' | 'pause-flag' | 'repeat' | 'request' | 'verdict';
  /** Of a record that turned out to count nothing is left. */
  readonly count: number;
  /** ms since the epoch. */
  readonly firstMs: number;
  readonly why: string;
  /** The newest, latest first; of what another list has: none. */
  readonly records: readonly IncidentRecord[];
  /** Session that it came from, if its subject says so. */
  readonly session: string | null;
  readonly mark: IncidentMark;
}

export interface Acknowledgement {
  /** Up to there. */
  readonly mark: IncidentMark;
  /** ms since the epoch. */
  readonly atMs: number;
}

export interface IncidentBook {
  noteTask(task: TaskFact): void;
  /** All sorts that there are; a sort that is not among them has none. */
  noteRefused(refused: readonly RefusedFact[]): void;
  /** What is known of denials now. */
  noteDenials(denials: readonly Denial[]): void;
  noteQueues(queues: readonly QueueReading[], at: Moment): void;
  /** The figures could not be read. */
  noteUnread(): void;
  noteSupervisor(supervisor: QueuesState['supervisor'], at: Moment): void;
  get(id: string): IncidentFacts | undefined;
  /** All of them, in the order of a list. */
  all(): readonly IncidentFacts[];
  /** The first {@link maxIncidents}. */
  list(): readonly IncidentFacts[];
}

/** What was acknowledged, by incident. */
export type Acknowledgements = (id: string) => Acknowledgement | undefined;

export const maxIncidents = 200;
/** Tasks whose incident is known, so that a later word takes them out of it again. */
const maxMembers = 50_000;
/** Classes of failures of one queue that are told apart: whoever writes dead letters chooses them. */
const maxClasses = 16;

const plainClass = /^[A-Za-z0-9._:-]{1,64}$/;

/** A class as part of an id, whatever it is made of. */
const classKey = (errorClass: string): string =>
  plainClass.test(errorClass) ? errorClass : `~${hash('sha256', errorClass, 'hex').slice(0, 16)}`;

const supervisorId = 'supervisor';
const refusedId = ({ record }: Pick<RefusedFact, 'record'>): string => `refused:${record}`;

export interface IncidentBookDeps {
  readonly alerts: () => Settings['alerts'];
  readonly acknowledged: Acknowledgements;
}

/** Creates an empty book. */
export function createIncidentBook({ alerts, acknowledged }: IncidentBookDeps): IncidentBook {
  const tallies = createIncidentTallies({ capacity: maxIncidents });
  const conditions = createQueueConditions(alerts);
  /** Incident of each task that has one; the oldest give way. */
  const members = new Map<string, string>();
  const classes = new Map<string, Set<string>>();
  let supervisorSinceMs: number | undefined;

  function deadLettersOf({ queue, mark, failure }: TaskFact): Happening {
    const { errorClass = '', reason = '', workerId = null, attempts = 0 } = failure ?? {};
    const known = classes.get(queue) ?? new Set<string>();
    classes.set(queue, known);
    const key = classKey(errorClass);
    if (known.size < maxClasses) known.add(key);
    const isApart = known.has(key);
    const detail = {
      kind: 'dead-letters',
      errorClass: isApart ? errorClass : null,
      reason,
      workerId,
      attempts,
    } as const;
    return { id: `dead-letters:${queue}:${isApart ? key : '*'}`, detail, queue, mark };
  }

  function happeningOf(task: TaskFact): Happening | undefined {
    const { queue, outcome, mark } = task;
    if (outcome === 'lost') return { id: `lost:${queue}`, detail: { kind: 'lost' }, queue, mark };
    return outcome === 'dead' ? deadLettersOf(task) : undefined;
  }

  function remember(leaf: string, id: string): void {
    members.set(leaf, id);
    if (members.size <= maxMembers) return;
    const oldest = members.keys().next();
    if (!oldest.done) members.delete(oldest.value);
  }

  function denied({ peer, action, subject, rule, side, count, firstMs, lastMs }: Denial): void {
    const id = `denied:${peer}`;
    const known = tallies.get(id);
    const mark = { atMs: lastMs, seq: count };
    const detail = { kind: 'denied', peer, action, subject, rule, side } as const;
    if (known === undefined || isLater(mark, known.mark)) {
      const facts = { id, detail, queue: null, session: null, isStanding: false, mark };
      tallies.put({
        ...facts,
        firstMs: Math.min(firstMs, known?.firstMs ?? firstMs),
        lastMs,
        count: Math.max(count, known?.count ?? 0),
      });
    }
  }

  function putRefused(refused: RefusedFact): void {
    const { record, count, why, records, session, mark } = refused;
    const id = refusedId(refused);
    const firstMs = Math.min(refused.firstMs, tallies.get(id)?.firstMs ?? refused.firstMs);
    const detail: IncidentDetail =
      record === 'request' || record === 'verdict'
        ? { kind: 'refused-approval', record, why }
        : { kind: 'refused-record', record, why, records };
    tallies.put({ id, detail, queue: null, session, firstMs, lastMs: mark.atMs, count, isStanding: false, mark });
  }

  function withAcknowledgement(facts: Omit<IncidentFacts, 'acknowledgedMs'>): IncidentFacts {
    const known = facts.isStanding ? undefined : acknowledged(facts.id);
    const isKnown = known !== undefined && !isLater(facts.mark, known.mark);
    return { ...facts, acknowledgedMs: isKnown ? known.atMs : null };
  }

  function all(): IncidentFacts[] {
    return [...tallies.all(), ...conditions.all()].map(withAcknowledgement);
  }

  return {
    noteTask(task) {
      const { leaf } = task;
      const before = members.get(leaf);
      const now = happeningOf(task);
      if (before === now?.id) return;
      if (before !== undefined) {
        members.delete(leaf);
        tallies.remove(before);
      }
      if (now === undefined) return;
      tallies.add(now);
      remember(leaf, now.id);
    },
    noteRefused(refused) {
      const there = new Set(refused.map(refusedId));
      for (const { id, detail } of [...tallies.all()])
        if ((detail.kind === 'refused-record' || detail.kind === 'refused-approval') && !there.has(id))
          tallies.drop(id);
      for (const one of refused) putRefused(one);
    },
    noteDenials(denials) {
      for (const denial of denialsByPeer(denials)) denied(denial);
    },
    noteQueues: conditions.note,
    noteUnread: conditions.interrupt,
    noteSupervisor({ kind, why }, { nowMs }) {
      supervisorSinceMs = kind === 'failed' ? (supervisorSinceMs ?? nowMs) : undefined;
      if (supervisorSinceMs === undefined) {
        tallies.drop(supervisorId);
        return;
      }
      const [firstMs, lastMs] = [supervisorSinceMs, supervisorSinceMs];
      const facts = { id: supervisorId, queue: null, session: null, count: 1, isStanding: true, firstMs, lastMs };
      tallies.put({ ...facts, detail: { kind: 'supervisor', why: why ?? '' }, mark: { atMs: firstMs, seq: 0 } });
    },
    get: (id) => all().find((one) => one.id === id),
    all: () => all().sort(compareIncidents),
    list: () => all().sort(compareIncidents).slice(0, maxIncidents),
  };
}

/** What of each peer was refused, put together: how often, and the newest of it. */
function denialsByPeer(denials: readonly Denial[]): readonly Denial[] {
  const byPeer = new Map<string, Denial>();
  for (const denial of denials) {
    const known = byPeer.get(denial.peer);
    const newest = known === undefined || denial.lastMs > known.lastMs ? denial : known;
    byPeer.set(denial.peer, {
      ...newest,
      count: denial.count + (known?.count ?? 0),
      firstMs: Math.min(denial.firstMs, known?.firstMs ?? denial.firstMs),
    });
  }
  return [...byPeer.values()];
}
