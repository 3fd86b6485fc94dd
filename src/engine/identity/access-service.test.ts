import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type AccessApp, startAccess } from '../../../tests/support/access-app.ts';
import { failure } from '../../../tests/support/expected-failure.ts';
import { defineIdentityApp } from '../../../tests/support/identity-app.ts';
import { boxOf, cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { closesIt } from '../../../tests/support/scripted-prompt.ts';
import { testWorkspace as ws } from '../../../tests/support/test-profile.ts';
import { compareSafety } from '../../shared/protocol/safety-text.ts';
import { grantAt } from './grant-timeline.ts';
import { createNkeySigner } from './nkey.ts';
import { safetyNumber } from './safety-number.ts';

const at = defineIdentityApp();
const bobKey = signerOf(2);
const bob = { ws, peer: 'bob', name: 'Bob', serial: 5 };
const bobCard = JSON.stringify(cardWith(bob, bobKey));
const worker = { peer: 'bob', sign: bobKey.nkey, roles: ['worker' as const], queues: ['builds'], notAfter: 0 };
let access: AccessApp;

beforeEach(async () => {
  const app = await at.start();
  await app.calls.setUp({ peer: 'ada', displayName: 'Ada' });
  access = startAccess(at, app);
});
afterEach(() => access.end());

const keyStore = () => access.app.profile.keyStore;
const records = () => access.app.profile.records;
const rolesOf = (peer: string) =>
  grantAt(records().timelines(keyStore().read())(peer), at.profiles.clock.now())?.grant.roles;
const stateOf = (peer: string) => access.service.peers().peers.find((one) => one.peer === peer);

/** Lets this profile be one that only knows its root. */
async function loseRoot(): Promise<void> {
  await keyStore().update((contents) => ({
    ...contents,
    workspaces: contents.workspaces.map((one) => ({ ...one, rootSeed: null })),
  }));
}

describe('grants', () => {
  it('I4 grants a peer whose card was seen, supersedes what it had, and puts each on record twice', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    expect(rolesOf('bob')).toEqual(['worker']);
    await access.calls.grant({ ...worker, roles: ['observer'], queues: [], notAfter: 4_000_000_000 });
    expect(rolesOf('bob')).toEqual(['observer']);
    const said = access.record.map(({ action: { action, target, scope, outcome } }) => [
      action,
      target,
      scope,
      outcome,
    ]);
    expect(said).toEqual([
      ['grant.add', 'bob', 'worker of builds, without end', 'begun'],
      ['grant.add', 'bob', 'worker of builds, without end', 'done'],
      ['grant.add', 'bob', 'observer, until 2096-10-02T07:06:40.000Z', 'begun'],
      ['grant.add', 'bob', 'observer, until 2096-10-02T07:06:40.000Z', 'done'],
    ]);
    expect(access.record.every(({ subject }) => subject === `vak.audit.${ws}.ada.action`)).toBe(true);
    const ids = access.record.map(({ action }) => action['operationId']);
    expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
  });

  it('I4 two grants at once get rising serials, and the later one is in force', async () => {
    await access.calls.addCard({ text: bobCard });
    await Promise.all([access.calls.grant(worker), access.calls.grant({ ...worker, queues: ['docs'] })]);
    const { grants } = records().timelines(keyStore().read())('bob');
    expect(grants.map(({ grant }) => grant.queues)).toEqual([['builds'], ['docs']]);
  });

  it('I4 revokes behind the typed name, with the reason on record; a second time there is nothing to take', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    const revoke = { peer: 'bob', confirmedName: 'bob', reason: 'left the team', environment: 'local' };
    expect(await failure(access.calls.revoke({ ...revoke, confirmedName: 'Bob' }))).toMatchObject({
      code: 'invalid-input',
    });
    expect(rolesOf('bob')).toEqual(['worker']);
    await access.calls.revoke(revoke);
    expect(rolesOf('bob')).toEqual([]);
    expect(access.record.at(-1)?.action).toMatchObject({
      action: 'grant.revoke',
      reason: 'left the team',
      outcome: 'done',
    });
    expect(await failure(access.calls.revoke(revoke))).toMatchObject({ code: 'not-found' });
  });

  it.each([
    ['grant', () => access.calls.grant(worker)],
    ['revoke', () => access.calls.revoke({ peer: 'bob', confirmedName: 'bob' })],
    ['renewCard', () => access.calls.renewCard()],
  ])('A4 %s is refused on a read-only context, and nothing is changed or on record', async (_, act) => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    const before = [rolesOf('bob'), access.app.service.self()?.cardSerial, access.record.length];
    access.world.isReadOnly = true;
    expect(await failure(act())).toMatchObject({ code: 'read-only' });
    expect([rolesOf('bob'), access.app.service.self()?.cardSerial, access.record.length]).toEqual(before);
  });

  it('I4 without the root it says what to do instead, before anything is on record', async () => {
    await access.calls.addCard({ text: bobCard });
    await loseRoot();
    expect(await failure(access.calls.grant(worker))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('vak grant import'),
    });
    expect(access.record).toEqual([]);
  });

  it('I4 what cannot be put on record is not done', async () => {
    await access.calls.addCard({ text: bobCard });
    access.world.refusal = 'disk-full';
    expect(await failure(access.calls.grant(worker))).toMatchObject({ code: 'disk-full' });
    expect(rolesOf('bob')).toBeUndefined();
  });

  it.each([
    ['of a peer that nobody has seen', { ...worker, peer: 'eve' }, 'invalid-input', 'no card of it'],
    ['of another key than the pinned one', { ...worker, sign: signerOf(3).nkey }, 'invalid-input', 'not the key'],
    ['on another connection than was shown', { ...worker, environment: 'prod' }, 'conflict', 'changed meanwhile'],
    ['of a worker without a queue', { ...worker, queues: [] }, 'invalid-input', 'queues'],
    ['that is over already', { ...worker, notAfter: 1 }, 'invalid-input', 'past'],
    ['that takes the operator’s own role', { ...worker, peer: 'ada' }, 'invalid-input', 'ada'],
  ])('I4 a grant %s is refused', async (_, input, code, words) => {
    await access.calls.addCard({ text: bobCard });
    const sign = input.peer === 'ada' ? access.app.service.self()?.sign : input.sign;
    const error = await failure(access.calls.grant({ ...input, sign: sign ?? '' }));
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(access.record).toEqual([]);
  });

  it('I4 an operator cannot revoke itself', async () => {
    const error = await failure(access.calls.revoke({ peer: 'ada', confirmedName: 'ada' }));
    expect(error).toMatchObject({ code: 'invalid-input', message: expect.stringContaining('is you') });
  });

  it('I2 nobody is granted anything while its key is in doubt', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.addCard({ text: JSON.stringify(cardWith({ ...bob, serial: 6 }, signerOf(3))) });
    expect(await failure(access.calls.grant(worker))).toMatchObject({ code: 'forbidden' });
  });

  it('R14 the own card is renewed with a box key that lasts, published and on record', async () => {
    const before = access.app.service.self();
    at.profiles.clock.advance(60_000);
    await access.calls.renewCard();
    const after = access.app.service.self();
    expect(after?.sign).toBe(before?.sign);
    expect(after?.box).not.toBe(before?.box);
    expect((after?.boxExpiresAtMs ?? 0) - at.profiles.clock.now()).toBeGreaterThan(30 * 24 * 3600_000 - 1_000);
    expect(records().directory.card('ada')?.record).toMatchObject({ box: after?.box, serial: after?.cardSerial });
    expect(access.record.map(({ action }) => [action['action'], action['outcome']])).toEqual([
      ['card.renew', 'begun'],
      ['card.renew', 'done'],
    ]);
  });
});

describe('I2 peers', () => {
  it('I2 a card is pinned at first sight and renewed under the same key; what is old is a replay', async () => {
    expect(await access.calls.addCard({ text: bobCard })).toEqual({ peer: 'bob', sight: 'first' });
    expect(await access.calls.addCard({ text: bobCard })).toEqual({ peer: 'bob', sight: 'known' });
    const renewed = cardWith({ ...bob, serial: 6, box: boxOf(3) }, bobKey);
    expect(await access.calls.addCard({ text: JSON.stringify(renewed) })).toEqual({ peer: 'bob', sight: 'renewed' });
    expect(await access.calls.addCard({ text: bobCard })).toEqual({ peer: 'bob', sight: 'replay' });
    expect(stateOf('bob')).toMatchObject({ state: 'pinned', firstSeenMs: at.profiles.clock.now(), cardSerial: 6 });
    expect(access.changes()).toBeGreaterThan(0);
  });

  it('I2 the own peers are listed as such, are never pinned, and have nothing to compare', async () => {
    const { text } = await access.calls.ownCard();
    expect(await access.calls.addCard({ text })).toEqual({ peer: 'ada', sight: 'own' });
    expect(stateOf('ada')).toMatchObject({ state: 'own', firstSeenMs: null });
    expect(await failure(access.calls.safety({ peer: 'ada' }))).toMatchObject({ code: 'not-found' });
  });

  it('I2 cards that come to the directory are pinned by themselves, forged ones are not', async () => {
    const { directory, pins } = records();
    await directory.putCard(cardWith({ ...bob, peer: 'carl' }, signerOf(4)));
    await directory.putCard({ ...cardWith({ ...bob, peer: 'mallory' }, signerOf(5)), name: 'Carl' });
    await access.service.settled();
    expect(pins.list(ws).map(({ card }) => card.peer)).toEqual(['carl']);
    const refusedCount = () => at.profiles.log.filter((line) => line.includes('identity.card-not-pinned')).length;
    expect(refusedCount()).toBe(1);
    // What was looked at is not looked at again, whatever else comes.
    await directory.putCard(cardWith({ ...bob, peer: 'dora' }, signerOf(6)));
    await access.service.settled();
    expect([pins.list(ws).map(({ card }) => card.peer), refusedCount()]).toEqual([['carl', 'dora'], 1]);
  });

  it.each([
    ['no JSON', 'hello', 'invalid-input'],
    ['a forged field', JSON.stringify({ ...JSON.parse(bobCard), name: 'Eve' }), 'invalid-input'],
    ['another workspace', JSON.stringify(cardWith({ ...bob, ws: 'other' }, bobKey)), 'invalid-input'],
  ])('I1 a card of %s is refused and pins nothing', async (_, text, code) => {
    expect(await failure(access.calls.addCard({ text }))).toMatchObject({ code });
    expect(stateOf('bob')).toBeUndefined();
  });

  it('I1 a card comes from a file too; a closed dialog changes nothing, and what is too large is no card', async () => {
    const path = join(at.profiles.folder(), 'bob.card.json');
    writeFileSync(path, bobCard);
    at.prompt.answer(closesIt, path);
    expect(await failure(access.calls.addCardFile())).toMatchObject({ code: 'aborted' });
    expect(await access.calls.addCardFile()).toEqual({ peer: 'bob', sight: 'first' });
    writeFileSync(path, ' '.repeat(20_000));
    at.prompt.answer(path);
    expect(await failure(access.calls.addCardFile())).toMatchObject({ code: 'invalid-input' });
  });

  it('I2 both sides see the same number and text, and a compared key is verified', async () => {
    await access.calls.addCard({ text: bobCard });
    const sign = access.app.service.self()?.sign ?? '';
    const report = await access.calls.safety({ peer: 'bob' });
    expect(report.number).toBe(safetyNumber({ peer: 'bob', sign: bobKey.nkey }, { peer: 'ada', sign }));
    const own = { pair: { ws, peers: report.peers }, number: report.number };
    expect(compareSafety(report.text, own)).toEqual({ kind: 'same' });
    await access.calls.setVerified({ peer: 'bob', sign: bobKey.nkey, isVerified: true });
    expect(stateOf('bob')).toMatchObject({ state: 'verified', sinceMs: at.profiles.clock.now() });
    await access.calls.setVerified({ peer: 'bob', sign: bobKey.nkey, isVerified: false });
    expect(stateOf('bob')?.state).toBe('pinned');
  });

  it('I2 a changed key says whether the root granted it, is compared as it is now, and accepted behind the typed name', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    const eve = signerOf(3);
    await access.calls.addCard({ text: JSON.stringify(cardWith({ ...bob, serial: 9 }, eve)) });
    expect(stateOf('bob')).toMatchObject({
      state: 'changed',
      sign: bobKey.nkey,
      offered: { sign: eve.nkey, isGranted: false },
    });
    expect((await access.calls.safety({ peer: 'bob' })).peers[1].sign).toBe(eve.nkey);
    const accept = { peer: 'bob', sign: eve.nkey, confirmedName: 'bob' };
    expect(await failure(access.calls.acceptKey({ ...accept, confirmedName: '' }))).toMatchObject({
      code: 'invalid-input',
    });
    expect(await failure(access.calls.acceptKey({ ...accept, sign: bobKey.nkey }))).toMatchObject({
      code: 'not-found',
    });
    await access.calls.acceptKey(accept);
    expect(stateOf('bob')).toMatchObject({ state: 'pinned', sign: eve.nkey, offered: null });
  });

  it('I2 a blocked peer stays blocked whatever its key does, until it is let go', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.setBlocked({ peer: 'bob', isBlocked: true });
    expect(stateOf('bob')).toMatchObject({ state: 'blocked', sinceMs: at.profiles.clock.now() });
    await access.calls.setBlocked({ peer: 'bob', isBlocked: false });
    expect(stateOf('bob')?.state).toBe('pinned');
  });

  test('I14 nothing of it is done or shown while the key store is locked', async () => {
    await access.calls.addCard({ text: bobCard });
    keyStore().lock();
    expect(access.service.peers()).toEqual({ peers: [], leftOutCount: 0 });
    for (const call of [
      access.calls.ownCard(),
      access.calls.addCard({ text: bobCard }),
      access.calls.addCardFile(),
      access.calls.safety({ peer: 'bob' }),
      access.calls.setBlocked({ peer: 'bob', isBlocked: true }),
      access.calls.acceptKey({ peer: 'bob', sign: bobKey.nkey, confirmedName: 'bob' }),
      access.calls.grant(worker),
    ])
      expect(await failure(call)).toMatchObject({ code: 'locked' });
    expect(records().pins.find({ ws, peer: 'bob' })?.blockedMs).toBeNull();
  });

  test('I3 nothing that the service gives holds a seed', async () => {
    await access.calls.addCard({ text: bobCard });
    const given = JSON.stringify([
      access.service.peers(),
      await access.calls.ownCard(),
      await access.calls.safety({ peer: 'bob' }),
    ]);
    for (const { signSeed } of keyStore().read().identities) {
      expect(given).not.toContain(new TextDecoder().decode(signSeed.reveal()));
      createNkeySigner(signSeed).dispose();
    }
  });
});

describe('exports for a server', () => {
  const seedOf = (peer: string): string => {
    const identity = keyStore()
      .read()
      .identities.find((one) => one.peer === peer);
    return new TextDecoder().decode(identity?.signSeed.reveal());
  };

  it('A4 tells a server of everybody who has a grant in force, and holds no secret', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    const block = await access.calls.exportServer({ format: 'nats-conf' });
    expect(block).toMatchObject({ format: 'nats-conf', peerCount: 2 });
    expect(block.text).toContain(`nkey: ${bobKey.nkey}`);
    const jwts = await access.calls.exportServer({ format: 'jwt' });
    expect(jwts.text).toMatch(/^operator: eyJ[\s\S]*resolver: MEMORY[\s\S]*# user JWT of bob\n# eyJ/);
    for (const { text } of [block, jwts]) expect(text).not.toContain(seedOf('ada'));
    await access.calls.revoke({ peer: 'bob', confirmedName: 'bob' });
    expect((await access.calls.exportServer({ format: 'nats-conf' })).text).not.toContain(bobKey.nkey);
  });

  it('A4 I1 nobody is granted with the key of another, nor with one that another had', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    await access.calls.revoke({ peer: 'bob', confirmedName: 'bob' });
    await access.calls.addCard({ text: JSON.stringify(cardWith({ ...bob, peer: 'twin' }, bobKey)) });
    expect(await failure(access.calls.grant({ ...worker, peer: 'twin' }))).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/grant twin: this key is that of bob/),
    });
    await access.calls.grant(worker);
    expect(rolesOf('twin')).toBeUndefined();
  });

  it('A4 leaves out whose grant has ended', async () => {
    await access.calls.addCard({ text: bobCard });
    const endsMs = at.profiles.clock.now() + 60_000;
    await access.calls.grant({ ...worker, notAfter: Math.floor(endsMs / 1000) });
    const text = async () => (await access.calls.exportServer({ format: 'nats-conf' })).text;
    expect(await text()).toContain(bobKey.nkey);
    expect((await access.calls.exportServer({ format: 'nats-conf' })).endingCount).toBe(1);
    at.profiles.clock.advance(61_000);
    expect(await text()).not.toContain(bobKey.nkey);
  });

  it('A4 saves it, and the credentials of a peer whose keys are here, where the operator says and for the owner alone', async () => {
    const folder = at.profiles.folder();
    const [conf, creds] = [join(folder, 'access.conf'), join(folder, 'ada.creds')] as const;
    at.prompt.answer(conf, creds, closesIt);
    expect(await access.calls.saveServer({ format: 'nats-conf' })).toEqual({ path: conf });
    expect(readFileSync(conf, 'utf8')).toBe((await access.calls.exportServer({ format: 'nats-conf' })).text);
    expect(await access.calls.saveCredentials({ peer: 'ada' })).toEqual({ path: creds });
    expect(readFileSync(creds, 'utf8')).toContain(seedOf('ada'));
    expect(statSync(creds).mode & 0o777).toBe(0o600);
    expect(await failure(access.calls.saveServer({ format: 'nats-conf' }))).toMatchObject({ code: 'aborted' });
  });

  it('A4 has no credentials of a peer whose keys are elsewhere, and signs nothing without the root', async () => {
    await access.calls.addCard({ text: bobCard });
    await access.calls.grant(worker);
    expect(await failure(access.calls.saveCredentials({ peer: 'bob' }))).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('the seed is where the peer is'),
    });
    expect(await failure(access.calls.saveCredentials({ peer: 'zoe' }))).toMatchObject({ code: 'not-found' });
    await loseRoot();
    expect(await failure(access.calls.exportServer({ format: 'jwt' }))).toMatchObject({ code: 'forbidden' });
    expect((await access.calls.exportServer({ format: 'nats-conf' })).peerCount).toBe(2);
  });
});
