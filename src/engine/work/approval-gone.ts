/**
 * Whether anybody waits for the answer to a request still, as far as its task tells (protocol.md W8).
 * Law: only what counts takes a request from the list; what a worker of another queue says of its task changes nothing.
 */
import type { ApprovalBook, ApprovalRequest, AskerGone } from './approval-book.ts';
import type { TaskRecord, TaskState } from './task-book.ts';

/** What is known of the task that a request names. */
export interface AskedTask {
  /** All that are called so and stood in the stream; several only if somebody repeats ids. */
  readonly tasks: readonly TaskRecord[];
  readonly book: Pick<ApprovalBook, 'ofTask'>;
}

const endings: Readonly<Partial<Record<TaskState, string>>> = {
  done: 'Its task is done.',
  'finished-late': 'Its task is done.',
  dead: 'Its task has ended with a dead letter.',
  purged: 'An operator has taken its task out of its queue.',
};

/** A task that was lost may still be at hand: only an acknowledgement speaks against it, which proves nothing (W7). */
function endOf({ state, receipts, deadLetter, goneMs }: TaskRecord): AskerGone | undefined {
  const why = endings[state];
  if (why === undefined) return undefined;
  const said = receipts.filter(({ outcome }) => outcome === 'done').map(({ storedMs }) => storedMs);
  if (deadLetter !== undefined) said.push(deadLetter.storedMs);
  // A purge alone is seen by its task's going.
  return { why, atMs: said.length === 0 ? (goneMs ?? 0) : Math.min(...said) };
}

/** The attempt that asked is over, or another one has begun since. */
function triedSince({ receipts }: TaskRecord, request: ApprovalRequest): AskerGone | undefined {
  for (const { workerId, startedAt, storedMs } of receipts) {
    if (storedMs < request.storedMs) continue;
    if (workerId === request.peer) return { why: 'The attempt that asked has ended.', atMs: storedMs };
    // Another worker's late word of an attempt before this one says nothing of it.
    if (Date.parse(startedAt) > request.storedMs)
      return { why: `${workerId} has tried its task since.`, atMs: storedMs };
  }
  return undefined;
}

function askedSince({ queue }: TaskRecord, request: ApprovalRequest, later: ApprovalRequest): boolean {
  return later.seq > request.seq && (later.peer === request.peer || later.queues.includes(queue));
}

function goneOf(task: TaskRecord, request: ApprovalRequest, all: readonly ApprovalRequest[]): AskerGone | undefined {
  const ended = endOf(task) ?? triedSince(task, request);
  if (ended !== undefined) return ended;
  const later = all.find((one) => askedSince(task, request, one));
  return later && { why: `${later.peer} has claimed its task and asked anew.`, atMs: later.storedMs };
}

/** Undefined: as far as its task tells, whoever asked still waits. */
export function goneByTask(request: ApprovalRequest, { tasks, book }: AskedTask): AskerGone | undefined {
  const { taskId } = request;
  if (taskId === undefined || tasks.length === 0) return undefined;
  const all = [...book.ofTask(taskId)];
  const gone = tasks.map((task) => goneOf(task, request, all));
  // Whoever repeats an id, and has its task refused, hides no request of the other.
  return gone.some((one) => one === undefined)
    ? undefined
    : gone.reduce((last, one) => (last !== undefined && one !== undefined && one.atMs > last.atMs ? one : last));
}

/** Looks now; what it gives says of requests whether their asker is gone. */
export type GoneSearching = () => (request: ApprovalRequest) => AskerGone | undefined;

/** As far as tasks and sessions tell, of the work that is watched now. */
export function createGoneSearching(deps: {
  readonly work: () =>
    | { readonly approvals: { readonly book: ApprovalBook }; tasksOf(id: string): AskedTask['tasks'] }
    | undefined;
  readonly askers: { look(): (request: ApprovalRequest) => AskerGone | undefined };
}): GoneSearching {
  return () => {
    const ofSession = deps.askers.look();
    const work = deps.work();
    return (request) => {
      const { taskId } = request;
      if (work === undefined || taskId === undefined) return ofSession(request);
      const known = { tasks: work.tasksOf(taskId), book: work.approvals.book };
      return goneByTask(request, known) ?? ofSession(request);
    };
  };
}
