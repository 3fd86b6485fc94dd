/**
 * The swarm's coordinator: puts a mix of tasks into its queue, in bursts, for as long as the swarm works (protocol.md W1, W9).
 * Law: it looks before it puts: never without bound, nothing while the queue is paused, and one task at a time that asks for approval.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { CoordinatorState } from '../../shared/contract/swarm-contract.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Consumer } from '../bus/durable.ts';
import { leafOf } from '../envelope/hashing.ts';
import { createPlaceFollower } from '../place-follower.ts';
import { followFlag } from '../work/follow-flag.ts';
import { createTaskEnding } from '../work/task-ending.ts';
import type { WorkPeer, WorkPorts } from '../work/work-peer.ts';
import { openQueue, taskSubject } from '../work/work-queue.ts';
import { createBurstPace } from './burst-pace.ts';
import { localApprovalMs, localQueue } from './local-queue.ts';
import { approvedTask, mixedTask } from './task-mix.ts';
import type { WorkPlace } from './work-lanes.ts';

export interface SwarmCoordinatorDeps extends WorkPorts {
  readonly workspace: string;
  /** The engine that tasks go to; undefined: none, or the swarm does not work. The same object as long as it is the same engine. */
  readonly place: () => WorkPlace | undefined;
  /** Opens its peer there; what it throws is told, and it is tried again. */
  readonly openPeer: (place: WorkPlace) => Promise<WorkPeer>;
  /** Queue workers that can claim. */
  readonly workerCount: () => number;
  readonly onChange: () => void;
}

export interface SwarmCoordinator {
  /** Call it when the place may be another one; resolves when it has moved there. */
  follow(): Promise<void>;
  state(): CoordinatorState;
  close(): Promise<void>;
}

const beatMs = 500;
/** Whether the task that was to be approved is over is looked up so often, ms. */
const lookMs = 2_000;
/** A task of an earlier start that still asks is over after its time, and a little more, ms. */
const formerApprovalMs = localApprovalMs + 60_000;
/** A task that is never heard of again holds the next one up no longer, ms. */
const forgottenMs = 4 * localApprovalMs;
/** Fewer workers than that could all be waiting for an answer. */
const fewestForApproval = 2;
/** What is not stored when it leaves waits in its outbox, ms. */
const farewellMs = 500;

type Round = Disposable & { readonly peer: WorkPeer };

/** What keeps tasks from being put, by where that was found; undefined: nothing does. */
type Tell = (where: 'look' | 'put', why: string | undefined) => void;

/** When the next task may ask for approval. */
function createAsking({ peer, clock }: { readonly peer: WorkPeer } & Pick<WorkPorts, 'clock'>) {
  const { workspace, durable, judge } = peer;
  const openedMs = clock.monotonic();
  let wasEmpty = false;
  let isOver: (() => Promise<boolean>) | undefined;
  let askedMs = 0;
  let lookedMs = 0;
  return {
    /** The queue was seen so: when nothing stands in it, nothing asks. */
    see(lag: number): void {
      if (lag === 0) wasEmpty = true;
    },
    async mayAsk(workerCount: number): Promise<boolean> {
      const nowMs = clock.monotonic();
      if (workerCount < fewestForApproval) return false;
      if (!wasEmpty && nowMs - openedMs < formerApprovalMs) return false;
      if (isOver === undefined || nowMs - askedMs > forgottenMs) return true;
      if (nowMs - lookedMs < lookMs) return false;
      lookedMs = nowMs;
      return await isOver();
    },
    asked(taskLeaf: string, sinceMs: number): void {
      askedMs = clock.monotonic();
      isOver = createTaskEnding({ workspace, durable, judge, taskLeaf, sinceMs });
    },
  };
}

const wordsOf = (error: unknown, logger: WorkPorts['logger']): string =>
  isVakError(error) ? error.message : `see the log: ${logger.bug('swarm.coordinator', error)}`;

/** Puts tasks from one peer until disposed. */
async function startRound(deps: SwarmCoordinatorDeps, peer: WorkPeer, tell: Tell): Promise<Round> {
  const { workspace, workerCount, clock, randomness, logger } = deps;
  const place = { workspace, queue: localQueue };
  const { publisher, durable } = peer;
  let consumer: Consumer | undefined = (await openQueue(durable, place)).consumer;
  const pace = createBurstPace(clock);
  const asking = createAsking({ peer, clock });
  /** Place in the mix: it begins anew, so that there is soon something to look into. */
  let index = 0;
  let isPaused = false;
  let isBusy = false;
  let isOver = false;
  const flag = await followFlag({
    ...{ peer, queue: localQueue, clock },
    onFlag: (next) => {
      isPaused = next.isPaused;
    },
    onRefused: (key, why) => logger.warn('swarm.coordinator.flag', { key, why }),
  });

  async function put(task: TaskPayload): Promise<string> {
    const draft = { subject: taskSubject(place), payload: utf8(JSON.stringify(task)) };
    const { envelope, stored } = await publisher.publish({ ...draft, trace: startTrace(randomness.bytes) });
    stored.then(
      () => tell('put', undefined),
      (error: unknown) => {
        // What waits when it closes is sent by the next one.
        if (!isVakError(error, 'closed')) tell('put', wordsOf(error, logger));
      },
    );
    return leafOf(envelope);
  }

  async function burst(count: number): Promise<void> {
    const mayAsk = count > 0 && (await asking.mayAsk(workerCount()));
    for (let at = 0; at < count && !isOver; at++) {
      // Second, so that the poison task of the first burst stands before it.
      const isAsking = mayAsk && at === Math.min(1, count - 1);
      const sinceMs = clock.now();
      const leaf = await put(isAsking ? approvedTask : mixedTask(index++));
      if (isAsking) asking.asked(leaf, sinceMs - 1_000);
    }
  }

  async function beat(): Promise<void> {
    if (isPaused) return;
    consumer ??= (await openQueue(durable, place)).consumer;
    const { pendingCount, inFlightCount } = await consumer.state();
    const waitingCount = publisher.waiting().count;
    asking.see(pendingCount + inFlightCount + waitingCount);
    await burst(pace.due({ pendingCount: pendingCount + waitingCount, inFlightCount, workerCount: workerCount() }));
    tell('look', undefined);
  }

  async function beatSafely(): Promise<void> {
    if (isBusy || isOver) return;
    isBusy = true;
    try {
      await beat();
    } catch (error) {
      consumer = undefined;
      if (!isOver) tell('look', wordsOf(error, logger));
    } finally {
      isBusy = false;
    }
  }

  const ticker = clock.setTicker(beatMs, () => void beatSafely());
  void beatSafely();
  return {
    peer,
    dispose() {
      isOver = true;
      ticker.dispose();
      flag.dispose();
    },
  };
}

/** Creates it at rest. */
export function createSwarmCoordinator(deps: SwarmCoordinatorDeps): SwarmCoordinator {
  const { place, openPeer, onChange, clock, logger } = deps;
  const problems = new Map<string, string>();

  function tell(where: string, why: string | undefined): void {
    if (problems.get(where) === why) return;
    if (why === undefined) problems.delete(where);
    else problems.set(where, why);
    if (why !== undefined) logger.warn('swarm.coordinator', { why });
    onChange();
  }

  const follower = createPlaceFollower<WorkPlace, Round>({
    wanted: place,
    async open(there) {
      const peer = await openPeer(there);
      try {
        return await startRound(deps, peer, tell);
      } catch (error) {
        await peer.close(0);
        throw error;
      }
    },
    async shut(round, { fabric }) {
      round.dispose();
      await round.peer.close(fabric.status().kind === 'connected' ? farewellMs : 0);
    },
    onChange() {
      problems.clear();
      onChange();
    },
    ...{ clock, logger, event: 'swarm.coordinator' },
  });

  return {
    follow: follower.follow,
    state() {
      const state = follower.state();
      if (state.kind === 'failed') return { kind: 'failed', why: state.error.message };
      const [why] = problems.values();
      return why === undefined ? { kind: state.kind, why: null } : { kind: 'failed', why };
    },
    close: follower.close,
  };
}
