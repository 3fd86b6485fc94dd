/** A workspace with a queue on a real engine, workers that are real peers, and what became of its tasks. */
import type { Consumer, Delivery, DurablePlane } from '../../src/engine/bus/durable.ts';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { createMemoryJournal } from '../../src/engine/bus/memory/memory-journal.ts';
import { type DurablePeer, openDurablePeer } from '../../src/engine/outbox/durable-peer.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createDeadLetterOffice } from '../../src/engine/work/dead-letter-office.ts';
import { type DlqSupervisor, type SupervisorEvent, startDlqSupervisor } from '../../src/engine/work/dlq-supervisor.ts';
import { judgeReceipt, type ReceiptVerdict } from '../../src/engine/work/receipts.ts';
import { createTaskRunner, type TaskHandler, type WorkEvent } from '../../src/engine/work/task-attempt.ts';
import { createTaskBook, type TaskBook } from '../../src/engine/work/task-book.ts';
import { createTaskIntake } from '../../src/engine/work/task-intake.ts';
import { createWorkFollower, type WorkFollower } from '../../src/engine/work/work-follower.ts';
import { openQueue, queueConsumer } from '../../src/engine/work/work-queue.ts';
import { startWorkerLoop, type WorkerLoop } from '../../src/engine/work/worker-loop.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import type { PayloadOf } from '../../src/shared/protocol/payloads.ts';
import { decodePayload } from '../../src/shared/protocol/payloads.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';
import { type StreamSpec, streamsOf } from '../../src/shared/protocol/stream-table.ts';
import { startTrace } from '../../src/shared/protocol/trace-context.ts';
import { type Life, mortal } from './mortal.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';
import { createTrustedWorkspace, type TrustedWorkspace, trustedWorkspace } from './trusted-workspace.ts';
import { connectForTest } from './vak-bus.ts';

export const workEngines = ['embedded', 'nats-server'] as const;

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
const workspaceName = trustedWorkspace;
const queue = 'q';

export interface FixtureWorker {
  readonly name: string;
  readonly loop: WorkerLoop;
  readonly events: WorkEvent[];
  readonly peer: DurablePeer;
  /** Ends it as kill −9 does: what it has claimed is not given back, what it was about to say is not said. */
  kill(): void;
  close(finishWithinMs?: number): Promise<void>;
}

export interface WorkerOptions {
  readonly handler: TaskHandler;
  readonly concurrency?: number;
  /** Delays of what comes again are divided by it. */
  readonly hurry?: number;
  /** What the worker has instead of the durable plane. */
  readonly through?: (durable: DurablePlane) => DurablePlane;
}

export interface FixtureSupervisor {
  readonly supervisor: DlqSupervisor;
  readonly events: SupervisorEvent[];
  close(): Promise<void>;
}

export interface WorkPlace {
  readonly ports: typeof ports;
  readonly fabric: Fabric;
  readonly workspace: TrustedWorkspace;
  readonly consumer: Consumer;
  /** Puts a task in the queue, as the coordinator; gives its id. */
  submit(task: object): Promise<string>;
  startWorker(name: string, options: WorkerOptions): Promise<FixtureWorker>;
  /** A supervisor over the plane, the real one unless told. */
  startSupervisor(name: string, plane?: DurablePlane): Promise<FixtureSupervisor>;
  /** What somebody who comes now reads of the tasks. */
  book(): Promise<TaskBook>;
  /** Somebody who follows what a plane shows. */
  follow(plane: DurablePlane): { readonly book: TaskBook; readonly follower: WorkFollower };
  /** What somebody knows who follows from the beginning; `refresh` reads on. */
  readonly lasting: TaskBook;
  refresh(): Promise<void>;
  receipts(): Promise<readonly ReceiptVerdict[]>;
  deadLetters(): Promise<readonly PayloadOf<'vak.dlq.failed'>[]>;
  /** Tasks that are still in the queue. */
  leftCount(): Promise<number>;
  close(): Promise<void>;
}

/** A consumer whose deliveries come again sooner than they are told to. */
function hurried(consumer: Consumer, by: number): Consumer {
  const quick = (delivery: Delivery): Delivery => ({
    ...delivery,
    nak: (delayMs = 0) => delivery.nak(Math.round(delayMs / by)),
  });
  return { ...consumer, pull: async (options) => (await consumer.pull(options)).map(quick) };
}

/** Opens the workspace on an engine, with its streams and one queue. */
export async function openWorkPlace(
  engine: (typeof workEngines)[number],
  { ackWaitMs }: { readonly ackWaitMs?: number } = {},
): Promise<WorkPlace> {
  const server: NatsServer | undefined = engine === 'embedded' ? undefined : await startNatsServer();
  const memory = { ...ports, folder: undefined, durability: 'written' } as const;
  const fabric = server === undefined ? await createEmbeddedFabric(memory) : await connectForTest(server.url);
  const { durable } = fabric;
  for (const spec of streamsOf(workspaceName)) await durable.ensureStream(spec);
  const workStream = streamsOf(workspaceName).find(({ name }) => name === `VAK_WORK_${workspaceName}`) as StreamSpec;
  const workspace = createTrustedWorkspace();
  const { judge, reader } = workspace;
  const wanted = queueConsumer({ workspace: workspaceName, queue });
  if (ackWaitMs !== undefined) await durable.stream(workStream.name).ensureConsumer({ ...wanted, ackWaitMs });
  const { consumer, spec } = await openQueue(durable, { workspace: workspaceName, queue });
  const workers: FixtureWorker[] = [];
  const supervisors: FixtureSupervisor[] = [];

  async function openPeer(name: string, role: Role, plane = durable): Promise<DurablePeer> {
    const { signer, sealer } = workspace.peer(name, { roles: [role] });
    return await openDurablePeer({
      ...{ ...ports, workspace: workspaceName, peer: name, signer, sealer },
      ...{ journal: createMemoryJournal(), status: fabric, durable: () => plane },
    });
  }

  async function startWorker(name: string, options: WorkerOptions): Promise<FixtureWorker> {
    const { handler, concurrency = 1, hurry = 1, through = (plane) => plane } = options;
    const life: Life = { isOver: false };
    const plane = mortal(through(durable), life);
    const peer = await openPeer(name, 'worker', plane);
    const events: WorkEvent[] = [];
    const handled = await peer.handled(workStream);
    const own = { ...ports, workspace: workspaceName, peer: name };
    const office = createDeadLetterOffice({ ...own, publisher: peer, durable: () => plane, judge });
    const { maxDeliver } = spec;
    const intake = createTaskIntake({ ...own, judge, reader, handled, office, maxDeliver });
    const runner = createTaskRunner({
      ...{ ...own, queue, intake, reader, handled, publisher: peer, office, handler, maxDeliver },
      onEvent: (event) => events.push(event),
    });
    const ensure = async () => hurried((await openQueue(plane, { workspace: workspaceName, queue })).consumer, hurry);
    const loop = startWorkerLoop({
      ...{ ...ports, ensure, runner, concurrency, consumer: await ensure() },
      onTrouble: () => {},
    });
    const worker: FixtureWorker = {
      ...{ name, loop, events, peer },
      kill() {
        life.isOver = true;
      },
      async close(finishWithinMs = 0) {
        if (life.isOver) return;
        await loop.close({ finishWithinMs, leaveWithinMs: 500 });
        await peer.close(5_000);
      },
    };
    workers.push(worker);
    return worker;
  }

  function follow(plane: DurablePlane) {
    const book = createTaskBook({ capacity: 10_000, onChange: () => {} });
    const follower = createWorkFollower({
      ...{ ...ports, workspace: workspaceName, durable: plane, judge, reader, book, sinceMs: 0, onRefused: () => {} },
    });
    return { book, follower };
  }

  async function startSupervisor(name: string, plane = durable): Promise<FixtureSupervisor> {
    const peer = await openPeer(name, 'dlq-supervisor');
    const events: SupervisorEvent[] = [];
    const own = { ...ports, workspace: workspaceName, peer: name };
    const office = createDeadLetterOffice({ ...own, publisher: peer, durable: () => plane, judge });
    const supervisor = await startDlqSupervisor({
      ...{ ...own, ...follow(plane), durable: plane, reader, office },
      onEvent: (event) => events.push(event),
      onTrouble: () => {},
    });
    let isClosed = false;
    const one: FixtureSupervisor = {
      ...{ supervisor, events },
      async close() {
        if (isClosed) return;
        isClosed = true;
        await supervisor.close();
        await peer.close(0);
      },
    };
    supervisors.push(one);
    return one;
  }

  const lasting = follow(durable);
  const coordinator = await openPeer('carla', 'coordinator');
  const read = async (stream: string) => (await durable.stream(stream).read({ limit: 1_000 })).messages;

  return {
    ...{ ports, fabric, workspace, consumer, startWorker, startSupervisor, follow },
    async submit(task) {
      const draft = { subject: `vak.work.${workspaceName}.${queue}.task`, payload: utf8(JSON.stringify(task)) };
      const { envelope, stored } = await coordinator.publish({ ...draft, trace: startTrace(ports.randomness.bytes) });
      await stored;
      return envelope.id;
    },
    lasting: lasting.book,
    refresh: () => lasting.follower.refresh(),
    async book() {
      const { book, follower } = follow(durable);
      await follower.refresh();
      return book;
    },
    receipts: async () => (await read(`VAK_RECEIPTS_${workspaceName}`)).map((message) => judgeReceipt(message, judge)),
    async deadLetters() {
      return (await read(`VAK_DLQ_${workspaceName}`)).flatMap((message) => {
        const verdict = judge(message);
        return verdict.kind === 'accepted' ? [decodePayload('vak.dlq.failed', verdict.payload)] : [];
      });
    },
    leftCount: async () => (await durable.stream(workStream.name).state()).messageCount,
    async close() {
      for (const one of [...workers, ...supervisors]) await one.close();
      await coordinator.close(0);
      await fabric.close();
      await server?.stop();
    },
  };
}
