/**
 * The incidents of the engine in use: what the watch tells goes into a book, what must outlive a start into the memory.
 * Law: another engine is another book; a loss that was seen once stays known until it is disproved (W7).
 */
import type { ApprovalsState } from '../../shared/contract/approvals-contract.ts';
import type { QueuesState } from '../../shared/contract/queues-contract.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { DenialLog } from '../access/denial-log.ts';
import type { Clock } from '../ports/clock.ts';
import { isStanding, type TaskRecord } from '../work/task-book.ts';
import type { RefusedWork } from '../work/watched-work.ts';
import { createIncidentBook, type IncidentBook, type TaskFact } from './incident-book.ts';
import type { IncidentMark } from './incident-facts.ts';
import type { IncidentMemory, LostTask, PlaceMemory } from './incident-memory.ts';
import { refusedFacts } from './refused-facts.ts';

/** What is known of the work now. */
export interface WorkLook {
  readonly queues: QueuesState;
  readonly approvals: ApprovalsState;
  readonly refusedWork: { readonly count: number; readonly newest: readonly RefusedWork[] };
}

export interface IncidentDesk {
  noteTask(record: TaskRecord): void;
  /** After each look, and when something else has changed. */
  noteLook(look: WorkLook): void;
  book(): IncidentBook;
  /** Of the engine in use. */
  memory(): PlaceMemory;
  /** Tasks that are lost as far as is known here, those of before this start among them. */
  lostCount(): number;
  /** Whether what was there at the first look is known: what comes now is news. */
  isSettled(): boolean;
}

export interface IncidentDeskDeps {
  readonly workspace: string;
  /** Of the engine in use; undefined while there is none. */
  readonly destination: () => string | undefined;
  readonly memory: IncidentMemory;
  readonly denials: Pick<DenialLog, 'entries'>;
  readonly alerts: () => Settings['alerts'];
  readonly clock: Clock;
  /** What could not be kept. */
  readonly onProblem: (error: unknown) => void;
}

interface Place {
  readonly destination: string;
  readonly book: IncidentBook;
  readonly memory: PlaceMemory;
  /** Leaves that are remembered as lost. */
  readonly lost: Set<string>;
  newLost: LostTask[];
  found: string[];
  firstReadMs: number | null;
  isSettled: boolean;
}

/** Where nothing is connected yet, nothing is kept. */
const nowhere = '';

function factOf(record: TaskRecord, nowMs: number): TaskFact {
  const { leaf, queue, state: outcome, deadLetter, place, goneMs } = record;
  if (deadLetter !== undefined) {
    const { seq, storedMs: atMs, errorClass, reason, workerId, attempts } = deadLetter;
    return { leaf, queue, outcome, mark: { atMs, seq }, failure: { errorClass, reason, workerId, attempts } };
  }
  const mark: IncidentMark = { atMs: goneMs ?? nowMs, seq: place?.seq ?? 0 };
  return { leaf, queue, outcome, mark };
}

/** Creates it for the engine in use now; each later one gets a book of its own. */
export function createIncidentDesk(deps: IncidentDeskDeps): IncidentDesk {
  const { workspace, memory, denials, alerts, clock, onProblem } = deps;
  let place = open(deps.destination() ?? nowhere);

  function open(destination: string): Place {
    const own = memory.of(workspace, destination);
    const book = createIncidentBook({ alerts, acknowledged: own.acknowledged });
    const lost = own.lost();
    for (const { leaf, queue, seq, atMs } of lost) book.noteTask({ leaf, queue, outcome: 'lost', mark: { atMs, seq } });
    const leaves = new Set(lost.map(({ leaf }) => leaf));
    return {
      destination,
      book,
      memory: own,
      lost: leaves,
      newLost: [],
      found: [],
      firstReadMs: null,
      isSettled: false,
    };
  }

  /** While there is no engine what is known of the last one stands. */
  function here(): Place {
    const destination = deps.destination();
    if (destination !== undefined && destination !== place.destination) place = open(destination);
    return place;
  }

  /** Keeps what was lost, and what was found again, for the next start. */
  function keepLost(one: Place): void {
    const { newLost, found } = one;
    if (newLost.length + found.length === 0) return;
    one.newLost = [];
    one.found = [];
    one.memory.changeLost(newLost, found).catch(onProblem);
  }

  function remember(one: Place, { leaf, queue, outcome, mark }: TaskFact): void {
    const isKnown = one.lost.has(leaf);
    if (outcome === 'lost' && !isKnown) {
      one.lost.add(leaf);
      one.newLost.push({ leaf, queue, ...mark });
    } else if (outcome !== 'lost' && isKnown) {
      one.lost.delete(leaf);
      one.found.push(leaf);
    }
  }

  return {
    noteTask(record) {
      const one = here();
      const { leaf, place: standing, state } = record;
      // Of a task that was lost before this start its failed attempts may be all that is left: they are no proof.
      const isProof = standing !== undefined || !isStanding(state);
      if (one.lost.has(leaf) && !isProof) return;
      const fact = factOf(record, clock.now());
      remember(one, fact);
      one.book.noteTask(fact);
    },
    noteLook({ queues, approvals, refusedWork }) {
      const one = here();
      const at = { nowMs: clock.now(), monotonicMs: clock.monotonic() };
      const { readAtMs, problem } = queues;
      if (problem !== null || readAtMs === null) one.book.noteUnread();
      else one.book.noteQueues(queues.queues, at);
      one.book.noteSupervisor(queues.supervisor, at);
      one.book.noteRefused([
        ...refusedFacts(refusedWork.newest, refusedWork.count),
        ...refusedFacts(approvals.refused, approvals.refusedCount),
      ]);
      one.book.noteDenials(denials.entries());
      keepLost(one);
      // The figures of the second look are read only when the first one is through.
      one.firstReadMs ??= readAtMs;
      if (readAtMs !== one.firstReadMs) one.isSettled = true;
    },
    book: () => here().book,
    memory: () => here().memory,
    lostCount: () => here().lost.size,
    isSettled: () => here().isSettled,
  };
}
