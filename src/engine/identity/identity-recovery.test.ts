import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { defineIdentityApp, inForce, publishedBy, type Started } from '../../../tests/support/identity-app.ts';
import { type Answer, closesIt } from '../../../tests/support/scripted-prompt.ts';
import { findSecrets } from '../../../tests/support/secret-search.ts';
import { filesUnder, knownSecrets, testWorkspace } from '../../../tests/support/test-profile.ts';
import { startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import { profileFiles } from '../settings/profile-files.ts';
import { secretFromText } from './secret.ts';
import { addWorkspaceSecret } from './workspace-secrets.ts';

const good = 'correct horse battery';
const other = 'another long passphrase';
const ada = { peer: 'ada', displayName: 'Ada' };
const at = defineIdentityApp();

describe('recovery', () => {
  it('I3 a changed keychain opens nothing and makes nothing anew; without a passphrase nothing is asked either', async () => {
    const first = await at.start();
    await first.calls.setUp(ada);
    await at.end(first);
    const before = filesUnder(at.folder);
    at.profiles.vault.name = 'kwallet6';
    const app = await at.start();
    expect(app.service.keyStoreState()).toMatchObject({ kind: 'recovery', slots: ['keychain'] });
    expect(app.service.keyStoreState().reason).toContain('gnome_libsecret');
    expect(await failure(app.calls.unlock())).toMatchObject({ code: 'recovery-needed' });
    expect(await failure(app.calls.setUp(ada))).toMatchObject({ code: 'exists' });
    expect(filesUnder(at.folder)).toEqual(before);
    at.profiles.vault.name = 'gnome_libsecret';
    const back = await at.restart(app);
    expect(publishedBy(back)).toEqual(inForce);
  });

  it('I3 the passphrase opens it under a changed keychain, which opens it by itself from then on', async () => {
    const first = await at.start();
    await first.calls.setUp(ada);
    at.prompt.answer(good);
    await first.calls.changePassphrase();
    expect(first.service.keyStoreState().slots).toEqual(['keychain', 'passphrase']);
    const self = first.service.self();
    at.profiles.vault.name = 'kwallet6';
    const moved = await at.restart(first);
    expect(moved.service.keyStoreState()).toMatchObject({ kind: 'recovery', slots: ['keychain', 'passphrase'] });
    at.prompt.answer(other, good);
    await moved.calls.unlock();
    expect(at.prompt.shown).toMatchObject([{ code: 'wrong-passphrase' }]);
    expect(moved.service.self()).toEqual(self);
    const next = await at.restart(moved);
    expect(next.service.self()).toEqual(self);
    expect(at.prompt.asked).toHaveLength(2);
  });

  it('I3 a keychain that refused is asked again when the operator asks', async () => {
    const first = await at.start();
    await first.calls.setUp(ada);
    at.profiles.vault.isRefusing = true;
    const app = await at.restart(first);
    expect(app.service.keyStoreState().kind).toBe('recovery');
    expect(at.profiles.log.join()).toContain('identity.not-opened');
    expect(await failure(app.calls.unlock())).toMatchObject({ code: 'recovery-needed' });
    at.profiles.vault.isRefusing = false;
    await app.calls.unlock();
    expect(publishedBy(app)).toEqual(inForce);
    expect(at.prompt.asked).toEqual([]);
  });

  it('starting anew needs the phrase, before anything is asked; then keys and root are new, and the old store is set aside', async () => {
    at.profiles.vault.isReal = false;
    const app = await at.start();
    at.prompt.answer(good);
    await app.calls.setUp(ada);
    const old = app.service.self();
    await app.calls.lock();
    const before = filesUnder(at.folder);
    for (const confirmation of ['', 'Start anew', `${startAnewPhrase} `]) {
      expect(await failure(app.calls.startAnew({ confirmation, ...ada }))).toMatchObject({ code: 'invalid-input' });
    }
    expect(at.prompt.asked).toHaveLength(1);
    expect(filesUnder(at.folder)).toEqual(before);
    at.prompt.answer(other);
    await app.calls.startAnew({ confirmation: startAnewPhrase, ...ada });
    const self = app.service.self();
    expect(self?.sign).not.toBe(old?.sign);
    expect(self?.rootPublic).not.toBe(old?.rootPublic);
    expect(self?.cardSerial).toBeGreaterThan(old?.cardSerial as number);
    expect(publishedBy(app)).toEqual(inForce);
    const kept = [...filesUnder(at.folder)].filter(([name]) => name.includes('replaced')).map(([, bytes]) => bytes);
    expect(kept).toContain(before.get('key-store.json'));
  });
});

describe('backup and restore', () => {
  async function backUp(app: Started, name = 'a.backup'): Promise<string> {
    const path = join(at.profiles.folder(), name);
    at.prompt.answer(path, 'passphrase of the backup');
    expect(await app.calls.backup()).toEqual({ path });
    return path;
  }

  it('I1 I3 a backup restores the same keys into a fresh profile, whose card and grant are published anew', async () => {
    const app = await at.start();
    await app.calls.setUp(ada);
    const path = await backUp(app);
    const { identities, workspaces } = app.profile.keyStore.read();
    const bytes = knownSecrets(app.profile.keyStore.read());
    expect(findSecrets({ folders: [at.folder, join(path, '..')] }, bytes)).toEqual([]);
    const fresh = await at.start(at.profiles.folder());
    at.prompt.answer(path, 'not that one', 'passphrase of the backup');
    await fresh.calls.restore();
    expect(at.prompt.shown).toMatchObject([{ code: 'wrong-passphrase' }]);
    expect(knownSecrets(fresh.profile.keyStore.read())).toEqual(bytes);
    const backup = { last: { atMs: at.profiles.clock.now(), how: 'restored' }, changed: [] };
    expect(fresh.service.self()).toEqual({ ...app.service.self(), grants: [expect.anything()], backup });
    expect(publishedBy(fresh)).toEqual(inForce);
    expect(identities).toHaveLength(1);
    expect(workspaces[0]?.rootPublic).toBe(fresh.service.self()?.rootPublic);
  });

  it('I3 when the last backup was made is told, and what of the keys it lacks; its file holds no secret', async () => {
    const app = await at.start();
    await app.calls.setUp(ada);
    const { clock, randomness } = at.profiles;
    const standing = () => app.service.self()?.backup;
    expect(standing()).toEqual({ last: null, changed: [] });
    const changes = app.changes();
    await backUp(app);
    const last = { atMs: clock.now(), how: 'made' };
    expect(standing()).toEqual({ last, changed: [] });
    expect(app.changes()).toBeGreaterThan(changes);
    clock.advance(1_000);
    // A card of a higher serial is no key.
    await app.profile.keyStore.update((all) => ({
      ...all,
      identities: all.identities.map((one) => ({ ...one, cardSerial: one.cardSerial + 1 })),
    }));
    expect(standing()).toEqual({ last, changed: [] });
    await app.profile.keyStore.update(
      (all) => addWorkspaceSecret(all, { workspace: testWorkspace, randomness }).contents,
    );
    await app.profile.keyStore.update((all) => ({
      ...all,
      credentials: new Map([['VAK_BUS_NATS_NKEY_SEED', secretFromText('pin1')]]),
      workspaces: all.workspaces.map((one) => ({
        ...one,
        secrets: one.secrets.map((secret) => (secret.id === 's1' ? { ...secret, state: 'revoked' } : secret)),
      })),
    }));
    const changed = [
      { kind: 'secret', count: 2 },
      { kind: 'credential', count: 1 },
    ];
    expect(standing()).toEqual({ last, changed });
    await at.end(app);
    // It outlives a start; the digest of a short credential is keyed.
    const again = await at.start();
    expect(again.service.self()?.backup).toEqual({ last, changed });
    await backUp(again, 'b.backup');
    expect(again.service.self()?.backup.changed).toEqual([]);
    const file = readFileSync(profileFiles(at.folder).backupRecord, 'utf8');
    expect(file).not.toMatch(/ada|s1|NKEY|pin1/);
  });

  it('I3 without a keychain the restored store gets a passphrase of its own', async () => {
    at.profiles.vault.isReal = false;
    const app = await at.start();
    at.prompt.answer(good);
    await app.calls.setUp(ada);
    const self = app.service.self();
    const path = await backUp(app);
    const place = at.profiles.folder();
    const fresh = await at.start(place);
    at.prompt.answer(path, 'passphrase of the backup', other);
    await fresh.calls.restore();
    expect(fresh.service.self()?.sign).toBe(self?.sign);
    await at.end(fresh);
    const again = await at.start(place);
    at.prompt.answer('passphrase of the backup', good, other);
    await again.calls.unlock();
    expect(again.service.self()?.sign).toBe(self?.sign);
  });

  it('I3 a wrong passphrase of the backup, or closing either window, changes nothing on disk', async () => {
    at.profiles.vault.isReal = false;
    const app = await at.start();
    at.prompt.answer(good);
    await app.calls.setUp(ada);
    const path = await backUp(app);
    const before = filesUnder(at.folder);
    const state = app.service.keyStoreState();
    const tries: readonly (readonly Answer[])[] = [
      [closesIt],
      [path, closesIt],
      [path, 'wrong one', closesIt],
      [path, 'passphrase of the backup', closesIt],
    ];
    for (const answers of tries) {
      at.prompt.answer(...answers);
      expect(await failure(app.calls.restore())).toMatchObject({ code: 'aborted' });
      expect(filesUnder(at.folder)).toEqual(before);
    }
    at.prompt.answer(join(at.folder, 'settings.json'));
    expect((await failure(app.calls.restore())).message).toContain('cannot read');
    at.prompt.answer(join(at.folder, 'serials.json'), 'whatever it may be', closesIt);
    expect(await failure(app.calls.restore())).toMatchObject({ code: 'aborted' });
    expect(at.prompt.shown.at(-1)).toMatchObject({ code: expect.stringMatching(/corrupt|invalid-input/) });
    expect(filesUnder(at.folder)).toEqual(before);
    expect(app.service.keyStoreState()).toEqual(state);
  });

  it('I4 after starting anew, a restored backup is in force again: its card is no replay, its root grants', async () => {
    const app = await at.start();
    await app.calls.setUp(ada);
    const old = app.service.self();
    const path = await backUp(app);
    await app.calls.startAnew({ confirmation: startAnewPhrase, ...ada });
    expect(app.service.self()?.sign).not.toBe(old?.sign);
    const anew = app.service.self()?.cardSerial as number;
    at.prompt.answer(path, 'passphrase of the backup');
    await app.calls.restore();
    expect(app.service.self()).toMatchObject({ sign: old?.sign, rootPublic: old?.rootPublic });
    expect(app.service.self()?.cardSerial).toBeGreaterThan(anew);
    expect(publishedBy(app)).toEqual(inForce);
    const again = await at.restart(app);
    expect(publishedBy(again)).toEqual(inForce);
  });

  it('a backup that cannot be written is said, asked again, and leaves nothing behind', async () => {
    const app = await at.start();
    await app.calls.setUp(ada);
    const place = at.profiles.folder();
    mkdirSync(join(place, 'taken'));
    at.prompt.answer(join(place, 'taken'), 'passphrase of the backup', closesIt);
    expect(await failure(app.calls.backup())).toMatchObject({ code: 'aborted' });
    expect(at.prompt.shown.map(({ message }) => message)).toEqual([expect.stringContaining('cannot write')]);
    expect(readdirSync(place)).toEqual(['taken']);
  });

  it('while it is locked, backup and a new passphrase are refused before anything is asked', async () => {
    const app = await at.start();
    await app.calls.setUp(ada);
    await app.calls.lock();
    expect(await failure(app.calls.backup())).toMatchObject({ code: 'locked' });
    expect(await failure(app.calls.changePassphrase())).toMatchObject({ code: 'locked' });
    expect(at.prompt.asked).toEqual([]);
  });
});
