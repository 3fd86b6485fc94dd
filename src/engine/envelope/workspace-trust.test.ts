import { afterEach, beforeEach, expect, it } from 'vitest';
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
import { createEnvelopeAuthor } from './envelope-author.ts';
import { createMemoryHeadStore } from './memory-head-store.ts';
import { createPinnedRoot } from './pinned-root.ts';
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

async function writeAs(wanted: PeerWanted, session: string) {
  const { clock, randomness } = profiles;
  const issue = createCredentialIssuer({ ...profile, clock, randomness });
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

it('I4 nothing can be told before the key store was open once', async () => {
  const { keyStore, records } = profile;
  const { envelope, subject } = await writeAs({ peer: 'w1', roles: ['worker'], queues: ['q'] }, 'w1-1-e');
  keyStore.lock();
  const signatures = createProfileSignatureCheck(records, createPinnedRoot(keyStore, testWorkspace));
  expect(signatures.check(envelope, subject, profiles.clock.now())).toBeUndefined();
  await keyStore.unlock({});
  expect(signatures.check(envelope, subject, profiles.clock.now())).toMatchObject({ kind: 'valid' });
});
