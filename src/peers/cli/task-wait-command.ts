/** `vak task wait`: what becomes of a task (protocol.md W6, W7). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { createDeferred } from '../../engine/wait.ts';
import { taskLeafOf } from '../../engine/work/dead-letter.ts';
import type { TaskRecord } from '../../engine/work/task-book.ts';
import { earliestMs, isSettled, type WatchedTask } from '../../engine/work/watched-task.ts';
import { workStreamOf } from '../../engine/work/work-queue.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { type CliHost, type Command, type CommandInput, type ExitCode, exitCodes } from './command.ts';
import { contextNeed } from './example-needs.ts';
import { readId } from './id-input.ts';
import { withIdentityBus } from './identity-bus.ts';
import { readSeconds, readSeq } from './number-input.ts';
import { createOutageTalk } from './outage-talk.ts';
import { type TaskWatch, type TaskWatchDeps, watchTask } from './task-watch.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';

/** Looks so often although nothing was told, ms: what is told live can be missed. */
const lookEveryMs = 2_000;

function readTask(id: string, option: CommandInput['option']): WatchedTask {
  const [leaf, queue, seq] = [option('leaf'), option('queue'), option('seq')];
  if (seq !== undefined && (leaf === undefined || queue === undefined)) {
    throw new VakError('invalid-input', '--seq: says something only beside --leaf and --queue; give all three');
  }
  if (leaf !== undefined && !/^[0-9a-f]{64}$/.test(leaf)) {
    throw new VakError('invalid-input', `--leaf: found ${leaf.length} characters, allowed: 64 lower hex digits`);
  }
  return {
    id: readId(id, 'vak task submit'),
    leaf,
    queue: queue === undefined ? undefined : checkToken(queue, '--queue'),
    seq: seq === undefined ? undefined : readSeq(seq, '--seq'),
  };
}

const attemptsOf = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);

function print(record: TaskRecord, { output }: CliHost): ExitCode {
  const { taskId: id, leaf, queue, state, receipts, deadLetter, place } = record;
  const named = { id, leaf, queue, state };
  const receipt = receipts
    .filter(({ outcome }) => outcome === 'done')
    .sort((a, b) => a.storedMs - b.storedMs || a.seq - b.seq)[0];
  if (receipt !== undefined) {
    const { seq: _, storedMs: __, ...said } = receipt;
    const { workerId, attempt, exitCode, reason } = said;
    const how = reason ?? (exitCode === undefined ? '' : `exit code ${exitCode}`);
    const text = `${state}  ${queue}  attempt ${attempt} by ${workerId}  ${visibleText(how)}`.trimEnd();
    output.data({ ...named, receipt: said }, text);
    return exitCodes.done;
  }
  if (deadLetter !== undefined) {
    const { seq: _, storedMs: __, by: ___, ...said } = deadLetter;
    const by = said.workerId === null ? '' : ` by ${said.workerId}`;
    const text = `${state}  ${queue}  after ${attemptsOf(said.attempts)}${by}  ${said.errorClass}: ${visibleText(said.reason)}`;
    output.data({ ...named, deadLetter: said }, text);
    return exitCodes.no;
  }
  const lost =
    place === undefined
      ? 'it stands in its queue no more, and nobody signed how it ended; whether an operator purged it cannot be told without --seq'
      : 'it left its queue, and nobody signed what became of it';
  const why = state === 'purged' ? 'an operator took it out of its queue' : lost;
  output.data(named, `${state}  ${queue}  ${why}`);
  return exitCodes.no;
}

const isOver = ({ state }: TaskRecord): boolean => isSettled(state);

function ranOut({ state, receipts }: TaskRecord, seconds: string): VakError {
  const failed = receipts.length === 0 ? 'nobody has finished an attempt' : `${attemptsOf(receipts.length)} failed`;
  return new VakError('timeout', `task wait: after ${seconds} s it is ${state}, ${failed}; wait again`, {
    retryable: true,
  });
}

interface Waiting {
  readonly watch: TaskWatch;
  readonly workspace: string;
  /** As it was typed; undefined: for ever. */
  readonly seconds: string | undefined;
}

/** Something that may have come: a record of the task, the next look, the end of the time, a signal, the end of the connection. */
function createHints(fabric: Fabric, { watch, workspace, seconds }: Waiting, host: CliHost) {
  const { clock, signal } = host;
  const held = createDisposer();
  let change = createDeferred<void>();
  let isOut = false;
  let closed: VakError | undefined;
  const tell = (): void => change.resolve();
  for (const pattern of [`vak.receipts.${workspace}.>`, `vak.dlq.${workspace}.>`]) {
    const onMessage = ({ data }: { readonly data: Uint8Array }): void => {
      if (watch.isAbout(data)) tell();
    };
    held.add(fabric.bus.subscribe(pattern, { kind: 'inline', onMessage }));
  }
  held.add(clock.setTicker(lookEveryMs, tell));
  if (seconds !== undefined) {
    held.add(
      clock.setTimer(readSeconds(seconds, '--timeout'), () => {
        isOut = true;
        tell();
      }),
    );
  }
  held.add(
    fabric.onStatus(
      createOutageTalk(host, {
        lost: 'vak: the connection is lost; it is sought until it is back',
        back: (after) => `vak: the connection is back after ${after}`,
        onClosed(error) {
          closed = error;
          tell();
        },
      }),
    ),
  );
  signal.addEventListener('abort', tell);
  held.defer(() => signal.removeEventListener('abort', tell));
  return {
    isOut: () => isOut,
    closed: () => closed,
    async next(): Promise<void> {
      await change.promise;
      change = createDeferred();
    },
    dispose: () => held.dispose(),
  };
}

/** Looks once more; during an outage nothing is known anew. Throws what is no outage. */
async function lookAgain({ watch }: Waiting, before: TaskRecord): Promise<TaskRecord> {
  try {
    return (await watch.look()) ?? before;
  } catch (error) {
    if (isVakError(error, 'disconnected') || isVakError(error, 'timeout')) return before;
    throw error;
  }
}

async function waitFor(first: TaskRecord, { fabric, waiting }: { fabric: Fabric; waiting: Waiting }, host: CliHost) {
  const hints = createHints(fabric, waiting, host);
  try {
    let record = await lookAgain(waiting, first);
    while (!isOver(record)) {
      if (hints.isOut()) throw ranOut(record, waiting.seconds ?? '');
      await hints.next();
      if (host.signal.aborted) throw new VakError('aborted', 'task wait: interrupted; the task goes on');
      const closed = hints.closed();
      if (closed !== undefined) throw closed;
      record = await lookAgain(waiting, record);
    }
    return record;
  } finally {
    hints.dispose();
  }
}

/** Throws why a place that was typed cannot be the task's: the server has not come so far, or another task stands there. */
async function checkPlace({ leaf, seq }: WatchedTask, { workspace, durable, reader }: TaskWatchDeps): Promise<void> {
  if (seq === undefined) return;
  const stream = durable.stream(workStreamOf(workspace));
  const [{ lastSeq }, message] = await Promise.all([stream.state(), stream.get(seq)]);
  if (lastSeq < seq) {
    const text = `--seq: the stream of tasks ends at place ${lastSeq} here; check it, the workspace and the server`;
    throw new VakError('not-found', text);
  }
  if (message === undefined || taskLeafOf(message, reader.read(message.data)) === leaf) return;
  throw new VakError('conflict', `--seq: another task stands at place ${seq}; give it as vak task submit printed it`);
}

/** What cannot be told apart: a task that never was, and one that went without a trace. */
function unknownTask({ leaf, queue }: WatchedTask, workspace: string): VakError {
  const known = 'it stands in no queue, and no receipt or dead letter that counts names it';
  const isNamed = leaf !== undefined && queue !== undefined;
  const how = isNamed
    ? 'give --seq too, as vak task submit printed it, to tell them apart'
    : 'with --leaf, --queue and --seq, as vak task submit printed them, it can be told';
  const message = `task wait: workspace ${workspace} knows of no such task here: ${known}. Either it was never stored here: check ID and the server; or it was stored, and left its queue without a trace, lost or purged by an operator: ${how}`;
  return new VakError('not-found', message);
}

/** Whether what was read is enough: a task that is spoken of and was not seen may be older than its id says. */
const isFound = (record: TaskRecord): boolean => record.place !== undefined || isOver(record);

/** The task and who watches it, if anything is known of it; what is older than its id says is read only if it is missed. */
async function find(task: WatchedTask, deps: TaskWatchDeps): Promise<{ watch: TaskWatch; record: TaskRecord }> {
  await checkPlace(task, deps);
  const sinceMs = earliestMs(task.id, deps.clock.now());
  for (const fromMs of sinceMs === 0 ? [0] : [sinceMs, 0]) {
    const watch = watchTask(task, fromMs, deps);
    const record = await watch.look();
    if (record !== undefined && (isFound(record) || fromMs === 0)) return { watch, record };
  }
  throw unknownTask(task, deps.workspace);
}

export const taskWaitCommand: Command = {
  words: ['task', 'wait'],
  changes: 'nothing',
  args: ['ID'],
  options: {
    timeout: { value: 'S', help: 'waits so many seconds at most (default: until a signal)' },
    leaf: { value: 'HEX', help: 'leaf of the task, as vak task submit printed it' },
    queue: { value: 'Q', help: 'queue of the task' },
    seq: { value: 'N', help: 'place of the task in its stream; with --leaf and --queue' },
  },
  summary: 'Waits until a task has ended, and prints its receipt or its dead letter.',
  notes: `Prints {id, leaf, queue, state, receipt} or {id, leaf, queue, state, deadLetter}, also of a task that has ended before. Exit code 0 if
it is done (state done, or finished-late: after its dead letter); 1 if it is dead, purged (an operator took it out of its queue) or lost,
which is gone without any of that, and if nothing is known of it; 3 if --timeout is over before; 4 after a signal. Only what counts is
looked at: signed by a worker of that queue, or by who may end its tasks. Of a task that has left its queue its records alone say which
leaf and queue it had, and a worker of any queue can sign some: with --leaf and --queue, as vak task submit printed them, only workers of
that queue are believed. A task that left its queue without a trace (an acknowledgement proves nothing) cannot be told from one that never
was, unless --seq is given too: then it is lost, or purged.`,
  needs: `a worker of the queue builds; ${contextNeed}`,
  example: `vak task wait "$(vak task submit --queue builds --context prod -- true | jq -r .id)" --timeout 60 --context prod --json`,
  async run({ args: [id = ''], common, option }, host) {
    const { workspace } = common;
    const task = readTask(id, option);
    const seconds = option('timeout');
    if (seconds !== undefined) readSeconds(seconds, '--timeout');
    return await withIdentityBus({ common }, host, async (bus) => {
      // It may wait for days, and the key store holds what signatures are checked by.
      bus.profile.keyStore.setIdleLockMinutes(0);
      const { fabric } = bus;
      const trust = createWorkspaceTrust({ ...bus, workspace }, host);
      try {
        const told = new Set<string>();
        const onRefused = (why: string): void => {
          if (!told.has(why)) host.output.talk(`vak: a record of it does not count: ${why}`);
          told.add(why);
        };
        const { judge, reader } = trust;
        const deps = { workspace, durable: fabric.durable, judge, reader, clock: host.clock, onRefused };
        const { watch, record } = await find(task, deps);
        if (!isOver(record)) host.output.talk(`vak: it is ${record.state}; waiting until it has ended`);
        const waiting = { watch, workspace, seconds };
        return print(isOver(record) ? record : await waitFor(record, { fabric, waiting }, host), host);
      } finally {
        trust.dispose();
      }
    });
  },
};
