/** The work of a workspace as the app watches it: an engine, peers that say something on it, an operator, under a clock that tests move. */
import { expect } from 'vitest';
import type { DurablePlane } from '../../src/engine/bus/durable.ts';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { provision } from '../../src/engine/bus/provision.ts';
import { readOnlyRefusal } from '../../src/engine/connections/read-only-fabric.ts';
import type { EnvelopeDraft } from '../../src/engine/envelope/envelope-author.ts';
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { createStateReader } from '../../src/engine/identity/state-values.ts';
import type { OperatorPublishing } from '../../src/engine/outbox/publish-stored.ts';
import type { FakeClock } from '../../src/engine/ports/fake-clock.ts';
import type { PeerSession } from '../../src/engine/sessions/session-directory.ts';
import { createGoneSearching } from '../../src/engine/work/approval-gone.ts';
import { createApprovalsService } from '../../src/engine/work/approvals-service.ts';
import { createApprovalsState } from '../../src/engine/work/approvals-state.ts';
import { createAskerWatch } from '../../src/engine/work/asker-watch.ts';
import type { OperatorRight } from '../../src/engine/work/operator-right.ts';
import { createPurgeProgress } from '../../src/engine/work/purge-progress.ts';
import { createQueuesService } from '../../src/engine/work/queues-service.ts';
import { queuesState } from '../../src/engine/work/queues-state.ts';
import { openQueue } from '../../src/engine/work/work-queue.ts';
import { createWorkWatch, type WorkWatch } from '../../src/engine/work/work-watch.ts';
import type { AppContract } from '../../src/shared/contract/app-contract.ts';
import type { ApprovalsState } from '../../src/shared/contract/approvals-contract.ts';
import type { Services } from '../../src/shared/contract/define-contract.ts';
import type { QueueState, QueuesState } from '../../src/shared/contract/queues-contract.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';
import { createLineLogger } from './line-logger.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';
import {
  createTrustedWorkspace,
  type TrustedPeer,
  type TrustedWorkspace,
  trustedWorkspace as ws,
} from './trusted-workspace.ts';
import { connectForTest } from './vak-bus.ts';

export interface StoredTask {
  readonly id: string;
  readonly leaf: string;
  readonly seq: number;
}

export interface WatchedPlace {
  readonly clock: FakeClock;
  readonly fabric: Fabric;
  readonly workspace: TrustedWorkspace;
  readonly watch: WorkWatch;
  readonly queues: Services<AppContract>['queues'];
  readonly approvals: Services<AppContract>['approvals'];
  /** What is heard of peers' sessions, one a peer. */
  readonly sessions: Map<string, PeerSession>;
  /** How the operator olga acts. */
  readonly operator: { readonly right: OperatorRight; readonly outbox: OperatorPublishing['outbox'] };
  readonly log: readonly string[];
  /** Calls of the durable plane that the watch made, by name. */
  readonly asked: Map<string, number>;
  /** What the app is: whether the keys are there, which engine is behind it; undefined: none. */
  readonly app: { isOpen: boolean; destination: string | undefined; readOnlyContext: string | undefined };
  /** Lets what is under way go on, for as long as there is no timer in it. */
  settle(): Promise<void>;
  /** Moves time on by steps of 100 ms, and lets go on what is due. */
  pass(ms: number): Promise<void>;
  /** Waits until something is so, while time passes. */
  until(isSo: () => unknown): Promise<void>;
  /** Puts bytes into the stream of a subject. */
  store(subject: string, data: Uint8Array): Promise<{ seq: number }>;
  /** Speaks on the engine as a peer of that name and role. */
  append(peer: TrustedPeer, payload: object, subject: string): Promise<{ seq: number; id: string }>;
  peer(name: string, role: Role, kind?: 'q' | 'd'): TrustedPeer;
  submit(task?: object, queue?: string): Promise<StoredTask>;
  receipt(worker: TrustedPeer, task: StoredTask, more?: object): Promise<{ seq: number }>;
  queuesState(): QueuesState;
  /** What was told of purges, one after the other. */
  readonly purgeSteps: readonly QueuesState['purges'][];
  queue(name?: string): QueueState | undefined;
  approvalsState(): ApprovalsState;
  close(): Promise<void>;
}

/** Counts what is asked of a plane. */
function counted(durable: DurablePlane, asked: Map<string, number>): DurablePlane {
  const note = (name: string): void => void asked.set(name, (asked.get(name) ?? 0) + 1);
  const through = <T extends object>(what: T, prefix: string): T =>
    new Proxy(what, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const result: unknown = value.apply(target, args);
          if (name === 'stream') return through(result as object, `${args[0]}.`);
          note(`${prefix}${String(name)}`);
          return result;
        };
      },
    });
  return through(durable, '');
}

const time = (ms: number): string => new Date(ms).toISOString();

/** Opens it on an engine, with queue `q`. */
export async function openWatchedPlace(engine: 'embedded' | 'nats-server' = 'embedded'): Promise<WatchedPlace> {
  const server: NatsServer | undefined = engine === 'embedded' ? undefined : await startNatsServer();
  const workspace = createTrustedWorkspace();
  const { clock, randomness, judge, judging, reader, opener, resolve } = workspace;
  const log: string[] = [];
  const logger = createLineLogger(log, () => clock.now());
  const fabric =
    server === undefined
      ? await createEmbeddedFabric({ clock, randomness, logger, folder: undefined, durability: 'written' })
      : await connectForTest(server.url);
  const { durable, bus } = fabric;
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.runDeferred();
    }
  };
  async function during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) await settle();
    return await work;
  }
  await during(provision(durable, ws));
  await during(openQueue(durable, { workspace: ws, queue: 'q' }));
  const asked = new Map<string, number>();
  const app: WatchedPlace['app'] = { isOpen: true, destination: 'here', readOnlyContext: undefined };
  const inUse = () => (app.destination === undefined ? undefined : { ...app, destination: app.destination });
  const stateReader = createStateReader({ workspace: ws, verifier: createRecordChecks().verifier, resolve });
  const watch = createWorkWatch({
    ...{
      workspace: ws,
      judge,
      reader,
      basis: workspace.basis,
      clock,
      logger,
      isOpen: () => app.isOpen,
      engine: inUse,
      onChange: () => {},
    },
    live: { bus, durable: counted(durable, asked), status: () => fabric.status() },
    state: stateReader,
  });
  const peers = new Map<string, TrustedPeer>();
  const keys = new Map<string, number>();

  function peer(name: string, role: Role, kind: 'q' | 'd' = 'd'): TrustedPeer {
    const key = keys.get(name) ?? 50 + keys.size;
    keys.set(name, key);
    const known = peers.get(`${name}-${kind}`) ?? workspace.peer(name, { roles: [role], kind, key });
    peers.set(`${name}-${kind}`, known);
    return known;
  }

  async function append(by: TrustedPeer, payload: object, subject: string) {
    const { data, envelope } = by.write(payload, '', subject);
    const { seq } = await during(durable.append(subject, data));
    return { seq, id: envelope.id };
  }

  async function publish(draft: EnvelopeDraft) {
    const kind = draft.subject.startsWith('vak.work.') ? 'q' : 'd';
    let bytes = new Uint8Array();
    const envelope = peer('olga', 'operator', kind).author.publish(draft, (data) => {
      bytes = Uint8Array.from(data);
    });
    return { envelope, stored: durable.append(draft.subject, bytes) };
  }

  const right: OperatorRight = {
    async run(doing, work) {
      if (app.readOnlyContext !== undefined) throw readOnlyRefusal(app.readOnlyContext, doing);
      const { signer } = peer('olga', 'operator');
      return await work({ peer: 'olga', signer, durable });
    },
  };
  const sessions = new Map<string, PeerSession>();
  const askers = createAskerWatch({
    ...{ sessions: { ofPeer: (peer) => [sessions.get(peer) ?? []].flat() }, clock },
    isConnected: () => app.destination !== undefined,
  });
  const gone = createGoneSearching({ work: watch.work, askers });
  const purgeSteps: QueuesState['purges'][] = [];
  const purges = createPurgeProgress(() => purgeSteps.push(purges.list()));
  const operator = { right, outbox: { publish, waiting: () => undefined } };
  const own = { ...operator, workspace: ws, durable, watch, clock, randomness, state: stateReader, purges };
  const queues = createQueuesService({ ...own, environment: () => 'embedded', ...judging, judge, reader, opener });
  const approvals = createApprovalsService({ ...own, gone, onChange: () => {} });
  const approvalsAt = createApprovalsState({ watch, gone });
  const state = (): QueuesState =>
    queuesState(watch, { supervisor: { kind: 'off', why: null }, purges: purges.list() });

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(Math.min(100, ms - passed));
      await settle();
    }
  }

  return {
    ...{
      clock,
      fabric,
      workspace,
      watch,
      queues,
      approvals,
      sessions,
      operator,
      log,
      asked,
      app,
      settle,
      pass,
      append,
      peer,
    },
    async until(isSo) {
      await expect
        .poll(
          async () => {
            await pass(100);
            return Boolean(isSo());
          },
          { timeout: 15_000, interval: 1 },
        )
        .toBe(true);
    },
    store: (subject, data) => during(durable.append(subject, data)),
    async submit(task = { command: ['true'] }, queue = 'q') {
      const carla = peer('carla', 'coordinator', 'q');
      const subject = `vak.work.${ws}.${queue}.task`;
      const { data, envelope } = carla.write(task, '', subject);
      const { seq } = await during(durable.append(subject, data));
      const reading = reader.read(data);
      return { id: envelope.id, leaf: reading.kind === 'envelope' ? reading.leaf : '', seq };
    },
    async receipt(worker, { id, leaf }, more = {}) {
      const { agentid } = worker.write({}, '', `vak.receipts.${ws}.${worker.session}.completed`).envelope;
      const receipt = {
        ...{ taskId: id, taskLeaf: leaf, queue: 'q', workerId: agentid, attempt: 1, outcome: 'done' },
        ...{ startedAt: time(clock.now()), endedAt: time(clock.now()), outputHash: '0'.repeat(64), ...more },
      };
      const subject = `vak.receipts.${ws}.${worker.session}.completed`;
      const { data } = worker.write(receipt, '', subject, { causationId: id });
      return await during(durable.append(subject, data));
    },
    queuesState: state,
    purgeSteps,
    queue: (name = 'q') => state().queues.find(({ queue }) => queue === name),
    approvalsState: () => approvalsAt(clock.now()),
    async close() {
      watch.dispose();
      await settle();
      await fabric.close();
      await server?.stop();
    },
  };
}
