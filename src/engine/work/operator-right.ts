/**
 * The operator of this app, for what only an operator may do (protocol.md A2, I4).
 * Law: what nobody would believe is refused here, with its reason, before anything is sent.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import { readOnlyRefusal } from '../connections/read-only-fabric.ts';
import type { ProfileSignatureCheck } from '../envelope/workspace-trust.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner, type NkeySigner } from '../identity/nkey.ts';
import type { Clock } from '../ports/clock.ts';

/** The engine in use. */
export interface OperatedEngine extends Pick<EngineInUse, 'readOnlyContext'> {
  readonly fabric: Pick<EngineInUse['fabric'], 'durable'>;
}

/** Who acts, and on which engine: it stays that one, whatever is behind the app meanwhile. */
export interface ActingOperator {
  readonly peer: string;
  /** Of use as long as the act lasts. */
  readonly signer: NkeySigner;
  readonly durable: DurablePlane;
}

export interface OperatorRightDeps {
  readonly workspace: string;
  readonly engine: () => OperatedEngine | undefined;
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly resolve: ProfileSignatureCheck['resolve'];
  readonly clock: Clock;
}

export interface OperatorRight {
  /**
   * Runs as the operator. Throws `read-only`, `disconnected` (there is no engine yet), `locked`, `forbidden` (it is no operator), and what
   * `work` throws.
   */
  run<T>(doing: string, work: (operator: ActingOperator) => Promise<T>): Promise<T>;
}

/** Creates it. */
export function createOperatorRight(deps: OperatorRightDeps): OperatorRight {
  const { workspace, engine, keyStore, resolve, clock } = deps;

  function planeOf(doing: string): DurablePlane {
    const inUse = engine();
    if (inUse?.readOnlyContext !== undefined) throw readOnlyRefusal(inUse.readOnlyContext, doing);
    if (inUse !== undefined) return inUse.fabric.durable;
    throw new VakError('disconnected', `${doing}: there is no connection yet; try again when it is there`, {
      retryable: true,
    });
  }

  function identity(doing: string): StoredIdentity {
    const contents = keyStore.state().kind === 'unlocked' ? keyStore.read() : undefined;
    const found = contents?.identities.find(({ kind }) => kind === 'human');
    if (found !== undefined) return found;
    throw new VakError('locked', `${doing}: the key store is locked; unlock it first`);
  }

  function checkGrant(doing: string, peer: string, signer: NkeySigner): void {
    const question = { ws: workspace, peer, signer: signer.nkey, roles: ['operator'], at: clock.now() } as const;
    const verdict = resolve(question);
    if (verdict?.kind === 'granted') return;
    const why = verdict?.why ?? 'The grants of the workspace are not known here.';
    throw new VakError('forbidden', `${doing}: only an operator may. ${why} See Identity`);
  }

  return {
    async run(doing, work) {
      const durable = planeOf(doing);
      const { peer, signSeed } = identity(doing);
      const signer = createNkeySigner(signSeed);
      try {
        checkGrant(doing, peer, signer);
        return await work({ peer, signer, durable });
      } finally {
        signer.dispose();
      }
    },
  };
}
