/**
 * An identity in a workspace whose root another profile holds (protocol.md I4): the root is pinned, the grant comes from there.
 * Law: a root that is pinned is never exchanged for another one.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { findEd25519Fault } from '../crypto/public-key-check.ts';
import type { VerifiedCard } from './cards.ts';
import type { KeyStoreContents, StoredIdentity } from './key-store.ts';
import { decodeNkey } from './nkey.ts';
import { cardOf, createIdentity, type MakerPorts } from './operator-identity.ts';
import { checkInputToken } from './root-grants.ts';

export interface JoiningIdentity extends MakerPorts {
  readonly contents: KeyStoreContents;
  readonly workspace: string;
  /** The root's public nkey; undefined: the one that is pinned. */
  readonly rootPublic: string | undefined;
  readonly peer: string;
  readonly kind: StoredIdentity['kind'];
  /** A bot with a model in its decision loop. */
  readonly agent?: boolean;
  /** Display name, 1–64 characters. */
  readonly name: string;
}

function checkRoot(rootPublic: string): string {
  const fault = findEd25519Fault(decodeNkey(rootPublic, 'root'));
  if (fault === undefined) return rootPublic;
  throw new VakError('invalid-input', `root: the key fails the check "${fault}"`, {
    details: { field: 'root', check: fault },
  });
}

/** Contents in which the root is pinned. Throws `conflict` if another one is, `not-found` if none is and none is given. */
function withRoot({ contents, workspace, rootPublic }: JoiningIdentity): KeyStoreContents {
  const held = contents.workspaces.find((one) => one.workspace === workspace);
  if (held === undefined) {
    if (rootPublic === undefined)
      throw new VakError('not-found', `this profile does not belong to workspace ${workspace}`);
    const joined = { workspace, rootPublic: checkRoot(rootPublic), rootSeed: null, secrets: [] };
    return { ...contents, workspaces: [...contents.workspaces, joined] };
  }
  if (rootPublic === undefined || rootPublic === held.rootPublic) return contents;
  const why = held.rootSeed === null ? 'another root is pinned' : 'this profile holds a root of its own';
  throw new VakError('conflict', `workspace ${workspace}: ${why}, and it is never exchanged; use another profile`);
}

/**
 * Makes the identity, without a grant, and pins the root where none is. Gives the contents to store (by `updateAndErase`), then the card to
 * publish. Throws `exists`, `conflict`, `not-found`, and `invalid-input` and `invalid-payload` that name the field.
 */
export function joinWorkspace(joining: JoiningIdentity): {
  readonly contents: KeyStoreContents;
  readonly card: VerifiedCard;
} {
  const { workspace, peer, kind, agent = false, name } = joining;
  checkInputToken(workspace, 'workspace');
  const contents = withRoot(joining);
  if (contents.identities.some((one) => one.peer === peer))
    throw new VakError('exists', `there is an identity ${peer} already`);
  const identity = createIdentity({ peer, kind, agent, name }, joining);
  return {
    contents: { ...contents, identities: [...contents.identities, identity] },
    card: cardOf(identity, workspace),
  };
}
