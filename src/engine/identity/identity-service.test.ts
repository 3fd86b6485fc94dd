import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { defineIdentityApp, inForce, publishedBy } from '../../../tests/support/identity-app.ts';
import { passphrase, secretsOf } from '../../../tests/support/key-store-fixture.ts';
import { closesIt } from '../../../tests/support/scripted-prompt.ts';
import { findSecrets } from '../../../tests/support/secret-search.ts';
import { filesUnder, knownSecrets, testWorkspace } from '../../../tests/support/test-profile.ts';
import { startAnewPhrase } from '../../shared/contract/identity-contract.ts';

const good = 'correct horse battery';
const ada = { peer: 'ada', displayName: 'Ada' };
const at = defineIdentityApp();

describe('first start', () => {
  it('I1 I4 with a real keychain asks nothing, makes identity, root and secret, and a second start opens it all by itself', async () => {
    const first = await at.start();
    expect(first.service.keyStoreState()).toMatchObject({ kind: 'absent', reason: null });
    expect(first.service.self()).toBeNull();
    await first.calls.setUp(ada);
    expect(first.service.keyStoreState()).toMatchObject({ kind: 'unlocked', slots: ['keychain'] });
    const self = first.service.self();
    expect(self).toMatchObject({ peer: 'ada', name: 'Ada', kind: 'human', workspace: testWorkspace, holdsRoot: true });
    expect(self?.secrets).toEqual([{ id: 's1', state: 'active' }]);
    expect(publishedBy(first)).toEqual(inForce);
    expect(first.changes()).toBeGreaterThan(0);
    const second = await at.restart(first);
    expect(second.service.self()).toEqual(self);
    expect(second.service.operator().peer).toBe('ada');
    expect(at.prompt.asked).toEqual([]);
  });

  it('I3 without one asks for a passphrase, until it is long enough; each later start asks for it once', async () => {
    at.profiles.vault.isReal = false;
    const first = await at.start();
    at.prompt.answer('short', good);
    await first.calls.setUp(ada);
    expect(at.prompt.kinds).toEqual(['new-passphrase']);
    expect(at.prompt.shown).toMatchObject([{ code: 'invalid-input' }]);
    expect(first.service.keyStoreState().slots).toEqual(['passphrase']);
    const self = first.service.self();

    const second = await at.restart(first);
    expect(second.service.keyStoreState().kind).toBe('locked');
    expect(second.service.self()).toBeNull();
    expect(() => second.service.operator()).toThrow(/locked/);
    at.prompt.answer('wrong horse battery', good);
    await second.calls.unlock();
    expect(at.prompt.shown.slice(1)).toMatchObject([{ code: 'wrong-passphrase' }]);
    expect(second.service.self()).toEqual(self);
    await second.calls.unlock();
    expect(at.prompt.asked).toHaveLength(2);
  });

  it('I3 where the keychain is real and refuses, a passphrase is asked for instead', async () => {
    at.profiles.vault.isRefusing = true;
    const app = await at.start();
    at.prompt.answer(good);
    await app.calls.setUp(ada);
    expect(app.service.keyStoreState().slots).toEqual(['passphrase']);
    expect(publishedBy(app)).toEqual(inForce);
  });

  it.each([true, false])(
    'is completed after a crash between key store and identity (real keychain: %s)',
    async (isReal) => {
      at.profiles.vault.isReal = isReal;
      const crashed = await at.start();
      await crashed.profile.keyStore.create(isReal ? {} : { passphrase: passphrase() });
      const again = await at.restart(crashed);
      if (!isReal) {
        expect(await failure(again.calls.setUp(ada))).toMatchObject({ code: 'exists' });
        at.prompt.answer(good);
        await again.calls.unlock();
      }
      expect(again.service.keyStoreState().kind).toBe('unlocked');
      expect(again.service.self()).toBeNull();
      expect(() => again.service.operator()).toThrow(/no identity yet/);
      await again.calls.setUp(ada);
      expect(publishedBy(again)).toEqual(inForce);
      expect(at.prompt.asked).toHaveLength(isReal ? 0 : 1);
    },
  );

  it('I4 a crash between identity and directory is put right by the next start', async () => {
    const crashed = await at.start();
    await crashed.calls.setUp(ada);
    await at.end(crashed);
    const elsewhere = at.profiles.folder();
    for (const name of readdirSync(at.folder).filter((one) => one.startsWith('key-store')))
      copyFileSync(join(at.folder, name), join(elsewhere, name));
    const again = await at.start(elsewhere);
    expect(publishedBy(again)).toEqual(inForce);
  });

  it('a second setUp is refused, open or locked, and changes nothing', async () => {
    const app = await at.start();
    await app.calls.setUp(ada);
    const before = filesUnder(at.folder);
    expect(await failure(app.calls.setUp({ peer: 'bob', displayName: 'Bob' }))).toMatchObject({ code: 'exists' });
    await app.calls.lock();
    expect(await failure(app.calls.setUp(ada))).toMatchObject({ code: 'exists' });
    expect(filesUnder(at.folder)).toEqual(before);
  });

  it.each([
    ['a name that is no token', { peer: 'a b', displayName: 'Ada' }],
    ['an empty display name', { peer: 'ada', displayName: '' }],
  ])('%s is refused, and the next try completes it', async (_, input) => {
    const app = await at.start();
    expect(await failure(app.calls.setUp(input))).toMatchObject({ code: 'invalid-input' });
    await app.calls.setUp(ada);
    expect(publishedBy(app)).toEqual(inForce);
  });
});

describe('what is refused', () => {
  it('I3 after a failed self-test nothing opens, nothing is asked, and the state says why', async () => {
    const first = await at.start();
    await first.calls.setUp(ada);
    await at.end(first);
    const before = filesUnder(at.folder);
    const app = await at.start(at.folder, { ok: false, failed: ['x25519', 'scrypt'] });
    expect(app.service.keyStoreState()).toMatchObject({ kind: 'self-test-failed' });
    expect(app.service.keyStoreState().reason).toContain('x25519, scrypt');
    const tries = [
      app.calls.setUp(ada),
      app.calls.unlock(),
      app.calls.restore(),
      app.calls.startAnew({ confirmation: startAnewPhrase, ...ada }),
    ];
    for (const one of tries) expect(await failure(one)).toMatchObject({ code: 'self-test-failed' });
    expect(app.service.self()).toBeNull();
    expect(app.profile.keyStore.state().kind).toBe('locked');
    expect(at.prompt.asked).toEqual([]);
    expect(filesUnder(at.folder)).toEqual(before);
  });

  it('I3 a closed window changes nothing: setUp, unlock, passphrase, starting anew', async () => {
    at.profiles.vault.isReal = false;
    const app = await at.start();
    const empty = filesUnder(at.folder);
    at.prompt.answer(closesIt);
    expect(await failure(app.calls.setUp(ada))).toMatchObject({ code: 'aborted' });
    expect(filesUnder(at.folder)).toEqual(empty);
    expect(app.service.keyStoreState().kind).toBe('absent');
    at.prompt.answer(good);
    await app.calls.setUp(ada);
    const before = filesUnder(at.folder);
    at.prompt.answer('short', closesIt, closesIt);
    expect(await failure(app.calls.changePassphrase())).toMatchObject({ code: 'aborted' });
    expect(await failure(app.calls.startAnew({ confirmation: startAnewPhrase, ...ada }))).toMatchObject({
      code: 'aborted',
    });
    await app.calls.lock();
    at.prompt.answer('not that one at all', closesIt);
    expect(await failure(app.calls.unlock())).toMatchObject({ code: 'aborted' });
    expect(app.service.keyStoreState().kind).toBe('locked');
    expect(filesUnder(at.folder)).toEqual(before);
  });

  it('where there is no key store, unlock says so and asks for nothing', async () => {
    at.profiles.vault.isReal = false;
    const app = await at.start();
    expect(await failure(app.calls.unlock())).toMatchObject({ code: 'not-found' });
  });
});

it('I3 locking erases what was given out; touching puts off the idle lock', async () => {
  const app = await at.start();
  await app.calls.setUp(ada);
  app.profile.keyStore.setIdleLockMinutes(1);
  const changes = app.changes();
  at.profiles.clock.advance(59_000);
  await app.calls.touch();
  at.profiles.clock.advance(59_000);
  expect(app.service.keyStoreState().kind).toBe('unlocked');
  const given = secretsOf(app.profile.keyStore.read());
  at.profiles.clock.advance(31_000);
  expect(app.service.keyStoreState().kind).toBe('locked');
  expect(app.service.self()).toBeNull();
  expect(app.changes()).toBeGreaterThan(changes);
  for (const secret of given) expect(() => secret.reveal()).toThrow(/erased/);
});

it('I3 no state and no error holds a secret, nor any file of the profile', async () => {
  const app = await at.start();
  await app.calls.setUp(ada);
  const secrets = knownSecrets(app.profile.keyStore.read());
  expect(secrets.length).toBeGreaterThanOrEqual(4);
  const texts = {
    state: JSON.stringify(app.service.keyStoreState()),
    self: JSON.stringify(app.service.self()),
    operator: JSON.stringify(app.service.operator()),
    error: JSON.stringify((await failure(app.calls.setUp(ada))).toShape()),
    log: at.profiles.log.join('\n'),
  };
  expect(findSecrets({ texts, folders: [at.folder] }, secrets)).toEqual([]);
});
