/** The outbox of an identity, for the server that a command has connected to (protocol.md B8, E12, E14). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { readOnlyRefusal } from '../../engine/connections/read-only-fabric.ts';
import { createEnvelopeSealer } from '../../engine/envelope/envelope-sealer.ts';
import { createSecretRegistry, type WorkspaceSecretEntry } from '../../engine/envelope/secret-registry.ts';
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { createNkeySigner } from '../../engine/identity/nkey.ts';
import { type DurablePeer, openDurablePeer } from '../../engine/outbox/durable-peer.ts';
import { followFormer } from '../../engine/outbox/former-messages.ts';
import { findKept, type KeptMessages } from '../../engine/outbox/kept-messages.ts';
import { openOwnOutbox, outboxFolder } from '../../engine/outbox/outbox-folder.ts';
import { requireStream } from '../../engine/outbox/require-stream.ts';
import { type LeftMessages, sendLeft } from '../../engine/outbox/send-left.ts';
import { createFrameGuard } from '../../engine/rooms/room-frame-guard.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import type { BusPlace } from './bus-connection.ts';
import type { CliHost } from './command.ts';
import type { OpenWorkspace } from './workspace.ts';

export interface OutboxAsked {
  readonly open: OpenWorkspace;
  readonly identity: StoredIdentity;
  /** To seal with the last of them; undefined: what is not exempt goes plain. */
  readonly secrets: readonly WorkspaceSecretEntry[] | undefined;
  readonly fabric: Fabric;
  readonly place: BusPlace;
}

/** The journal that a command's outbox has. */
export interface OwnJournal {
  readonly slot: number;
  /** What waits in journals of these numbers. */
  kept(slots: readonly number[]): Promise<KeptMessages>;
}

/** How long what earlier processes left is waited for before a command goes on with its own, and void records and checkpoints after it, ms. */
const limitMs = 5_000;

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);

/** Says what became of what was left; nothing if nothing was. */
function talkOfLeft({ sentCount, refusedCount, waitingCount, problems }: LeftMessages, { output }: CliHost): void {
  for (const { message } of problems) output.talk(`vak: ${message}`);
  if (sentCount > 0) output.talk(`vak: outbox: ${messages(sentCount)} of earlier commands sent`);
  if (refusedCount > 0) output.talk(`vak: outbox: ${messages(refusedCount)} of earlier commands refused for good`);
  if (waitingCount > 0) {
    const wait = waitingCount === 1 ? 'waits' : 'wait';
    output.talk(`vak: outbox: ${messages(waitingCount)} of earlier commands still ${wait}`);
  }
}

function partsOf({ open, identity, secrets, fabric, place }: OutboxAsked, host: CliHost, held: Disposer) {
  const { clock, randomness, logger } = host;
  const { workspace, profile } = open;
  const { peer } = identity;
  if (place.readOnlyContext !== undefined) throw readOnlyRefusal(place.readOnlyContext, 'publish');
  const folder = outboxFolder(profile.files.outbox, { workspace, peer, destination: place.destination });
  const signer = held.add(createNkeySigner(identity.signSeed));
  const registry = createSecretRegistry({ source: { secrets: () => secrets ?? [], version: () => 0 }, clock });
  const sealer = createEnvelopeSealer({ registry, peer, clock, randomness });
  const deps = {
    ...{ signer, clock, randomness, logger, status: fabric, durable: () => fabric.durable },
    // What was said in a room, and not stored, is sealed anew by whoever is in it next.
    guard: createFrameGuard(() => undefined),
    ...(secrets === undefined ? {} : { sealer }),
  };
  return { folder, deps, workspace, peer };
}

/** Sends what waits in the outboxes that no process has open, and gives what became of it. Throws `read-only`, and what opening throws. */
export async function sendOwnLeft(asked: OutboxAsked, host: CliHost): Promise<LeftMessages> {
  const held = createDisposer();
  try {
    const { folder, deps } = partsOf(asked, host, held);
    return await sendLeft(folder, deps, { limitMs: 3 * limitMs });
  } finally {
    held.dispose();
  }
}

/**
 * Opens the outbox, sends what earlier commands left there, runs the work, puts the heads on record and closes. Throws `read-only` for
 * a context of that kind, `not-found` if there is no stream for the subject, what opening throws, and what the work throws.
 */
export async function withOwnOutbox<T>(
  asked: OutboxAsked & { readonly subject: string },
  host: CliHost,
  work: (peer: DurablePeer, own: OwnJournal) => Promise<T>,
): Promise<T> {
  const held = createDisposer();
  try {
    const { folder, deps, workspace, peer } = partsOf(asked, host, held);
    await requireStream(asked.subject, asked.fabric.durable);
    const { slot, journal } = await openOwnOutbox(folder, host);
    const durable = await openDurablePeer({ ...deps, workspace, peer, journal });
    const former = followFormer(durable);
    try {
      talkOfLeft(await sendLeft(folder, deps, { limitMs, except: slot }), host);
      const outcome = await former.finish(limitMs);
      if (outcome !== undefined) talkOfLeft({ ...outcome, problems: [] }, host);
      const kept = (slots: readonly number[]) => findKept({ folder, slots, own: { slot, peer: durable }, deps });
      return await work(durable, { slot, kept });
    } finally {
      const isWorthWaiting = !host.signal.aborted && asked.fabric.status().kind === 'connected';
      await durable.close(isWorthWaiting ? limitMs : 0);
    }
  } finally {
    held.dispose();
  }
}
