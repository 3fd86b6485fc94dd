/** A connection as a program has it, over a peer that is connected. */
import type { BusStatus } from '../../engine/bus/bus-status.ts';
import { createEnvelopeAuthor } from '../../engine/envelope/envelope-author.ts';
import { openFileHeadStore } from '../../engine/envelope/file-head-store.ts';
import { createListenerSet } from '../../engine/listener-set.ts';
import { createSessionId } from '../../engine/ports/randomness.ts';
import { createEnvelopeOutlet } from '../../engine/work/envelope-outlet.ts';
import { createSessionPublisher } from '../../engine/work/session-publisher.ts';
import { createTaskDesk } from '../../engine/work/task-desk.ts';
import { workStreamOf } from '../../engine/work/work-queue.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { CliHost } from '../cli/command.ts';
import type { EventLog } from '../event-log.ts';
import type { RunningPeer } from '../work-peer.ts';
import { createApprovalDesk } from './approval-desk.ts';
import { asCall, type ConnectionLife } from './calls.ts';
import type { Subscription, Vak, VakStatus } from './library-api.ts';
import { openSubscription } from './live-messages.ts';
import { createPublishing } from './publishing.ts';
import type { AsyncClosable, CloseOptions, QueueWorker } from './queue-api.ts';
import { createQueueHandle } from './queue-handle.ts';

export interface VakDeps {
  readonly peer: RunningPeer;
  readonly host: CliHost;
  readonly log: EventLog;
  readonly life: ConnectionLife;
  /** Ends the connection: what {@link Vak.close} does. */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

export interface VakConnection {
  readonly vak: Vak;
  /** Workers claim no more; what they run may finish within the time, and may still call. */
  drain(finishWithinMs: number): Promise<void>;
  /** Everything that is open ends. */
  end(): Promise<void>;
  /** The connection has ended for good: the status that stays. */
  settle(error: VakError | undefined): void;
}

function toStatus(status: BusStatus): VakStatus {
  const { kind, sinceMs } = status;
  if (kind === 'connected') return { kind, sinceMs, server: status.server };
  if (kind === 'reconnecting' || kind === 'closed') {
    return { kind, sinceMs, error: status.error === null ? undefined : VakError.fromShape(status.error) };
  }
  return { kind, sinceMs };
}

/** The session of what no stream keeps. */
async function openLiveSession(
  { workspace, peer, signer, sealer, open, permit, publisher }: RunningPeer,
  host: CliHost,
) {
  const { clock, randomness, output } = host;
  const session = createSessionId(peer, randomness);
  // A long name is cut off in its sessions, so that nobody knows them by it.
  for (const own of [session, publisher.session('q'), publisher.session('d')]) permit.addSession(own);
  const heads = await openFileHeadStore({
    ...{ path: open.profile.files.heads, clock, randomness },
    report: (error) => output.talk(error.message),
  });
  const author = createEnvelopeAuthor({
    ...{ workspace, peer, session, kind: 'e', signer, sealer, clock, randomness, heads },
  });
  return { session, author, close: () => heads.close() };
}

function createStatus({ peer, host }: VakDeps) {
  const { fabric } = peer;
  const listeners = createListenerSet<VakStatus>(host.logger, 'status.listener-threw');
  let final: VakStatus | undefined;
  const following = fabric.onStatus((status) => {
    // The last one is told when all has ended.
    if (final === undefined && status.kind !== 'closed') listeners.tell(toStatus(status));
  });
  return {
    now: (): VakStatus => final ?? toStatus(fabric.status()),
    onChange: listeners.add,
    settle(error: VakError | undefined): void {
      following.dispose();
      final = { kind: 'closed', sinceMs: host.clock.now(), error };
      listeners.tell(final);
      listeners.clear();
    },
  };
}

/** What is open, to be closed with the connection. */
function createOpened() {
  const workers = new Set<QueueWorker>();
  const subscriptions = new Set<AsyncClosable>();
  const closeWorkers = async (finishWithinMs: number): Promise<void> => {
    await Promise.all([...workers].map((one) => one.close({ finishWithinMs })));
  };
  return {
    workers,
    subscriptions,
    closeWorkers,
    async close(): Promise<void> {
      for (const one of subscriptions) await one.close();
      // Those that began while the others were draining.
      await closeWorkers(0);
    },
  };
}

/** Opens what a connection of a program needs besides its peer. */
export async function openVakConnection(deps: VakDeps): Promise<VakConnection> {
  const { peer, host, log, life, close } = deps;
  const { workspace, bus, permit, knowledge, judge, reader, durable } = peer;
  const { clock, logger, randomness } = host;
  const held = createDisposer();
  const live = await openLiveSession(peer, host);
  const status = createStatus(deps);
  const opened = createOpened();
  const outlet = createEnvelopeOutlet({
    ...{ bus, author: live.author, logger },
    onFailure: (reason) => log('silenced', { reason }),
  });
  const session = createSessionPublisher({ outlet, randomness, workspace, session: live.session });
  const publish = createPublishing({ peer, live, ports: host });
  const desk = held.add(
    createTaskDesk({
      ...{ workspace, durable, bus, judge, reader, clock, knowledge },
      mayReadTasks: permit.askStorage('read', `stream.${workStreamOf(workspace)}`).allowed || mayReadTasks(peer),
      onRefused: ({ kind, message: { stream, seq }, why }) => log('refused', { kind, stream, seq, why }),
    }),
  );

  async function subscribe(...[pattern, handler, options = {}]: Parameters<Vak['subscribe']>): Promise<Subscription> {
    return await asCall(life, { what: 'subscribe' }, async () => {
      const subscription = await openSubscription(peer, { pattern, handler, options }, host);
      opened.subscriptions.add(subscription);
      return subscription;
    });
  }

  const queueDeps = {
    ...{ peer, ports: host, log, session, life, publish, desk },
    onWorker: (worker: QueueWorker) => void opened.workers.add(worker),
  };
  const vak: Vak = {
    workspace,
    peer: peer.peer,
    get status() {
      return status.now();
    },
    onStatus(listener) {
      const listening = status.onChange(listener);
      return () => listening.dispose();
    },
    publish: async (subject, value, { signal, ...options } = {}) =>
      await asCall(life, { what: `publish ${visibleText(String(subject))}`, signal }, (call) =>
        publish(subject, value, { ...options, signal: call }),
      ),
    subscribe,
    queue: (name) => createQueueHandle(name, queueDeps),
    approvals: createApprovalDesk({ peer, ports: host, log, life }),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
  return {
    vak,
    settle: status.settle,
    drain: opened.closeWorkers,
    async end() {
      await opened.close();
      held.dispose();
      await live.close();
    },
  };
}

/** Whether it may read the tasks of every queue: then it can tell which are lost. */
function mayReadTasks({ permit, workspace }: RunningPeer): boolean {
  return permit.ask('read', `vak.work.${workspace}.*.task`).allowed;
}
