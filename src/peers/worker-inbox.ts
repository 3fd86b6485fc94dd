/** The inbox of a worker on a bus: who may end its command from elsewhere (protocol.md §1, A2, E8, B8). */
import type { Fabric } from '../engine/bus/fabric.ts';
import { createEnvelopeReader } from '../engine/envelope/envelope-reader.ts';
import { createEnvelopeOpener } from '../engine/envelope/open-envelope.ts';
import type { SecretRegistry } from '../engine/envelope/secret-registry.ts';
import { createStoredJudge } from '../engine/envelope/stored-judge.ts';
import type { TrustKnowledge } from '../engine/envelope/trust-knowledge.ts';
import type { ProfileSignatureCheck } from '../engine/envelope/workspace-trust.ts';
import type { NkeySigner } from '../engine/identity/nkey.ts';
import { openDurablePeer } from '../engine/outbox/durable-peer.ts';
import { type OutboxFolder, openOwnOutbox } from '../engine/outbox/outbox-folder.ts';
import { type InboxMessage, openInbox } from '../engine/work/inbox.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import { streamsOf } from '../shared/protocol/stream-table.ts';
import { createCalmLines } from './calm-lines.ts';
import type { CliHost } from './cli/command.ts';

export interface WorkerInboxOptions {
  readonly fabric: Fabric;
  /** Where the peer's outbox for this server lies. */
  readonly folder: OutboxFolder;
  readonly session: string;
  readonly signer: NkeySigner;
  readonly registry: SecretRegistry;
  readonly checkSignature: ProfileSignatureCheck['check'];
  readonly knowledge: TrustKnowledge;
  readonly policy: Parameters<typeof createStoredJudge>[0]['policy'];
  /** Ends what runs. */
  readonly onCancel: (by: string) => void;
}

export interface WorkerInbox {
  close(): Promise<void>;
}

/** Roles whose word a worker obeys: anybody may write to its inbox (A2). */
const commanders: ReadonlySet<string> = new Set(['operator', 'coordinator']);

const isCommander = ({ roles }: InboxMessage): boolean => roles.some((role) => commanders.has(role));

/** A commander's word for another session of this peer is for another process; nobody else's word is worth handing on. */
function isFor(session: string, received: InboxMessage): boolean {
  const wanted = received.message['session'];
  return wanted === undefined || wanted === session || !isCommander(received);
}

function createObeying({ onCancel }: WorkerInboxOptions, host: CliHost, calmly: (line: string) => void) {
  return (received: InboxMessage): void => {
    const { envelope, message, roles, isOld } = received;
    const from = visibleText(envelope.agentid);
    if (message.kind !== 'signal' || message.signal !== 'cancel') {
      calmly(`worker: a message of ${from} in the inbox says nothing that a worker by hand does: it obeys cancel`);
    } else if (!isCommander(received)) {
      calmly(`worker: ${from} may not cancel the command, its roles are ${roles.join(', ') || 'none'}`);
    } else if (isOld && message['session'] === undefined) {
      calmly(`worker: ${from} cancelled what ran before this worker started; it is not meant for this command`);
    } else {
      host.output.talk(`worker: ${from} cancels the command`);
      onCancel(from);
    }
  };
}

/** Opens the inbox; where that cannot be, says so and gives undefined: the command runs all the same. */
export async function openWorkerInbox(options: WorkerInboxOptions, host: CliHost): Promise<WorkerInbox | undefined> {
  const { fabric, folder, signer, registry, checkSignature, knowledge, policy } = options;
  const { clock, randomness, logger, output } = host;
  const { workspace, peer } = folder;
  const calm = createCalmLines({
    clock: host.clock,
    more: (count) => host.output.talk(`worker: ${count} more messages in the inbox came to nothing`),
  });
  // Anybody may write to an inbox.
  const calmly = (line: string): void => calm.say(() => host.output.talk(line));
  const spec = streamsOf(workspace).find(({ name }) => name === `VAK_INBOX_${workspace}`);
  if (spec === undefined) throw new TypeError('there is no inbox in the table of streams');
  const { journal } = await openOwnOutbox(folder, host);
  const durable = await openDurablePeer({
    ...{ workspace, peer, signer, journal, clock, randomness, logger },
    ...{ status: fabric, durable: () => fabric.durable },
  });
  const judge = createStoredJudge({
    ...{ workspace, policy, checkSignature, reader: createEnvelopeReader() },
    ...{ opener: createEnvelopeOpener({ registry, workspace }), knowledge },
  });
  try {
    const inbox = await openInbox({
      ...{ workspace, peer, durable: fabric.durable, judge, handled: await durable.handled(spec) },
      ...{ clock, randomness, logger },
      isForMe: (message) => isFor(options.session, message),
      onMessage: createObeying(options, host, calmly),
      onRefused: ({ why }) => calmly(`worker: a message in the inbox is refused: ${visibleText(why)}`),
      onTrouble: (code) => logger.warn('inbox', { code }),
    });
    return {
      async close() {
        await inbox.close();
        calm.sum();
        await durable.close(0);
      },
    };
  } catch (error) {
    await durable.close(0);
    if (!isVakError(error)) throw error;
    // A server without streams has no inboxes: that is how it was set up.
    if (error.code === 'unsupported' || error.code === 'not-found') return undefined;
    output.talk(`worker: nobody can cancel the command from elsewhere: ${error.message}`);
    return undefined;
  }
}
