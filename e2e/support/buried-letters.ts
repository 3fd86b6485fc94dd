/**
 * Dead letters by the thousand in a profile that no app has open: sealed, signed and stored by the product's own code, as workers leave them.
 * Law: they are real: the tasks in them run when they are retried, and whoever wrote them holds a grant of the profile's root.
 */
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { provision } from '../../src/engine/bus/provision.ts';
import { createEnvelopeAuthor } from '../../src/engine/envelope/envelope-author.ts';
import { createEnvelopeReader } from '../../src/engine/envelope/envelope-reader.ts';
import { createEnvelopeSealer } from '../../src/engine/envelope/envelope-sealer.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import { createSecretRegistry } from '../../src/engine/envelope/secret-registry.ts';
import { takeCredentials } from '../../src/engine/identity/own-credentials.ts';
import { settleOwnRecords } from '../../src/engine/identity/own-records.ts';
import { createCredentialIssuer, type PeerWanted } from '../../src/engine/identity/peer-credentials.ts';
import { openProfile, type Profile } from '../../src/engine/identity/profile.ts';
import { secretFromText } from '../../src/engine/identity/secret.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createNoVault } from '../../src/engine/ports/vault.ts';
import { writeDeadLetter } from '../../src/engine/work/dead-letter.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import type { ChainKind } from '../../src/shared/protocol/chain-kind.ts';
import { startTrace } from '../../src/shared/protocol/trace-context.ts';
import { passphrase } from './set-up-profile.ts';

/** Letters of one cause. */
export interface BuriedCause {
  readonly count: number;
  readonly queue: string;
  readonly errorClass: string;
  readonly reason: (at: number) => string;
  readonly stack?: string;
  /** What their tasks run. */
  readonly command: readonly string[];
}

const workspace = 'default';
const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };

/** A peer of the profile that writes envelopes, and stores nothing by itself. */
async function createWriter(profile: Profile, wanted: PeerWanted, kind: ChainKind) {
  const { peer } = wanted;
  const issue = createCredentialIssuer({ ...ports, keyStore: profile.keyStore, records: profile.records });
  const own = takeCredentials(await issue(wanted), { workspace, peer });
  const registry = createSecretRegistry({ source: own.secrets, clock: ports.clock });
  const author = createEnvelopeAuthor({
    ...{ ...ports, workspace, peer, session: `${peer}-1-${kind}`, kind, signer: own.signer },
    sealer: createEnvelopeSealer({ ...ports, registry, peer }),
    heads: createMemoryHeadStore(),
  });
  return (subject: string, payload: Uint8Array): Uint8Array => {
    let data = new Uint8Array();
    author.publish({ subject, payload, trace: startTrace(ports.randomness.bytes) }, (bytes) => {
      data = Uint8Array.from(bytes);
    });
    return data;
  };
}

async function buryIn(profile: Profile, causes: readonly BuriedCause[]): Promise<void> {
  await profile.keyStore.unlock({ passphrase: secretFromText(passphrase) });
  await settleOwnRecords(profile.keyStore, { workspace, clock: ports.clock }, profile.records);
  const queues = [...new Set(causes.map(({ queue }) => queue))];
  const task = await createWriter(profile, { peer: 'carla', roles: ['coordinator'], queues: [] }, 'q');
  const letter = await createWriter(profile, { peer: 'wanda', roles: ['worker'], queues }, 'd');
  const reader = createEnvelopeReader();
  const fabric = await createEmbeddedFabric({ ...ports, folder: profile.files.engine, durability: 'written' });
  try {
    await provision(fabric.durable, workspace);
    for (const { count, queue, errorClass, reason, stack, command } of causes) {
      const subject = `vak.work.${workspace}.${queue}.task`;
      const payload = utf8(JSON.stringify({ command, maxRetries: 0 }));
      for (let at = 0; at < count; at++) {
        const data = task(subject, payload);
        const storedMs = ports.clock.now();
        const failedAt = new Date(storedMs).toISOString();
        const death = { errorClass, reason: reason(at), attempts: 1, history: [], failedAt, workerId: 'wanda' };
        const said = await writeDeadLetter({
          ...{ message: { stream: '', seq: 1, subject, data, storedMs, messageId: undefined } },
          ...{ reading: reader.read(data), peer: 'wanda', durable: fabric.durable },
          death: { ...death, ...(stack === undefined ? {} : { stack }) },
        });
        const own = `vak.dlq.${workspace}.wanda.failed`;
        await fabric.durable.append(own, letter(own, said));
      }
    }
  } finally {
    await fabric.close();
  }
}

/** Buries them, oldest cause first. */
export async function buryLetters(folder: string, causes: readonly BuriedCause[]): Promise<void> {
  const profile = await openProfile({ ...ports, folder, workspace, vault: createNoVault() });
  try {
    await buryIn(profile, causes);
  } finally {
    await profile.close();
  }
}
