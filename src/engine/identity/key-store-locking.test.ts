import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  createKeyStoreFolder,
  type KeyStoreFolder,
  otherPassphrase,
  passphrase,
  sampleContents,
  secretsOf,
} from '../../../tests/support/key-store-fixture.ts';
import { createMemoryVault } from '../../../tests/support/memory-vault.ts';
import { startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';

let place: KeyStoreFolder;
beforeEach(() => {
  place = createKeyStoreFolder();
});
afterEach(() => place.dispose());

describe('locking', () => {
  it('I3 erases the bytes of every secret that was given out, before and after updates', async () => {
    const store = place.store();
    await store.create({});
    await store.update(() => sampleContents());
    const first = secretsOf(store.read());
    await store.update((all) => ({ ...all, credentials: new Map() }));
    const second = secretsOf(store.read());
    // What is still there is the same secret, not another copy of its bytes.
    expect(second.every((secret) => first.includes(secret))).toBe(true);
    const bytes = first.map((secret) => secret.reveal());
    expect(bytes.every((one) => one.some((byte) => byte !== 0))).toBe(true);
    store.lock();
    expect(bytes.every((one) => one.every((byte) => byte === 0))).toBe(true);
    expect(() => first[0]?.reveal()).toThrowError('erased');
    expect(() => store.read()).toThrowError('locked');
    expect(store.state().kind).toBe('locked');
  });

  it('I3 erases the master key, too', async () => {
    const keys: Uint8Array[] = [];
    const system = createSystemRandomness();
    const bytes = (length: number): Uint8Array => {
      const drawn = system.bytes(length);
      if (length === 32) keys.push(drawn);
      return drawn;
    };
    const store = place.store({ randomness: { bytes } });
    await store.create({});
    expect(keys.every((key) => key.some((byte) => byte !== 0))).toBe(true);
    store.lock();
    expect(keys.length).toBeGreaterThan(1);
    expect(keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
  });

  it('I3 unlocking an open store leaves what it gave out alive', async () => {
    const store = place.store();
    await store.create({});
    await store.update(() => sampleContents());
    const [secret] = secretsOf(store.read());
    await store.unlock({});
    expect(secret?.length).toBeGreaterThan(0);
    expect(secretsOf(store.read())[0]).toBe(secret);
  });

  it('I3 locks after the idle time, counted from the last touch, and sleep of the machine counts', async () => {
    const clock = createFakeClock();
    let sleptMs = 0;
    const sleepy = { ...clock, now: () => clock.now() + sleptMs };
    const store = place.store({ clock: sleepy, idleLockMinutes: 10 });
    let changes = 0;
    store.onChange(() => changes++);
    await store.create({});
    changes = 0;
    clock.advance(9 * 60_000);
    store.touch();
    clock.advance(9 * 60_000);
    expect(store.state().kind).toBe('unlocked');
    clock.advance(60_000);
    expect(store.state().kind).toBe('locked');
    expect(changes).toBe(1);
    expect(clock.timerCount).toBe(0);
    await store.unlock({});
    sleptMs += 3_600_000;
    // A hand on the mouse right after waking does not revive it.
    store.touch();
    expect(store.state().kind).toBe('locked');
    await store.unlock({});
    sleptMs += 3_600_000;
    expect(() => store.read()).toThrowError('locked');
  });

  it('an idle time of 0 never locks, and a new one counts from now', async () => {
    const clock = createFakeClock();
    const store = place.store({ clock, idleLockMinutes: 0 });
    await store.create({});
    clock.advance(1e9);
    expect(store.state()).toMatchObject({ kind: 'unlocked', idleLockMinutes: 0 });
    store.setIdleLockMinutes(1);
    clock.advance(59_999);
    expect(store.state().kind).toBe('unlocked');
    clock.advance(1);
    expect(store.state()).toMatchObject({ kind: 'locked', idleLockMinutes: 1 });
  });

  it('I3 a lock during unlock, update or create wins: the store ends locked', async () => {
    const store = place.store();
    const creating = store.create({ passphrase: passphrase() });
    store.lock();
    await creating;
    expect(store.state().kind).toBe('locked');
    const unlocking = store.unlock({ passphrase: passphrase() });
    store.lock();
    expect((await failure(unlocking)).code).toBe('locked');
    expect(store.state().kind).toBe('locked');
    await store.unlock({});
    const changing = store.setPassphrase(otherPassphrase());
    store.lock();
    expect((await failure(changing)).code).toBe('locked');
    await store.unlock({ passphrase: passphrase() });
  });

  it('I3 a way back opens it after a lock without a passphrase, and reads what another process wrote under another one', async () => {
    const vault = Object.assign(createMemoryVault(), { isReal: false });
    const store = place.store({ vault });
    await store.create({ passphrase: passphrase() });
    const way = store.keepWayBack();
    store.lock();
    expect(() => store.keepWayBack()).toThrowError('locked');
    const other = place.store({ vault });
    await other.unlock({ passphrase: passphrase() });
    await other.update(() => sampleContents());
    await other.setPassphrase(otherPassphrase());
    await way.unlock();
    expect(store.read().identities.map(({ peer }) => peer)).toEqual(['mira', 'bot-1']);
    store.lock();
    // Another store in its place is not the one that was opened.
    await other.startAnew({ confirmation: startAnewPhrase, passphrase: passphrase() });
    expect(await failure(way.unlock())).toMatchObject({ code: 'locked', message: expect.stringMatching(/replaced/) });
    rmSync(join(place.folder, 'keys'), { recursive: true });
    expect((await failure(way.unlock())).code).toBe('not-found');
  });

  it('I3 the key of a way back is erased with it, and a lock meanwhile wins', async () => {
    const store = place.store();
    await store.create({});
    const way = store.keepWayBack();
    store.lock();
    const opening = way.unlock();
    store.lock();
    expect((await failure(opening)).code).toBe('locked');
    way.dispose();
    expect(await failure(way.unlock())).toMatchObject({ code: 'locked', message: expect.stringMatching(/erased/) });
    expect(store.state().kind).toBe('locked');
  });

  it('the end locks, erases and refuses what comes after', async () => {
    const clock = createFakeClock();
    const store = place.store({ clock, idleLockMinutes: 5 });
    await store.create({});
    await store.update(() => sampleContents());
    const bytes = secretsOf(store.read()).map((secret) => secret.reveal());
    store.dispose();
    store.dispose();
    expect(bytes.every((one) => one.every((byte) => byte === 0))).toBe(true);
    expect(clock.timerCount).toBe(0);
    expect((await failure(store.unlock({}))).code).toBe('closed');
  });
});
