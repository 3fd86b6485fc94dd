/** The directory of cards and grants, as a command that is connected follows it: what it knows comes in, what the profile has to say goes out (protocol.md I1, I4). */
import { holdsRoot } from '../../engine/access/access-export.ts';
import type { Fabric } from '../../engine/bus/fabric.ts';
import { type BusDirectory, createBusDirectory } from '../../engine/identity/bus-directory.ts';
import { nkeyOf } from '../../engine/identity/operator-identity.ts';
import type { DirectoryRefusal } from '../../engine/identity/refusal-teller.ts';
import { workspaceIn } from '../../engine/identity/root-grants.ts';
import type { BusPlace } from './bus-connection.ts';
import type { CliHost, CommonOptions } from './command.ts';
import type { OpenWorkspace } from './workspace.ts';

export interface DirectoryAsked {
  /** Its key store is open. */
  readonly open: OpenWorkspace;
  /** Whom the server knows this connection as; undefined: none of the profile's. */
  readonly peer: string | undefined;
  readonly fabric: Fabric;
  /** Whether anything goes out: what only looks changes nothing on the bus (B29). */
  readonly isPublishing: boolean;
  readonly onRefused?: (refusal: DirectoryRefusal) => void;
}

/** So long a command waits for what lies in the buckets, ms; a server without them says so at once. */
export const readyMs = 2_000;
/** And for what it has to say itself. */
const publishedMs = 2_000;

/** Whether a command that is connected there may let the profile's records out. */
export function mayPublish({ changes }: CommonOptions, { readOnlyContext }: BusPlace): boolean {
  return changes === 'bus' && readOnlyContext === undefined;
}

/** Whether an identity of the profile grants with the root that lies there (A25). */
export function actsWithRoot(open: OpenWorkspace, peer: string): boolean {
  const contents = open.contents();
  const roles = open.timelines(contents)(peer).grants.at(-1)?.grant.roles ?? [];
  return holdsRoot({ peer, roles }, { contents, workspace: open.workspace });
}

/** Keys of the identities of this profile, of those too that are made while it runs; what was learned once outlives a lock. */
function createOwnSigns({ profile, contents }: OpenWorkspace): (peer: string) => string | undefined {
  const signs = new Map<string, string>();
  function learn(): void {
    if (profile.keyStore.state().kind !== 'unlocked') return;
    for (const one of contents().identities) if (!signs.has(one.peer)) signs.set(one.peer, nkeyOf(one));
  }
  learn();
  return (peer) => {
    if (!signs.has(peer)) learn();
    return signs.get(peer);
  };
}

/** Begins to follow it; the key store may be locked afterwards. */
export function followDirectory(asked: DirectoryAsked, { clock, logger }: CliHost): BusDirectory {
  const { open, peer, fabric, isPublishing, onRefused } = asked;
  const { workspace } = open;
  const contents = open.contents();
  const ownSign = createOwnSigns(open);
  const isRoot = peer !== undefined && actsWithRoot(open, peer);
  return createBusDirectory({
    ...{ records: open, fabric, isReadOnly: !isPublishing, clock, logger },
    ...(onRefused === undefined ? {} : { onRefused }),
    self: {
      ...{ peer: peer ?? 'vak', rootPublic: workspaceIn(contents, workspace).rootPublic },
      holdsRoot: () => isRoot,
      ownSign,
    },
  });
}

/** Takes what lies in the buckets, runs the work, and lets the profile's own records out. Without a workspace that is open it only runs the work. */
export async function withDirectory<T>(
  { open, ...asked }: Omit<DirectoryAsked, 'open'> & { readonly open: OpenWorkspace | undefined },
  host: CliHost,
  work: () => Promise<T>,
): Promise<T> {
  if (open === undefined) return await work();
  const directory = followDirectory({ ...asked, open }, host);
  try {
    await directory.ready(readyMs);
    const done = await work();
    if (!host.signal.aborted && asked.fabric.status().kind === 'connected') await directory.published(publishedMs);
    return done;
  } finally {
    await directory.close();
  }
}
