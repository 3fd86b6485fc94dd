import { beforeEach, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import { emptyContents } from '../identity/contents-codec.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { encodeNkeySeed } from '../identity/nkey.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createOperatorRooms, type OpenedRooms, type OperatorRooms } from './operator-rooms.ts';

const clock = createFakeClock();
const identityOf = (n: number): StoredIdentity => ({
  ...{ peer: 'ada', kind: 'human', agent: false, name: 'Ada', boxKeys: [], cardSerial: 1 },
  signSeed: encodeNkeySeed(new Uint8Array(32).fill(n)),
});
const engineOf = (destination: string) => ({ kind: 'embedded', fabric: {}, destination }) as unknown as EngineInUse;

let identity: StoredIdentity;
let isLocked: boolean;
let engine: EngineInUse | undefined;
let events: string[];
/** What opening does next, one after the other; then it succeeds. */
let fates: (() => Promise<void>)[];
let rooms: OperatorRooms;

beforeEach(() => {
  identity = identityOf(1);
  isLocked = false;
  engine = engineOf('a');
  events = [];
  fates = [];
  const keyStore = {
    state: () => ({ kind: isLocked ? 'locked' : 'unlocked' }) as ReturnType<KeyStore['state']>,
    read: () => ({ ...emptyContents, identities: [identity] }),
  };
  rooms = createOperatorRooms({
    ...{ keyStore, engine: () => engine, clock, logger: createSilentLogger(), onChange: () => {} },
    async open(inUse, { signSeed: _seed, peer }) {
      await fates.shift()?.();
      events.push(`open ${inUse.destination}`);
      const sign = identity.name === 'Eve' ? signerOf(2).nkey : signerOf(1).nkey;
      const said = (word: string) => (): void => void events.push(`${word} ${inUse.destination}`);
      const opened = { peer, sign, engine: inUse, dispose: said('dispose'), close: async () => said('close')() };
      return opened as unknown as OpenedRooms;
    },
  });
});

test('R62 rooms are opened once for an engine, and are closed in order before another one’s are', async () => {
  await rooms.settle();
  await rooms.settle();
  engine = engineOf('b');
  await rooms.settle();
  engine = undefined;
  await rooms.settle();
  expect(events).toEqual(['open a', 'close a', 'open b', 'close b']);
  expect(rooms.current()).toBeUndefined();
});

test('R62 a lock ends them at once; what was being opened by then is not taken', async () => {
  await rooms.settle();
  isLocked = true;
  rooms.follow();
  expect([events.at(-1), rooms.current()]).toEqual(['dispose a', undefined]);
  isLocked = false;
  fates.push(async () => {
    isLocked = true;
  });
  await rooms.settle();
  expect([events.at(-1), rooms.current()]).toEqual(['dispose a', undefined]);
});

test('R62 another operator under the same name has other rooms', async () => {
  await rooms.settle();
  identity = { ...identityOf(2), name: 'Eve' };
  await rooms.settle();
  expect(events).toEqual(['open a', 'close a', 'open a']);
});

test('R60 damaged files were set aside, and are passed over; what else fails is told and tried again', async () => {
  const failing = (code: 'corrupt' | 'timeout') => async () => {
    throw new VakError(code, `it is ${code}`);
  };
  fates.push(failing('corrupt'), failing('corrupt'), failing('timeout'));
  await rooms.settle();
  expect(rooms.problem()).toMatchObject({ code: 'timeout' });
  clock.advance(10_000);
  await rooms.settle();
  expect(rooms.problem()).toBeUndefined();
  expect(rooms.current()).toBeDefined();
  await rooms.close();
  expect(clock.timerCount).toBe(0);
});
