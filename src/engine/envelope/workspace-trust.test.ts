import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../../tests/support/test-profile.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createFirstIdentity, updateAndErase } from '../identity/operator-identity.ts';
import { takeCredentials } from '../identity/own-credentials.ts';
import { publishGrant } from '../identity/own-records.ts';
import { createCredentialIssuer, type PeerWanted } from '../identity/peer-credentials.ts';
import type { Profile } from '../identity/profile.ts';
import { revokeGrant } from '../identity/root-grants.ts';
import { createSecret } from '../identity/secret.ts';
import { addWorkspaceSecret } from '../identity/workspace-secrets.ts';
import { createEnvelopeAuthor } from './envelope-author.ts';
import { createMemoryHeadStore } from './memory-head-store.ts';
import { createPinnedRoot } from './pinned-root.ts';
import { createProfileKnowledge } from './trust-knowledge.ts';
import { createProfileSignatureCheck, createWorkspaceSecrets } from './workspace-trust.ts';

let profiles: TestProfiles;
let profile: Profile;

beforeEach(async () => {
  profiles = createTestProfiles();
  profile = await profiles.open(profiles.folder());
  const { clock, randomness } = profiles;
  await profile.keyStore.create({});
  await updateAndErase(
    profile.keyStore,
    (contents) =>
      createFirstIdentity({ contents, peer: 'ada', name: 'Ada', workspace: testWorkspace, clock, randomness }).contents,
  );
});
afterEach(async () => {
  await profiles.remove();
});

it('E7 the secrets are those of the key store behind the one from outside; none while it is locked', async () => {
  const { keyStore } = profile;
  const given = { id: 'env', secret: createSecret(utf8('given from outside')), state: 'open-only' } as const;
  const secrets = createWorkspaceSecrets({
    ...{ keyStore, workspace: testWorkspace },
    environmentSecret: () => ({ ...given, openOnlyUntilMs: null }),
  });
  expect(secrets.secrets()?.map(({ id }) => id)).toEqual(['env', 's1']);
  const version = secrets.version();
  keyStore.lock();
  expect(secrets.secrets()).toBeUndefined();
  expect(secrets.version()).toBeGreaterThan(version);
  await keyStore.unlock({});
  expect(secrets.secrets()?.map(({ id }) => id)).toEqual(['env', 's1']);
  expect(() => secrets.secrets()?.[1]?.secret.reveal()).not.toThrow();
  secrets.dispose();
});

async function writeAs(wanted: PeerWanted, session: string, by: Profile = profile) {
  const { clock, randomness } = profiles;
  const issue = createCredentialIssuer({ ...by, clock, randomness });
  const own = takeCredentials(await issue(wanted), { workspace: testWorkspace, peer: wanted.peer });
  const heads = createMemoryHeadStore();
  const author = createEnvelopeAuthor({
    ...{
      workspace: testWorkspace,
      peer: wanted.peer,
      session,
      kind: 'e',
      signer: own.signer,
      clock,
      randomness,
      heads,
    },
  });
  const subject = `vak.events.${testWorkspace}.${session}.status`;
  const draft = { subject, payload: utf8('{"state":"done"}'), trace: startTrace(randomness.bytes) };
  const envelope = author.publish(draft, () => {});
  own.dispose();
  return { envelope, subject };
}

it('I4 signatures are judged by the grant in force when they came, also while the key store is locked', async () => {
  const { keyStore, records } = profile;
  const { clock } = profiles;
  const signatures = createProfileSignatureCheck(records, createPinnedRoot(keyStore, testWorkspace));
  const { envelope, subject } = await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-1-e');
  const cameMs = clock.now();
  expect(signatures.check(envelope, subject, cameMs)).toMatchObject({ kind: 'valid', peer: 'w1', roles: ['worker'] });
  keyStore.lock();
  expect(signatures.check(envelope, subject, cameMs)).toMatchObject({ kind: 'valid' });
  await keyStore.unlock({});

  profiles.sleep(5_000);
  const contents = keyStore.read();
  const newest = records.timelines(contents)('w1').grants.at(-1)?.grant;
  const { sign = '', serial = 0 } = newest ?? {};
  const target = { contents, workspace: testWorkspace, peer: 'w1', sign, seenSerial: serial, clock };
  await publishGrant(revokeGrant(target), records);
  expect(signatures.check(envelope, subject, cameMs)).toMatchObject({ kind: 'valid' });
  expect(signatures.check(envelope, subject, clock.now())).toMatchObject({
    kind: 'invalid',
    why: expect.stringContaining('revoked'),
  });
});

it('P14 what was verified of grants and keys is remembered by the records, for whoever asks', async () => {
  const { keyStore, records } = profile;
  await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-1-e');
  const contents = keyStore.read();
  const timeline = records.timelines(contents)('w1');
  expect(timeline.grants).toHaveLength(1);
  expect(records.timelines(contents)('w1')).toBe(timeline);
  const { envelope, subject } = await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-2-e');
  const signatures = createProfileSignatureCheck(records, createPinnedRoot(keyStore, testWorkspace));
  const seen = vi.spyOn(records.checks.verifier, 'verify');
  expect(signatures.check(envelope, subject, profiles.clock.now())).toMatchObject({ kind: 'valid' });
  expect(seen).toHaveBeenCalled();
});

it('I4 nothing can be told before the key store was open once', async () => {
  const { keyStore, records } = profile;
  const { envelope, subject } = await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-1-e');
  keyStore.lock();
  const signatures = createProfileSignatureCheck(records, createPinnedRoot(keyStore, testWorkspace));
  expect(signatures.check(envelope, subject, profiles.clock.now())).toBeUndefined();
  await keyStore.unlock({});
  expect(signatures.check(envelope, subject, profiles.clock.now())).toMatchObject({ kind: 'valid' });
});

/** The profile of another process on the same folder. */
async function openOther(): Promise<Profile> {
  const other = await profiles.open(dirname(profile.files.settings));
  await other.keyStore.unlock({});
  return other;
}

it('E22 a grant that another process wrote a moment ago is found when it is sought, at most one look in 10 ms', async () => {
  const { keyStore, records } = profile;
  const { clock } = profiles;
  const root = createPinnedRoot(keyStore, testWorkspace);
  const signatures = createProfileSignatureCheck(records, root);
  const secrets = createWorkspaceSecrets({ keyStore, workspace: testWorkspace, environmentSecret: () => undefined });
  const knowledge = createProfileKnowledge({ keyStore, directory: records.directory, root, secrets, clock });
  const other = await openOther();
  clock.advance(1000);
  // What was read last is believed for 100 ms.
  knowledge.look();
  clock.advance(10);
  const { envelope, subject } = await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-1-e', other);
  const check = () => signatures.check(envelope, subject, clock.now());
  knowledge.look();
  expect(check()).toMatchObject({ kind: 'invalid', isFinal: false, why: expect.stringContaining('no grant') });
  const version = knowledge.version();
  knowledge.seekGrants();
  expect(knowledge.version()).toBeGreaterThan(version);
  expect(check()).toMatchObject({ kind: 'valid', peer: 'w1' });
  await writeAs({ peer: 'w3', roles: ['worker'], queues: ['q'] }, 'w3-1-e', other);
  clock.advance(100);
  const checked = knowledge.version();
  check();
  knowledge.basisOf({ kind: 'grant', peer: 'w3' });
  // Nothing is found out within a judgement.
  expect(knowledge.version()).toBe(checked);
  knowledge.look();
  expect(knowledge.version()).toBeGreaterThan(checked);
  await writeAs({ peer: 'w2', roles: ['worker'], queues: ['q'] }, 'w2-1-e', other);
  const seen = knowledge.version();
  knowledge.seekGrants();
  clock.advance(9);
  knowledge.seekGrants();
  expect(knowledge.version()).toBe(seen);
  clock.advance(1);
  knowledge.seekGrants();
  expect(knowledge.version()).toBeGreaterThan(seen);
  knowledge.dispose();
});

it('E22 a secret that another process adds is read when it is sought, at most once a second, and tells whoever waits', async () => {
  const { keyStore, records } = profile;
  const { clock, randomness } = profiles;
  const secrets = createWorkspaceSecrets({ keyStore, workspace: testWorkspace, environmentSecret: () => undefined });
  const root = createPinnedRoot(keyStore, testWorkspace);
  let readCount = 0;
  const refresh = (): Promise<void> => {
    readCount++;
    return keyStore.refresh();
  };
  const counted = { ...keyStore, refresh };
  const knowledge = createProfileKnowledge({ keyStore: counted, directory: records.directory, root, secrets, clock });
  const other = await openOther();
  const add = (id: string) =>
    updateAndErase(other.keyStore, (contents) => {
      return addWorkspaceSecret(contents, { workspace: testWorkspace, randomness, id }).contents;
    });
  const want = { kind: 'secret', keyId: 's2.w1.20260102.boot' } as const;
  const basis = knowledge.basisOf(want);
  const versions: number[] = [];
  knowledge.onChange(() => versions.push(knowledge.version()));
  /** All that was asked of the key store before has been done. */
  const settled = () => keyStore.refresh();

  clock.advance(1000);
  knowledge.seekSecrets();
  await settled();
  expect(versions).toEqual([]);
  await add('s2');
  knowledge.seekSecrets();
  clock.advance(999);
  knowledge.seekSecrets();
  expect(readCount).toBe(1);
  clock.advance(1);
  knowledge.seekSecrets();
  await settled();
  expect(secrets.secrets()?.map(({ id }) => id)).toEqual(['s1', 's2']);
  expect(knowledge.basisOf(want)).not.toBe(basis);
  expect(versions).toHaveLength(1);

  keyStore.lock();
  clock.advance(1000);
  knowledge.seekSecrets();
  expect(readCount).toBe(2);
  knowledge.dispose();
  const { length } = versions;
  await keyStore.unlock({});
  expect(versions).toHaveLength(length);
});

it('E22 what is known of a peer changes with its grants and with the root, and not with those of others', async () => {
  const { keyStore, records } = profile;
  const { clock } = profiles;
  const secrets = createWorkspaceSecrets({ keyStore, workspace: testWorkspace, environmentSecret: () => undefined });
  const root = createPinnedRoot(keyStore, testWorkspace);
  const knowledge = createProfileKnowledge({ keyStore, directory: records.directory, root, secrets, clock });
  const basis = knowledge.basisOf({ kind: 'grant', peer: 'w1' });
  await writeAs({ peer: 'w2', roles: ['worker'], queues: ['q'] }, 'w2-1-e');
  expect(knowledge.basisOf({ kind: 'grant', peer: 'w1' })).toBe(basis);
  const version = knowledge.version();
  await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-1-e');
  expect(knowledge.basisOf({ kind: 'grant', peer: 'w1' })).not.toBe(basis);
  expect(knowledge.version()).toBeGreaterThan(version);
  knowledge.dispose();
});

it('E7 keys of a secret from outside that was read anew are derived anew', () => {
  const { keyStore } = profile;
  const entryOf = (text: string) =>
    ({ id: 'env', secret: createSecret(utf8(text)), state: 'open-only', openOnlyUntilMs: null }) as const;
  let given = entryOf('the first one from outside');
  const secrets = createWorkspaceSecrets({ keyStore, workspace: testWorkspace, environmentSecret: () => given });
  secrets.secrets();
  const version = secrets.version();
  secrets.secrets();
  expect(secrets.version()).toBe(version);
  given = entryOf('the second one from outside');
  secrets.secrets();
  expect(secrets.version()).toBeGreaterThan(version);
  secrets.dispose();
});
