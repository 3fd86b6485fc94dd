/** The app's rooms plane over a profile's operator, on the engine of people who are in rooms with it. */

import type { EngineInUse } from '../../src/engine/connections/connection-switch.ts';
import type { LiveFabric } from '../../src/engine/connections/live-fabric.ts';
import { deriveX25519PublicKey } from '../../src/engine/crypto/x25519.ts';
import { createWorkspaceSecrets } from '../../src/engine/envelope/workspace-trust.ts';
import { signCard } from '../../src/engine/identity/cards.ts';
import type { OperatorOutbox } from '../../src/engine/outbox/operator-outbox.ts';
import { createOperatorOutbox } from '../../src/engine/outbox/operator-outbox.ts';
import { createRoomsPlane, type RoomsPlane } from '../../src/engine/rooms-plane.ts';
import { createWorkspaceJudging } from '../../src/engine/workspace-judging.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';
import type { AppContract } from '../../src/shared/contract/app-contract.ts';
import type { Services } from '../../src/shared/contract/define-contract.ts';
import type { RoomItem, RoomSummary, RoomsState } from '../../src/shared/contract/rooms-contract.ts';
import { createCallContext } from './call-context.ts';
import { planeWorkspace } from './plane-profile.ts';
import type { Person, RoomPeople } from './room-people.ts';
import { createScriptedPrompt, type ScriptedPrompt } from './scripted-prompt.ts';
import { createSilentNotifier, type SilentNotifier } from './silent-notifier.ts';

export interface RoomsApp {
  readonly plane: RoomsPlane;
  readonly notifier: SilentNotifier;
  readonly prompt: ScriptedPrompt;
  readonly calls: Services<AppContract>['rooms'];
  state(): RoomsState;
  room(id: string): RoomSummary | undefined;
  items(id: string): Promise<readonly RoomItem[]>;
  /** Pins the card of a person; `expiresMs`: of its box. */
  meet(person: Person): Promise<void>;
  /** Puts another engine behind it, as the connection switch does. */
  use(engine: EngineInUse | undefined): Promise<void>;
  lock(): void;
  unlock(): Promise<void>;
  /** Lets time pass until something is so. */
  until(isSo: () => unknown): Promise<void>;
  close(): Promise<void>;
}

export const context = createCallContext();

function createListeners<T>() {
  const all = new Set<T>();
  return {
    all,
    add(listener: T) {
      all.add(listener);
      return toDisposable(() => all.delete(listener));
    },
  };
}

/** Opens it on the people's engine; its operator is `ada`. */
export async function openRoomsApp({ place }: RoomPeople): Promise<RoomsApp> {
  const { plane: profilePlane, clock, fabric } = place;
  const { profile, ports } = profilePlane;
  const { keyStore, records, files } = profile;
  // The others are people of machines of their own: this profile knows them by their cards alone.
  const ownStore = {
    ...keyStore,
    read() {
      const contents = keyStore.read();
      return { ...contents, identities: contents.identities.filter(({ peer }) => peer === 'ada') };
    },
  };
  const workspace = planeWorkspace;
  const changed = createListeners<() => void>();
  const leaving = createListeners<() => Promise<void>>();
  const gate = createListeners<(isOpen: boolean) => void>();
  let engine: EngineInUse | undefined = {
    kind: 'embedded',
    fabric,
    destination: 'embedded',
    readOnlyContext: undefined,
  };
  const notifier = createSilentNotifier();
  const prompt = createScriptedPrompt();
  const secrets = createWorkspaceSecrets({ keyStore, workspace, environmentSecret: () => undefined });
  const judging = createWorkspaceJudging({ ...ports, profile, environment: {} }, workspace);
  const outbox: OperatorOutbox = createOperatorOutbox({
    ...{ ...ports, workspace, folder: files.outbox, keyStore, secrets, pins: records.pins },
    ...{ engine: () => engine, onChange: () => {}, guard: (message) => plane.guard(message) },
  });
  const isOpen = (): boolean => keyStore.state().kind === 'unlocked';
  const plane: RoomsPlane = createRoomsPlane({
    ...{ ...ports, workspace, outbox, notifier, prompt, onChange: () => {} },
    profile: { ...profile, keyStore: ownStore },
    trust: judging.judging,
    gate: {
      get isOpen() {
        return isOpen();
      },
      onChange: gate.add,
    },
    connection: {
      live: fabric as LiveFabric,
      engine: () => engine,
      ...{ onChange: changed.add, onLeave: leaving.add },
    },
    sessions: { ofPeer: () => [] },
    membership: { state: () => ({ kind: 'running', why: null }) },
    // As if the file of ben's card had been chosen.
    addCardFile: async () => ({ peer: 'ben', sight: 'known' }),
  });
  const tell = (): void => {
    outbox.follow();
    for (const listener of changed.all) listener();
  };
  /** Lets time pass until something is so. */
  async function until(isSo: () => unknown): Promise<void> {
    for (let round = 0; round < 1_000 && !isSo(); round++) {
      // Files take the machine's time, whatever the clock says.
      await new Promise((resolve) => setTimeout(resolve, 2));
      await place.pass(50);
    }
    if (!isSo()) throw new Error('it has not come about');
  }
  const isLookedAt = (): boolean => plane.readers['rooms.state']().readAtMs !== null;
  tell();
  await until(isLookedAt);

  return {
    ...{ plane, notifier, prompt, calls: plane.services.rooms, state: plane.readers['rooms.state'] },
    room: (id) => plane.readers['rooms.state']().rooms.find((one) => one.room === id),
    async items(id) {
      const page = plane.services.rooms.page({ room: id, limit: 100 }, context);
      return (await place.run(Promise.resolve(page))).items;
    },
    async meet({ name, asker }) {
      const box = toBase64Url(deriveX25519PublicKey(new Uint8Array(32).fill(name.charCodeAt(0) % 251)));
      const own = { ws: workspace, peer: name, kind: 'bot', agent: true, name: `The ${name}` } as const;
      const boxExpiresAt = Math.floor(clock.now() / 1000) + 86_400;
      await place.run(records.pins.see(signCard({ ...own, box, boxExpiresAt, serial: 2 ** 50 }, asker.signer)));
    },
    async use(next) {
      engine = undefined;
      tell();
      await place.run(Promise.all([...leaving.all].map((leave) => leave())));
      engine = next;
      tell();
      await until(isLookedAt);
    },
    lock() {
      keyStore.lock();
      for (const listener of gate.all) listener(false);
      outbox.follow();
    },
    async unlock() {
      await place.run(keyStore.unlock({}));
      for (const listener of gate.all) listener(true);
      outbox.follow();
      await until(isLookedAt);
    },
    until,
    async close() {
      await place.run(plane.close());
      await place.run(outbox.close());
      judging.dispose();
      secrets.dispose();
    },
  };
}
