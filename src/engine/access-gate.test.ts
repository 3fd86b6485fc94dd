import { expect, it } from 'vitest';
import { createKeyStoreFolder } from '../../tests/support/key-store-fixture.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import { appContract } from '../shared/contract/app-contract.ts';
import { callChanges } from '../shared/contract/call-changes.ts';
import { createAccessGate } from './access-gate.ts';
import { createFakeClock } from './ports/fake-clock.ts';

const names = Object.entries(appContract).flatMap(([feature, members]) =>
  Object.entries(members).map(([member, spec]) => ({ name: `${feature}.${member}`, kind: spec.kind })),
);

it('I3 locked: every call and feed but those of identity is refused, every snapshot but three is hidden', async () => {
  const place = createKeyStoreFolder();
  const store = place.store();
  const gate = createAccessGate({ keyStore: store, isTrusted: true, readOnlyContext: () => undefined });
  const seen: boolean[] = [];
  gate.onChange((isOpen) => seen.push(isOpen));

  function refused(): string[] {
    return names
      .filter(({ name, kind }) => {
        if (kind === 'snapshot') return !gate.isVisible(name as Parameters<typeof gate.isVisible>[0]);
        try {
          gate.check(name);
          return false;
        } catch (error) {
          return isVakError(error, 'locked') && error.message.startsWith(name);
        }
      })
      .map(({ name }) => name);
  }

  const hidden = refused();
  const free = names.map(({ name }) => name).filter((name) => !hidden.includes(name));
  expect(free.filter((name) => !name.startsWith('identity.'))).toEqual([...['app.status', 'operations.lockedNews']]);
  expect(hidden).toContain('identity.self');
  expect(hidden.length).toBeGreaterThan(10);
  await store.create({});
  expect([refused(), gate.isOpen]).toEqual([[], true]);
  store.lock();
  store.lock();
  expect([refused(), gate.isOpen]).toEqual([hidden, false]);
  await store.unlock({});
  expect(seen).toEqual([true, false, true]);
  gate.dispose();
  store.lock();
  expect(seen).toHaveLength(3);
  place.dispose();
});

it('I3 an idle lock closes the gate once, also when the machine had slept and nobody but the gate looks', async () => {
  const place = createKeyStoreFolder();
  const awake = createFakeClock();
  let sleptMs = 0;
  const store = place.store({ clock: { ...awake, now: () => awake.now() + sleptMs }, idleLockMinutes: 5 });
  await store.create({});
  const gate = createAccessGate({ keyStore: store, isTrusted: true, readOnlyContext: () => undefined });
  const seen: boolean[] = [];
  gate.onChange((isOpen) => seen.push(isOpen));
  sleptMs = 6 * 60_000;
  expect(() => gate.check('streams.read')).toThrow(/locked/);
  expect([seen, gate.isOpen]).toEqual([[false], false]);
  gate.dispose();
  place.dispose();
});

it('I3 after a failed self-test it stays closed, whatever the key store says', async () => {
  const place = createKeyStoreFolder();
  const store = place.store();
  const gate = createAccessGate({ keyStore: store, isTrusted: false, readOnlyContext: () => undefined });
  let changes = 0;
  gate.onChange(() => changes++);
  await store.create({});
  expect([gate.isOpen, gate.isVisible('sessions.list'), gate.isVisible('identity.keyStore'), changes]).toEqual([
    ...[false, false, true, 0],
  ]);
  expect(() => gate.check('swarm.start')).toThrow(/locked/);
  gate.dispose();
  place.dispose();
});

it('B10 in a read-only context every call that changes the bus is refused before its service, and no other', async () => {
  const place = createKeyStoreFolder();
  const store = place.store();
  await store.create({});
  let context: string | undefined = 'prod';
  const gate = createAccessGate({ keyStore: store, isTrusted: true, readOnlyContext: () => context });
  const calls = names.filter(({ kind }) => kind === 'call').map(({ name }) => name);
  const refused = (): string[] =>
    calls.filter((name) => {
      try {
        gate.check(name);
        return false;
      } catch (error) {
        return isVakError(error, 'read-only') && error.message.includes('"prod" is read-only');
      }
    });
  // A new call stands in the table, or does not compile; what is new here is a decision.
  expect(calls.toSorted()).toEqual(Object.keys(callChanges).toSorted());
  expect(refused().toSorted()).toEqual(
    Object.entries(callChanges).flatMap(([name, changes]) => (changes === 'bus' ? name : [])),
  );
  expect(refused()).toContain('queues.purge');
  context = undefined;
  expect(refused()).toEqual([]);
  gate.dispose();
  place.dispose();
});
