/** A workspace with dead letters, a queue's worker, and operators' processes that retry and may die, under a clock that tests move. */
import type { DurablePlane } from '../../src/engine/bus/durable.ts';
import { createMemoryJournal } from '../../src/engine/bus/memory/memory-journal.ts';
import type { EnvelopeDraft } from '../../src/engine/envelope/envelope-author.ts';
import { openDurablePeer } from '../../src/engine/outbox/durable-peer.ts';
import type { CampaignPlace } from '../../src/engine/triage/campaign-place.ts';
import type { CampaignRecord } from '../../src/engine/triage/campaign-record.ts';
import type { CampaignStore } from '../../src/engine/triage/campaign-store.ts';
import { fingerprintOf } from '../../src/engine/triage/fingerprint.ts';
import { createLetterReading } from '../../src/engine/triage/letter-reading.ts';
import {
  createRetryCampaigns,
  type PlannedLetter,
  type RetryCampaigns,
  type RetryOptions,
  type RetryPlan,
} from '../../src/engine/triage/retry-campaigns.ts';
import { writeDeadLetter } from '../../src/engine/work/dead-letter.ts';
import { VakError } from '../../src/shared/base/vak-error.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import { decodePayload, type PayloadOf } from '../../src/shared/protocol/payloads.ts';
import { createLineLogger } from './line-logger.ts';
import { createLife, type Life, mortalJournal } from './outbox-fixture.ts';
import type { TrustedPeer } from './trusted-workspace.ts';
import { openWatchedPlace, type WatchedPlace } from './watched-place.ts';

/** How a task fails. */
export interface Failing {
  readonly errorClass: string;
  readonly reason: string;
}

export const usualFailure: Failing = { errorClass: 'Error', reason: 'connect ECONNREFUSED 10.0.0.1:5432' };

/** A task that the worker took. */
export interface Taken {
  readonly envelope: Envelope;
  readonly payload: Uint8Array;
}

export interface OperatorProcess {
  readonly campaigns: RetryCampaigns;
  readonly life: Life;
  readonly isDead: boolean;
  /** Ends it in good order. */
  close(): Promise<void>;
}

export interface ProcessOptions {
  readonly name?: string;
  readonly life?: Life;
  /** Between it and the engine. */
  readonly through?: (plane: DurablePlane) => DurablePlane;
  readonly whyNot?: (seq: number) => string | undefined;
}

export interface CampaignWorld extends Omit<WatchedPlace, 'close'> {
  /** Campaigns on disk, by id. */
  readonly disk: Map<string, string>;
  /** What the app is for each process: why there is no engine; undefined: there is. */
  readonly world: {
    away: VakError | undefined;
    destination: string;
    environment: string;
    /** Another process has the journal of one that has ended. */
    isOutboxElsewhere: boolean;
  };
  /** Every task that the worker took, in order. */
  readonly taken: Taken[];
  /** What the worker does; undefined: it takes nothing. */
  worker: ((task: Taken) => Failing | 'done' | 'hang') | undefined;
  /** A dead letter of a new task. */
  bury(task?: object, failing?: Failing, queue?: string): Promise<PlannedLetter>;
  /** Letters of tasks `run 0`, `run 1` … */
  buryMany(count: number): Promise<PlannedLetter[]>;
  /** A dead letter of bytes as they are. */
  buryBytes(data: Uint8Array, subject: string, by?: TrustedPeer): Promise<PlannedLetter>;
  operate(options?: ProcessOptions): Promise<OperatorProcess>;
  /** Moves time on, and lets the worker work. */
  run(ms: number): Promise<void>;
  runUntil(isSo: () => unknown, limitMs?: number): Promise<void>;
  /** What operators put on record of letters. */
  actions(): Promise<PayloadOf<'vak.audit.action'>[]>;
  /** Waits for something that needs time to pass. */
  during<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const ws = 'acme';

/** Opens it on an engine. */
export async function openCampaignWorld(engine: 'embedded' | 'nats-server' = 'embedded'): Promise<CampaignWorld> {
  const place = await openWatchedPlace(engine);
  const { clock, workspace, fabric } = place;
  const { judge, reader, basis, randomness } = workspace;
  const { durable } = fabric;
  const disk = new Map<string, string>();
  const holders = new Map<string, Life>();
  const journals = new Map<string, ReturnType<typeof createMemoryJournal>>();
  const processes: OperatorProcess[] = [];
  const taken: Taken[] = [];
  const handled = new Set<string>();
  const time = (): string => new Date(clock.now()).toISOString();
  const world: CampaignWorld['world'] = {
    ...{ away: undefined, destination: 'here', environment: 'embedded', isOutboxElsewhere: false },
  };
  const wilma = place.peer('wilma', 'worker');

  async function during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    await place.settle();
    while (!isOver) await place.pass(100);
    return await work;
  }

  async function buryBytes(
    data: Uint8Array,
    subject: string,
    by = wilma,
    failing = usualFailure,
  ): Promise<PlannedLetter> {
    const reading = reader.read(data);
    const message = { stream: 'VAK_WORK_acme', seq: 1, subject, data, storedMs: clock.now(), messageId: undefined };
    const { agentid } = by.write({}, '', 'vak.dlq.acme.wilma.failed').envelope;
    const death = { attempts: 4, history: [], ...failing, failedAt: time(), workerId: 'wilma' };
    const payload = await during(writeDeadLetter({ message, reading, death, peer: agentid, durable }));
    const { seq } = await place.append(
      by,
      JSON.parse(new TextDecoder().decode(payload)),
      `vak.dlq.acme.${agentid}.failed`,
    );
    const queue = subject.split('.')[3] ?? '';
    const taskLeaf = decodePayload('vak.dlq.failed', payload).taskLeaf;
    return { seq, taskLeaf, fingerprint: fingerprintOf(failing).id, queue };
  }

  function createDisk(life: Life): CampaignStore {
    const put = (record: CampaignRecord): Promise<void> => {
      const text = JSON.stringify(record);
      return life.step(async () => void disk.set(record.operationId, text));
    };
    return {
      ids: async () => [...disk.keys()],
      get: async (id) => JSON.parse(disk.get(id) ?? 'null') ?? undefined,
      ...{ add: put, save: put, isHere: async () => true },
      async hold(id, work) {
        const holder = holders.get(id);
        if (holder !== undefined && !holder.isDead) throw new VakError('already-running', 'held', { retryable: true });
        holders.set(id, life);
        try {
          return await work();
        } finally {
          if (holders.get(id) === life) holders.delete(id);
        }
      },
    };
  }

  async function operate(options: ProcessOptions = {}): Promise<OperatorProcess> {
    const { name = 'olga', life = createLife(Number.POSITIVE_INFINITY, true), through = (plane) => plane } = options;
    const { signer, sealer } = place.peer(name, 'operator');
    const journal = journals.get(name) ?? createMemoryJournal();
    journals.set(name, journal);
    const reached = through(durable);
    const plane: DurablePlane = {
      ...reached,
      append: (subject, data, more) => life.step(() => reached.append(subject, data, more)),
    };
    const logger = createLineLogger(place.log as string[], () => clock.now());
    const ports = { clock, randomness, logger };
    const kept = { ...mortalJournal(journal, life), close: async () => {} };
    const peer = await openDurablePeer({
      ...{ ...ports, workspace: ws, peer: name, signer, sealer, journal: kept },
      ...{ status: fabric, durable: () => plane },
    });
    const at: Omit<CampaignPlace, 'destination'> = {
      ...{ peer: name, durable: plane, slot: 0, publish: (draft: EnvelopeDraft) => peer.publish(draft) },
      kept: async () => ({ messageIds: new Set(peer.messageIds()), isElsewhere: world.isOutboxElsewhere }),
    };
    const campaigns = createRetryCampaigns({
      ...{ ...ports, workspace: ws, judge, reader, basis, store: createDisk(life), patienceMs: 30 * 60_000 },
      async place() {
        if (world.away !== undefined) throw world.away;
        return { ...at, destination: world.destination };
      },
      whyNot: options.whyNot ?? (() => undefined),
      environment: () => world.environment,
      onChange: () => {},
    });
    const one: OperatorProcess = {
      ...{ campaigns, life },
      get isDead() {
        return life.isDead;
      },
      async close() {
        if (life.isDead) return;
        let isOver = false;
        void campaigns
          .close()
          .then(() => peer.close(0))
          .then(() => {
            isOver = true;
          });
        // It may die of it.
        while (!isOver && !life.isDead) await place.pass(100);
      },
    };
    processes.push(one);
    return one;
  }

  const self: CampaignWorld = {
    ...{ ...place, disk, world, taken, operate, during, buryBytes },
    worker: undefined,
    async bury(task = { command: ['true'] }, failing = usualFailure, queue = 'q') {
      const subject = `vak.work.acme.${queue}.task`;
      const { data } = place.peer('carla', 'coordinator', 'q').write(task, '', subject);
      return await buryBytes(data, subject, wilma, failing);
    },
    async buryMany(count) {
      const letters: PlannedLetter[] = [];
      for (let i = 0; i < count; i++) letters.push(await self.bury({ command: ['run', `${i}`] }));
      return letters;
    },
    async run(ms) {
      for (let passed = 0; passed < ms; passed += 100) {
        await place.pass(100);
        await workOnce();
      }
    },
    async runUntil(isSo, limitMs = 120_000) {
      for (let passed = 0; !(await isSo()); passed += 100) {
        if (passed > limitMs) throw new Error('it did not come to that in time');
        await self.run(100);
      }
    },
    async actions() {
      const { messages } = await during(durable.stream('VAK_AUDIT_acme').read({ limit: 1000 }));
      return messages.flatMap((message) => {
        const verdict = judge(message);
        return verdict.kind === 'accepted' && message.subject.endsWith('.action')
          ? [decodePayload('vak.audit.action', verdict.payload)]
          : [];
      });
    },
    async close() {
      for (const one of processes) await one.close();
      await place.close();
    },
  };

  /** One task at a time, as a worker of queue q has it: a receipt or a dead letter first, then it leaves its queue. */
  async function workOnce(): Promise<void> {
    if (self.worker === undefined) return;
    const consumer = durable.stream('VAK_WORK_acme').consumer('queue-q');
    const deliveries = await during(consumer.pull({ batch: 20, waitMs: 0 }));
    for (const delivery of deliveries) {
      const verdict = judge(delivery.message);
      if (verdict.kind !== 'accepted') throw new Error(`the task is not accepted: ${JSON.stringify(verdict)}`);
      const task = { envelope: verdict.envelope, payload: verdict.payload };
      const name = `${task.envelope.source} ${task.envelope.id}`;
      // A worker remembers what it has handled (E15).
      if (handled.has(name)) {
        await during(delivery.ack());
        continue;
      }
      taken.push(task);
      const result = self.worker(task);
      if (result === 'hang') continue;
      handled.add(name);
      if (result === 'done') {
        await place.receipt(wilma, { id: verdict.envelope.id, leaf: verdict.leaf, seq: 0 });
        await during(delivery.ack());
      } else {
        await buryBytes(delivery.message.data, delivery.message.subject, wilma, result);
        await during(delivery.ack());
      }
    }
  }

  return self;
}

/** What a letter reading of the world has. */
export async function readLetters({ during, fabric, workspace }: CampaignWorld) {
  const { judge, reader } = workspace;
  const reading = createLetterReading({
    ...{ workspace: ws, durable: fabric.durable, judge, reader, capacity: 1_000, onRefused: () => {} },
  });
  await during(reading.read());
  return reading;
}

/** A plan of letters. */
export const planOf = (items: readonly PlannedLetter[]): RetryPlan => {
  return { items, environment: 'embedded', cutoffSeq: items.at(-1)?.seq ?? 0 };
};

export const usualRetry: RetryOptions = { isCanary: false, ratePerSec: 100 };

/** How often each letter's task was taken. */
export async function takenOf(world: CampaignWorld, letters: readonly PlannedLetter[]): Promise<number[]> {
  const { book } = await readLetters(world);
  const ids = letters.map(({ seq }) => book.get(seq)?.id);
  return ids.map((id) => world.taken.filter(({ envelope }) => envelope.causationid === id).length);
}
