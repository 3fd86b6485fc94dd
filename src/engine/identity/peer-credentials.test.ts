import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, refusal } from '../../../tests/support/expected-failure.ts';
import { secretsOf } from '../../../tests/support/key-store-fixture.ts';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../../tests/support/test-profile.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { verifyGrant } from './grants.ts';
import { createFirstIdentity, createPeerIdentity, updateAndErase } from './operator-identity.ts';
import { takeCredentials } from './own-credentials.ts';
import { highestGrantSerial, publishGrant, settleOwnRecords } from './own-records.ts';
import {
  createCredentialIssuer,
  eraseCredentials,
  heldCredentials,
  type IssueCredentials,
  type PeerCredentials,
} from './peer-credentials.ts';
import type { Profile } from './profile.ts';
import { grant, revokeGrant } from './root-grants.ts';
import type { Secret } from './secret.ts';
import { createRecordChecks } from './signed-record.ts';
import { addWorkspaceSecret, setSecretState } from './workspace-secrets.ts';

const dayMs = 86_400_000;
const workspace = testWorkspace;
const wanted = { peer: 'worker-1', roles: ['worker'], queues: ['local'] } as const;
let profiles: TestProfiles;
let profile: Profile;
let issue: IssueCredentials;

const issuerOf = ({ keyStore, records }: Profile): IssueCredentials => {
  const { clock, randomness } = profiles;
  return createCredentialIssuer({ keyStore, records, clock, randomness });
};

async function makeOperator({ keyStore, records }: Profile): Promise<void> {
  const { clock, randomness } = profiles;
  const first = { peer: 'ada', name: 'Ada', workspace, clock, randomness };
  await updateAndErase(keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
  await settleOwnRecords(keyStore, { workspace, clock }, records);
}

beforeEach(async () => {
  profiles = createTestProfiles();
  profile = await profiles.open(profiles.folder());
  await profile.keyStore.create({});
  profile.keyStore.setIdleLockMinutes(0);
  await makeOperator(profile);
  issue = issuerOf(profile);
});

afterEach(async () => {
  await profiles.remove();
  expect(profiles.clock.timerCount).toBe(0);
});

const arraysOf = ({ signSeed, boxSecret, secrets }: PeerCredentials): Uint8Array[] => [
  signSeed,
  boxSecret,
  ...secrets.map(({ secret }) => secret),
];
const grantsStored = (peer: string): number => profile.records.directory.grants(peer).length;

describe('credentials that are held', () => {
  const held = (peer: string) => heldCredentials(peer, { ...profile, clock: profiles.clock });

  it('I4 C1 a person has those of its grant, a process those that it was given, and nothing is made', async () => {
    const issued = await issue(wanted);
    const before = profile.keyStore.state();
    expect(held('worker-1')).toEqual(issued);
    const ada = held('ada');
    expect([ada.card.kind, ada.grant.roles, grantsStored('ada')]).toEqual([
      'human',
      ['operator', 'human', 'provisioner'],
      1,
    ]);
    takeCredentials(ada, { workspace, peer: 'ada' }).dispose();
    expect(profile.keyStore.state()).toEqual(before);
  });

  it('I4 C1 who is not there, was revoked, or whose grant is over has none', async () => {
    expect(refusal(() => held('nobody'), 'not-found').message).toContain('it has ada');
    await issue(wanted);
    profiles.sleep(31 * dayMs);
    refusal(() => held('worker-1'), 'forbidden');
    const { keyStore, records } = profile;
    const seenSerial = highestGrantSerial(workspace, 'ada', records);
    const target = { contents: keyStore.read(), workspace, peer: 'ada', sign: held('ada').card.sign, seenSerial };
    await publishGrant(revokeGrant({ ...target, clock: profiles.clock }), records);
    refusal(() => held('ada'), 'forbidden');
  });
});

describe('worker credentials', () => {
  it('I3 I4 fit together, are published, and are the same at each start', async () => {
    const first = await issue(wanted);
    const { card, grant, rootPublic } = first;
    expect(card).toMatchObject({ ws: workspace, peer: 'worker-1', kind: 'process', agent: false });
    expect(verifyGrant(grant, rootPublic, createRecordChecks())).toMatchObject({
      ...{ peer: 'worker-1', sign: card.sign, roles: ['worker'], queues: ['local'], notAfter: card.boxExpiresAt },
    });
    expect(profile.records.directory.card('worker-1')?.record).toEqual(card);
    expect(profile.records.directory.grants('worker-1').map(({ record }) => record)).toEqual([grant]);
    const again = await issue(wanted);
    expect(again).toEqual(first);
    expect(grantsStored('worker-1')).toBe(1);
    await profile.close();
    const next = await profiles.open(profile.files.settings.replace('/settings.json', ''));
    await next.keyStore.unlock({});
    expect(await issuerOf(next)(wanted)).toEqual(first);
    takeCredentials(again, { workspace, peer: 'worker-1' }).dispose();
  });

  it('I4 the box key and the grant are made anew a day before they end; the signing key and older box keys stay', async () => {
    const first = await issue(wanted);
    profiles.sleep(29 * dayMs - 60_000);
    expect((await issue(wanted)).card).toEqual(first.card);
    profiles.sleep(60_000);
    const second = await issue(wanted);
    expect(second.card.sign).toBe(first.card.sign);
    expect(second.card.box).not.toBe(first.card.box);
    expect(second.card.serial).toBeGreaterThan(first.card.serial);
    expect(second.grant.serial).toBeGreaterThan(first.grant.serial);
    expect(second.grant.notAfter).toBe(second.card.boxExpiresAt);
    expect(second.boxSecret).not.toEqual(first.boxSecret);
    const stored = profile.keyStore.read().identities.find(({ peer }) => peer === 'worker-1');
    expect(stored?.boxKeys).toHaveLength(2);
    takeCredentials(second, { workspace, peer: 'worker-1' }).dispose();
  });

  it('R14 a box key that ended 30 days ago is taken out, and erased', async () => {
    await issue(wanted);
    const old = profile.keyStore.read().identities.find(({ peer }) => peer === 'worker-1')?.boxKeys[0]
      ?.secret as Secret;
    profiles.sleep(60 * dayMs);
    await issue(wanted);
    expect(profile.keyStore.read().identities.find(({ peer }) => peer === 'worker-1')?.boxKeys).toHaveLength(1);
    expect(() => old.reveal()).toThrow(/erased/);
  });

  /** As somebody gives it by hand, to the key that the peer has or to another. */
  async function give(roles: readonly Role[], queues: readonly string[], given: { notAfter?: number; sign?: string }) {
    const { keyStore, records } = profile;
    const sign = given.sign ?? records.directory.card('worker-1')?.record.sign ?? '';
    const seenSerial = highestGrantSerial(workspace, 'worker-1', records);
    const target = { contents: keyStore.read(), workspace, peer: 'worker-1', sign, seenSerial, clock: profiles.clock };
    const made = grant({ ...target, roles, queues, notAfter: given.notAfter ?? 0 });
    await publishGrant(made, records);
    return made;
  }
  const inSeconds = (ms: number): number => Math.floor((profiles.clock.now() + ms) / 1000);

  it('A28 the breadth of a grant is not changed by asking for more, and what gives more is said', async () => {
    const first = await issue(wanted);
    const { message } = await failure(issue({ ...wanted, queues: ['local', 'builds'] }));
    expect(message).toContain('vak grant add worker-1 --role worker --queue local --queue builds');
    expect(await failure(issue({ ...wanted, roles: ['dlq-supervisor'], queues: [] }))).toMatchObject({
      code: 'forbidden',
    });
    expect((await issue(wanted)).grant).toEqual(first.grant);
    const both = await give(['worker'], ['builds', 'local'], {});
    for (const queues of [['local'], ['builds'], ['local', 'builds']])
      expect((await issue({ ...wanted, queues })).grant).toEqual(both);
    expect(grantsStored('worker-1')).toBe(2);
  });

  it('A28 an end that somebody set stays, and after it nobody is let in; one that this program set is moved', async () => {
    await issue(wanted);
    const given = await give(['worker'], ['local'], { notAfter: inSeconds(3_600_000) });
    expect((await issue(wanted)).grant).toEqual(given);
    profiles.sleep(3_600_000);
    expect((await failure(issue(wanted))).message).toContain('its grant has ended');
    expect(grantsStored('worker-1')).toBe(2);
    const forever = await give(['worker'], ['local', 'builds'], {});
    profiles.sleep(40 * dayMs);
    expect((await issue(wanted)).grant).toEqual(forever);
  });

  it('A28 what is made anew is as broad as it was', async () => {
    const { card } = await issue(wanted);
    const both = await give(['worker'], ['local', 'builds'], { notAfter: card.boxExpiresAt });
    profiles.sleep(29.5 * dayMs);
    const anew = (await issue(wanted)).grant;
    expect(anew.notAfter).toBeGreaterThan(both.notAfter);
    expect(anew.queues).toEqual(['local', 'builds']);
  });

  it('A28 a name that another key holds a grant of is not taken, and no identity is made for it', async () => {
    const sign = profile.records.directory.card('ada')?.record.sign ?? '';
    await give(['worker'], ['local'], { sign });
    expect((await failure(issue(wanted))).message).toContain('another key');
    expect(profile.keyStore.read().identities.map(({ peer }) => peer)).toEqual(['ada']);
  });

  it('A28 C8 an engine that nobody gives grants by hand widens them', async () => {
    await issue(wanted);
    const more = await issue({ ...wanted, queues: ['builds'], mayWiden: true });
    expect(more.grant.queues).toEqual(['local', 'builds']);
    expect((await issue({ ...wanted, mayWiden: true })).grant).toEqual(more.grant);
  });

  it('I4 a grant of minutes is made anew at its half, takes the place of a longer one, and ends by itself', async () => {
    const brief = { ...wanted, grantLifeMs: 600_000 };
    const long = await issue(wanted);
    const first = await issue(brief);
    expect(first.grant.notAfter).toBe(Math.floor((profiles.clock.now() + 600_000) / 1000));
    expect(first.grant.serial).toBeGreaterThan(long.grant.serial);
    profiles.sleep(299_000);
    expect((await issue(brief)).grant).toEqual(first.grant);
    profiles.sleep(2_000);
    expect((await issue(brief)).grant.notAfter).toBe(Math.floor((profiles.clock.now() + 600_000) / 1000));
    expect(grantsStored('worker-1')).toBe(3);
  });

  it('is refused for the name of another kind of identity, and changes nothing', async () => {
    const { clock, randomness } = profiles;
    const bot = { workspace, peer: 'bot', kind: 'bot', agent: true, name: 'B', roles: [], queues: [] } as const;
    await updateAndErase(profile.keyStore, (contents) => {
      const { identity } = createPeerIdentity({ ...bot, contents, clock, randomness });
      return { ...contents, identities: [...contents.identities, identity] };
    });
    const before = profile.keyStore.read();
    for (const peer of ['ada', 'bot']) {
      expect(await failure(issue({ ...wanted, peer }))).toMatchObject({ code: 'exists' });
    }
    expect(profile.keyStore.read()).toBe(before);
    expect(grantsStored('bot')).toBe(0);
    // One that failed does not stop those behind it.
    expect((await issue(wanted)).card.peer).toBe('worker-1');
  });

  it('is refused while the key store is locked, or has no such workspace', async () => {
    profile.keyStore.lock();
    expect(await failure(issue(wanted))).toMatchObject({ code: 'locked' });
    const other = await profiles.open(profiles.folder());
    await other.keyStore.create({});
    expect(await failure(issuerOf(other)(wanted))).toMatchObject({ code: 'not-found' });
    expect(other.keyStore.read().identities).toEqual([]);
  });

  it('many at once, of two issuers: one identity each, one card, one grant', async () => {
    const second = issuerOf(profile);
    const peers = ['worker-1', 'worker-2', 'worker-3'];
    const all = await Promise.all(
      peers.flatMap((peer) => [issue({ ...wanted, peer }), second({ ...wanted, peer }), issue({ ...wanted, peer })]),
    );
    for (const peer of peers) {
      const own = all.filter(({ card }) => card.peer === peer);
      expect(new Set(own.map(({ card }) => card.signature)).size).toBe(1);
      expect(new Set(own.map(({ grant }) => grant.signature)).size).toBe(1);
      expect(grantsStored(peer)).toBe(1);
    }
    expect(
      profile.keyStore
        .read()
        .identities.map(({ peer }) => peer)
        .sort(),
    ).toEqual(['ada', ...peers]);
  });

  it('I4 in a profile begun anew the card is above that of the worker before', async () => {
    const old = await issue(wanted);
    await profile.keyStore.startAnew({ confirmation: 'start anew' });
    await makeOperator(profile);
    const anew = await issue(wanted);
    expect(anew.card.sign).not.toBe(old.card.sign);
    expect(anew.card.serial).toBeGreaterThan(old.card.serial);
    expect(anew.grant.serial).toBeGreaterThan(old.grant.serial);
    expect(profile.records.directory.card('worker-1')?.record).toEqual(anew.card);
    expect(await issue(wanted)).toEqual(anew);
  });

  it('I4 are refused to a peer that was revoked, until it is granted its role again', async () => {
    const { card } = await issue(wanted);
    const { keyStore, records } = profile;
    const target = () => ({
      ...{ contents: keyStore.read(), workspace, peer: wanted.peer, sign: card.sign, clock: profiles.clock },
      seenSerial: highestGrantSerial(workspace, wanted.peer, records),
    });
    await publishGrant(revokeGrant(target()), records);
    expect(await failure(issue(wanted))).toMatchObject({ code: 'forbidden' });
    await publishGrant(grant({ ...target(), roles: ['worker'], queues: ['local'], notAfter: 0 }), records);
    expect((await issue(wanted)).grant.roles).toEqual(['worker']);
  });

  it('E7 gives active and open-only secrets, and of one that is revoked or over its id alone', async () => {
    const { randomness, clock } = profiles;
    await updateAndErase(profile.keyStore, (contents) => {
      let next = contents;
      for (const id of ['open', 'over', 'gone'])
        next = addWorkspaceSecret(next, { workspace, randomness, id }).contents;
      const until = (id: string, openOnlyUntilMs: number) =>
        setSecretState(next, { workspace, id, state: 'open-only', openOnlyUntilMs });
      next = until('open', clock.now() + 1);
      next = until('over', clock.now());
      return setSecretState(next, { workspace, id: 'gone', state: 'revoked' });
    });
    const { secrets, ended } = await issue(wanted);
    expect(secrets.map(({ id, state, openOnlyUntilMs }) => [id, state, openOnlyUntilMs])).toEqual([
      ['s1', 'active', null],
      ['open', 'open-only', clock.now() + 1],
    ]);
    expect(ended).toEqual([
      { id: 'over', state: 'open-only', openOnlyUntilMs: clock.now() },
      { id: 'gone', state: 'revoked', openOnlyUntilMs: null },
    ]);
  });

  it('I3 what is given are copies: erasing them is nothing to the key store, and leaves nothing in them', async () => {
    const given = await issue(wanted);
    const arrays = arraysOf(given);
    expect(arrays.every((bytes) => bytes.some((byte) => byte !== 0))).toBe(true);
    eraseCredentials(given);
    expect(arrays.every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
    for (const secret of secretsOf(profile.keyStore.read()))
      expect(secret.reveal().some((byte) => byte !== 0)).toBe(true);
    takeCredentials(await issue(wanted), { workspace, peer: 'worker-1' }).dispose();
  });
});

describe('updateAndErase', () => {
  it('I3 erases what was made, stored or not, and nothing that the key store gave out', async () => {
    const { clock, randomness } = profiles;
    const made: Secret[] = [];
    const change = (contents: Parameters<Parameters<Profile['keyStore']['update']>[0]>[0]) => {
      const known = new Set(secretsOf(contents));
      const first = { contents, peer: 'bob', name: 'Bob', workspace: 'other', clock, randomness };
      const after = createFirstIdentity(first).contents;
      made.push(...secretsOf(after).filter((secret) => !known.has(secret)));
      return after;
    };
    await updateAndErase(profile.keyStore, change);
    expect(made).toHaveLength(4);
    for (const secret of made) expect(() => secret.reveal()).toThrow(/erased/);
    expect(profile.keyStore.read().identities.map(({ peer }) => peer)).toEqual(['ada', 'bob']);
    for (const secret of secretsOf(profile.keyStore.read())) expect(secret.length).toBeGreaterThan(0);
    made.length = 0;
    const failing = {
      update: async (apply: typeof change) => {
        apply({ ...profile.keyStore.read(), identities: [], workspaces: [] });
        throw new TypeError('disk');
      },
    };
    await expect(updateAndErase(failing, change)).rejects.toThrow(TypeError);
    expect(made).toHaveLength(4);
    for (const secret of made) expect(() => secret.reveal()).toThrow(/erased/);
    for (const secret of secretsOf(profile.keyStore.read())) expect(secret.length).toBeGreaterThan(0);
  });
});
