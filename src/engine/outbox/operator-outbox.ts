/**
 * How the operator publishes durably, whichever engine is behind the app (protocol.md B8, E12).
 * Law: an outbox belongs to the engine that it was opened for: what waits for one is never sent to another.
 */
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import { readOnlyRefusal } from '../connections/read-only-fabric.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import { createEnvelopeSealer, type EnvelopeSealer, type SealerUse } from '../envelope/envelope-sealer.ts';
import { createSecretRegistry, type SecretSource } from '../envelope/secret-registry.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner, type NkeySigner } from '../identity/nkey.ts';
import type { Pins } from '../identity/pins.ts';
import { checkRecipient } from '../identity/recipient-check.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { DurablePublished } from './durable-author.ts';
import { type DurablePeer, openDurablePeer } from './durable-peer.ts';
import { findKept, type KeptMessages } from './kept-messages.ts';
import type { OutboxGuard, OutboxWaiting } from './outbox.ts';
import { openOwnOutbox, outboxFolder } from './outbox-folder.ts';
import { requireStream } from './require-stream.ts';
import { type LeftMessages, sendLeft } from './send-left.ts';

export interface OperatorPublishOptions {
  /** Only to this engine: `disconnected` if another one is in use by then. */
  readonly destination?: string;
  /** As `DurablePeer.publish`. */
  readonly messageId?: string;
}

export interface OperatorOutbox {
  /** Opens, exchanges or closes the outbox, as keys and engine are now; call it when either has changed. */
  follow(): void;
  /** Throws `locked`, `disconnected` (there is no engine yet), `read-only`, `not-found` (there is no stream), `forbidden` (nothing is sent to that peer), and as `DurablePeer.publish`. */
  publish(draft: EnvelopeDraft, options?: OperatorPublishOptions): Promise<DurablePublished>;
  /** Number of the journal that is open; undefined while there is no outbox. */
  slot(): number | undefined;
  /** What waits in journals of these numbers, of the engine in use. Throws `disconnected`, and what opening one throws. */
  kept(slots: readonly number[]): Promise<KeptMessages>;
  /** Undefined while there is no outbox. */
  waiting(): OutboxWaiting | undefined;
  /** Why there is none, or why what ended processes left is not sent (damaged, a full disk); undefined: nothing is wrong. */
  problem(): ErrorShape | undefined;
  /** The key that its messages are sealed with; undefined: none was sealed by the outbox that is open. */
  sealerUse(): SealerUse | undefined;
  /** Puts the heads on record, and closes. */
  close(): Promise<void>;
}

export interface OperatorOutboxDeps {
  readonly workspace: string;
  /** `outbox` of the profile. */
  readonly folder: string;
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly secrets: SecretSource;
  readonly engine: () => EngineInUse | undefined;
  /** Whose keys are known: to a peer that is blocked nothing is sent (I2). */
  readonly pins: Pick<Pins, 'find'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** As `OutboxDeps.guard`. */
  readonly guard?: OutboxGuard;
  /** Told when what waits has changed; the caller bounds its rate. */
  readonly onChange: () => void;
}

interface Opened {
  readonly engine: EngineInUse;
  readonly slot: number;
  readonly peer: DurablePeer;
  /** Looks into its own journal, and others of its folder. */
  readonly kept: (slots: readonly number[]) => Promise<KeptMessages>;
  readonly signer: NkeySigner;
  readonly sealer: EnvelopeSealer;
}

/** How long closing waits for what is under way, ms. */
const closeLimitMs = 2_000;
/** How long what ended processes left is waited for, ms; it waits on afterwards. */
const leftLimitMs = 60_000;

function noEngine(): VakError {
  const message = 'publish: there is no engine to keep it for yet; publish again when the connection is there';
  return new VakError('disconnected', message, { retryable: true });
}

/** Creates it closed. */
export function createOperatorOutbox(deps: OperatorOutboxDeps): OperatorOutbox {
  const { workspace, folder: root, keyStore, secrets, engine, pins, clock, randomness, logger, onChange } = deps;
  const registry = createSecretRegistry({ source: secrets, clock });
  let opened: Opened | undefined;
  let problem: ErrorShape | undefined;
  const lane = createSerialLane();
  let isClosed = false;

  const operator = (): StoredIdentity | undefined => {
    if (isClosed || keyStore.state().kind !== 'unlocked') return undefined;
    return keyStore.read().identities.find(({ kind }) => kind === 'human');
  };

  async function shut(): Promise<void> {
    const old = opened;
    opened = undefined;
    if (old === undefined) return;
    const isThere = old.engine.fabric.status().kind === 'connected' && engine()?.fabric === old.engine.fabric;
    await old.peer.close(isThere ? closeLimitMs : 0);
    old.signer.dispose();
  }

  async function open(inUse: EngineInUse, { peer, signSeed }: StoredIdentity): Promise<void> {
    const { fabric, destination } = inUse;
    const folder = outboxFolder(root, { workspace, destination, peer });
    const ports = { clock, randomness, logger };
    const { slot, journal } = await openOwnOutbox(folder, ports);
    const signer = createNkeySigner(signSeed);
    const sealer = createEnvelopeSealer({ registry, peer, clock, randomness });
    const guard = deps.guard === undefined ? {} : { guard: deps.guard };
    const parts = { ...ports, ...guard, signer, sealer, status: fabric, durable: () => fabric.durable };
    const durable = await openDurablePeer({ ...parts, workspace, peer, journal });
    durable.onDelivered(onChange);
    durable.onRefused(onChange);
    opened = {
      ...{ engine: inUse, slot, peer: durable, signer, sealer },
      kept: (slots) => findKept({ folder, slots, own: { slot, peer: durable }, deps: parts }),
    };
    onChange();
    // In its own time: what others left holds nothing up.
    void takeLeft(sendLeft(folder, parts, { limitMs: leftLimitMs, except: slot }));
  }

  function notice(error: unknown): void {
    problem = isVakError(error)
      ? error.toShape()
      : {
          code: 'internal',
          message: `the outbox failed, see the log: ${logger.bug('outbox', error)}`,
          retryable: false,
        };
    logger.error('outbox.problem', { code: problem.code, message: problem.message });
    onChange();
  }

  async function takeLeft(sending: Promise<LeftMessages>): Promise<void> {
    try {
      const [first] = (await sending).problems;
      if (first !== undefined) notice(first);
    } catch (error) {
      notice(error);
    }
  }

  async function settle(): Promise<void> {
    const [inUse, identity] = [engine(), operator()];
    const wanted = identity === undefined || inUse?.readOnlyContext !== undefined ? undefined : inUse;
    if (opened?.engine.fabric === wanted?.fabric) return;
    await shut();
    problem = undefined;
    if (wanted !== undefined && identity !== undefined) await open(wanted, identity);
  }

  const inTurn = (work: () => Promise<void>): Promise<void> => lane.run(work).catch(notice);

  return {
    follow: () => void inTurn(settle),
    async publish(draft, { destination, ...options } = {}) {
      await lane.idle();
      const inUse = engine();
      if (inUse?.readOnlyContext !== undefined) throw readOnlyRefusal(inUse.readOnlyContext, 'publish');
      if (operator() === undefined) throw new VakError('locked', 'publish: the key store is locked; unlock it first');
      checkRecipient(draft.subject, pins);
      if (opened === undefined && problem !== undefined) throw VakError.fromShape(problem);
      if (opened === undefined || opened.engine.fabric !== inUse?.fabric) throw noEngine();
      if (destination !== undefined && inUse.destination !== destination) {
        const message = 'publish: another connection is in use by now; go back to the one that it is for';
        throw new VakError('disconnected', message, { retryable: true });
      }
      await requireStream(draft.subject, inUse.fabric.durable);
      const published = await opened.peer.publish(draft, options);
      onChange();
      return published;
    },
    slot: () => opened?.slot,
    async kept(slots) {
      await lane.idle();
      if (opened === undefined) throw noEngine();
      return await opened.kept(slots);
    },
    waiting: () => opened?.peer.waiting(),
    problem: () => problem,
    sealerUse: () => opened?.sealer.use(),
    async close() {
      isClosed = true;
      await inTurn(shut);
    },
  };
}
