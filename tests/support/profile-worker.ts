/** A worker on a server, as an identity of a profile: the engine's own parts, with a handler of the test's own. */
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createMemoryJournal } from '../../src/engine/bus/memory/memory-journal.ts';
import { createEnvelopeReader } from '../../src/engine/envelope/envelope-reader.ts';
import { createEnvelopeSealer } from '../../src/engine/envelope/envelope-sealer.ts';
import { createEnvelopeOpener } from '../../src/engine/envelope/open-envelope.ts';
import { createPinnedRoot } from '../../src/engine/envelope/pinned-root.ts';
import { createSecretRegistry } from '../../src/engine/envelope/secret-registry.ts';
import { createStoredJudge, type StoredJudge } from '../../src/engine/envelope/stored-judge.ts';
import { createProfileKnowledge } from '../../src/engine/envelope/trust-knowledge.ts';
import { createProfileSignatureCheck, createWorkspaceSecrets } from '../../src/engine/envelope/workspace-trust.ts';
import { createFileKeyStore } from '../../src/engine/identity/file-key-store.ts';
import { createNkeySigner, type NkeySigner } from '../../src/engine/identity/nkey.ts';
import { secretFromText } from '../../src/engine/identity/secret.ts';
import { openWorkspaceRecords } from '../../src/engine/identity/workspace-records.ts';
import { type DurablePeer, openDurablePeer } from '../../src/engine/outbox/durable-peer.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createNoVault } from '../../src/engine/ports/vault.ts';
import { profileFiles } from '../../src/engine/settings/profile-files.ts';
import { type ApprovalGate, createApprovalGate } from '../../src/engine/work/approval-gate.ts';
import { createDeadLetterOffice } from '../../src/engine/work/dead-letter-office.ts';
import { type AttemptResult, createTaskRunner, type TaskHandler } from '../../src/engine/work/task-attempt.ts';
import { createTaskIntake } from '../../src/engine/work/task-intake.ts';
import { openQueue } from '../../src/engine/work/work-queue.ts';
import { startWorkerLoop } from '../../src/engine/work/worker-loop.ts';
import { createDisposer } from '../../src/shared/base/disposer.ts';
import { type StreamSpec, streamsOf } from '../../src/shared/protocol/stream-table.ts';
import { connectForTest } from './vak-bus.ts';
import { passphrase } from './vak-program.ts';

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
const workspace = 'default';
const outputHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const doneResult = { kind: 'done', exitCode: 0, outputHash } as const satisfies AttemptResult;
export const failedResult = {
  ...{ kind: 'failed', exitCode: 7, reason: 'exit code 7', errorClass: 'exit.7', isFinal: true, outputHash },
} as const satisfies AttemptResult;

export interface ProfilePeer {
  readonly fabric: Fabric;
  readonly peer: DurablePeer;
  readonly judge: StoredJudge;
  readonly signer: NkeySigner;
  readonly approvals: ApprovalGate;
  /** Works on a queue until the peer is closed. */
  work(queue: string, handler: TaskHandler): Promise<void>;
  close(): Promise<void>;
}

/** Opens an identity of the profile that is there, with its own connection. */
export async function openProfilePeer(
  profile: string,
  name: string,
  server: string | (() => Promise<Fabric>),
): Promise<ProfilePeer> {
  const held = createDisposer();
  const files = profileFiles(profile);
  const keyStore = held.add(
    createFileKeyStore({ ...ports, file: files.keyStore, vault: createNoVault(), idleLockMinutes: 0 }),
  );
  await keyStore.unlock({ passphrase: secretFromText(passphrase) });
  const identity = keyStore.read().identities.find(({ peer }) => peer === name);
  if (identity === undefined) throw new Error(`the profile has no identity ${name}`);
  const records = held.add(await openWorkspaceRecords({ ...ports, files, workspace, report: () => {} }));
  const source = held.add(createWorkspaceSecrets({ keyStore, workspace, environmentSecret: () => undefined }));
  const root = held.add(createPinnedRoot(keyStore, workspace));
  const registry = createSecretRegistry({ source, clock: ports.clock });
  const reader = createEnvelopeReader();
  const judge = createStoredJudge({
    ...{ workspace, reader, opener: createEnvelopeOpener({ registry, workspace }) },
    policy: () => ({ acceptPlain: false, acceptUnsigned: false }),
    checkSignature: createProfileSignatureCheck(records, root).check,
    knowledge: held.add(
      createProfileKnowledge({ ...ports, keyStore, directory: records.directory, root, secrets: source }),
    ),
  });
  const fabric = await (typeof server === 'string' ? connectForTest(server) : server());
  const { durable } = fabric;
  const own = { ...ports, workspace, peer: name };
  const signer = held.add(createNkeySigner(identity.signSeed));
  const peer = await openDurablePeer({
    ...{ ...own, signer },
    sealer: createEnvelopeSealer({ ...own, registry }),
    ...{ journal: createMemoryJournal(), status: fabric, durable: () => durable },
  });
  const loops: { close(limits: { readonly finishWithinMs: number; readonly leaveWithinMs: number }): Promise<void> }[] =
    [];

  async function work(queue: string, handler: TaskHandler): Promise<void> {
    const spec = streamsOf(workspace).find(({ name: stream }) => stream === `VAK_WORK_${workspace}`) as StreamSpec;
    const handled = await peer.handled(spec);
    const office = createDeadLetterOffice({ ...own, publisher: peer, durable: () => durable, judge });
    const { consumer, spec: queueSpec } = await openQueue(durable, { workspace, queue });
    const { maxDeliver } = queueSpec;
    const intake = createTaskIntake({ ...own, judge, reader, handled, office, maxDeliver });
    const runner = createTaskRunner({
      ...{ ...own, queue, intake, reader, handled, publisher: peer, office, handler, maxDeliver, onEvent: () => {} },
    });
    const ensure = async () => (await openQueue(durable, { workspace, queue })).consumer;
    loops.push(startWorkerLoop({ ...ports, ensure, consumer, runner, concurrency: 4, onTrouble: () => {} }));
  }

  return {
    ...{ fabric, peer, judge, signer, work },
    approvals: createApprovalGate({
      ...{
        ...own,
        publisher: peer,
        durable,
        bus: fabric.bus,
        judge,
        onRefused: () => {},
        engineMs: async () => undefined,
      },
    }),
    async close() {
      for (const loop of loops) await loop.close({ finishWithinMs: 0, leaveWithinMs: 500 });
      await peer.close(5_000);
      await fabric.close();
      held.dispose();
    },
  };
}
