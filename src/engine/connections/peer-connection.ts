/**
 * A connection of a peer's own to the engine in use, and what is to be done when the server does not let it in (protocol.md A18, A20).
 * Law: it says whose credentials the server was shown: the remedy is another one.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Fabric } from '../bus/fabric.ts';
import type { EngineInUse } from './connection-switch.ts';
import type { OwnServerAuth } from './own-server-auth.ts';

export interface PeerConnectionDeps {
  readonly peer: string;
  /** Its own keys; they stay the caller's. */
  readonly ownAuth: OwnServerAuth;
  /** Told if the connection has ended for good, and why. */
  readonly lost: (cause: VakError) => void;
  /** Gives it up while it is made. */
  readonly signal?: AbortSignal;
}

/** What the server was shown: what the context gives, the peer's own key, or nothing, as the key store was not open since. */
type Shown = 'given' | 'own' | 'none';

const reasons: Readonly<Record<Shown, string>> = {
  given:
    'the server refuses the credentials of this connection, which all peers here show; set others, or none, so that each shows its own key',
  own: 'the server was not told of the grant; export the access anew (vak acl export) and reload the server: the next try follows by itself',
  none: 'the key lies in the locked key store; unlock it: the next try follows by itself',
};

/** Opens it; undefined where the peer shares what the app has. Throws what connecting throws; `unauthorized` says what to do. */
export async function connectPeer(
  { connectAs }: Pick<EngineInUse, 'connectAs'>,
  { peer, ownAuth, lost, signal }: PeerConnectionDeps,
): Promise<Fabric | undefined> {
  if (connectAs === undefined) return undefined;
  let shown: Shown = 'given';
  const inWords = (error: VakError): VakError =>
    error.code === 'unauthorized'
      ? new VakError('unauthorized', reasons[shown], { retryable: true, cause: error })
      : error;
  const asked: OwnServerAuth = {
    read() {
      const auth = ownAuth.read();
      shown = auth === undefined ? 'none' : 'own';
      return auth;
    },
    dispose: () => {},
  };
  const connecting = connectAs({ peer, ownAuth: asked, ...(signal && { signal }) });
  const fabric = await connecting.catch((error: unknown) => {
    throw isVakError(error) ? inWords(error) : error;
  });
  fabric.onStatus((status) => {
    if (status.kind !== 'closed' || status.error === null) return;
    lost(inWords(VakError.fromShape(status.error)));
  });
  return fabric;
}
