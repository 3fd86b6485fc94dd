/** A server, as an identity of the profile: what a command needs that speaks for somebody, or judges what others said. */
import type { Fabric } from '../../engine/bus/fabric.ts';
import type { EnvelopeDraft } from '../../engine/envelope/envelope-author.ts';
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import type { DurablePeer } from '../../engine/outbox/durable-peer.ts';
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import { type BusPlace, withBus } from './bus-connection.ts';
import { mayPublish, withDirectory } from './bus-directory.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { type EnvelopeWorkspace, withEnvelopeWorkspace } from './envelope-workspace.ts';
import { nothingKept, publishDurably, type Sent } from './publish-delivery.ts';
import { checkRights } from './publish-rights.ts';
import { chosenIdentity, type OpenWorkspace } from './workspace.ts';

export interface IdentityBus extends Pick<EnvelopeWorkspace, 'profile' | 'secrets'> {
  readonly open: OpenWorkspace;
  readonly identity: StoredIdentity;
  readonly fabric: Fabric;
  readonly place: BusPlace;
}

/**
 * Opens the workspace, chooses the identity that is there, connects as it, runs the work, closes. `isPublishing`: without a connection it
 * is said that nothing was kept. Throws what these throw.
 */
export async function withIdentityBus<T>(
  { common, isPublishing = false }: { readonly common: CommonOptions; readonly isPublishing?: boolean },
  host: CliHost,
  work: (bus: IdentityBus) => Promise<T>,
): Promise<T> {
  return await withEnvelopeWorkspace({ common, wanted: 'identity' }, host, async ({ profile, open, secrets }) => {
    if (open === undefined) throw new TypeError('the workspace is not open');
    const identity = chosenIdentity(open.contents(), common.identity);
    let isConnected = false;
    const done = withBus({ common, profile, host, peer: identity.peer }, async (fabric, place) => {
      isConnected = true;
      const asked = { open, peer: identity.peer, fabric, isPublishing: mayPublish(common, place) };
      return await withDirectory(asked, host, () => work({ profile, secrets, open, identity, fabric, place }));
    });
    return await done.catch((error: unknown) => {
      throw isPublishing && !isConnected ? nothingKept(error) : error;
    });
  });
}

/** What is to be published: in a session of which kind, and what, once the outbox is open. */
export interface Publication {
  readonly subject: string;
  readonly kind: Exclude<ChainKind, 'e'>;
  readonly draft: () => Promise<EnvelopeDraft> | EnvelopeDraft;
}

/** Publishes an envelope sealed and signed through the identity's outbox. Throws `forbidden` if it may not, what `draft` throws, what publishing throws. */
export async function publishSealed(
  bus: IdentityBus,
  { subject, kind, draft }: Publication,
  host: CliHost,
): Promise<Sent> {
  // Read only here: the store of an outbox has a native part, and most commands need none.
  const { withOwnOutbox } = await import('./own-outbox.ts');
  return await withOwnOutbox({ ...bus, subject }, host, async (durable: DurablePeer) => {
    checkRights(subject, durable.session(kind), { ...bus, nowMs: host.clock.now() });
    return await publishDurably(durable, await draft(), host);
  });
}
