import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../tests/support/test-profile.ts';
import { createFirstIdentity, updateAndErase } from './identity/operator-identity.ts';
import { createSilentLogger } from './ports/logger.ts';
import { createWorkspaceJudging } from './workspace-judging.ts';

let profiles: TestProfiles;
beforeEach(() => {
  profiles = createTestProfiles();
});
afterEach(async () => {
  await profiles.remove();
});

it('E21 an alias in the settings is other knowledge of its key id, told once, and of no other key id', async () => {
  const profile = await profiles.open(profiles.folder());
  const { clock, randomness } = profiles;
  await profile.keyStore.create({});
  const maker = { peer: 'ada', name: 'Ada', workspace: testWorkspace, clock, randomness };
  await updateAndErase(profile.keyStore, (contents) => createFirstIdentity({ contents, ...maker }).contents);
  const ports = { profile, clock, environment: {}, logger: createSilentLogger() };
  const { judging, dispose } = createWorkspaceJudging(ports, testWorkspace);
  const { knowledge } = judging;
  const basisOf = (keyId: string): string => knowledge.basisOf({ kind: 'alias', keyId });
  let told = 0;
  knowledge.onChange(() => told++);
  expect(knowledge.followsAliases).toBe(true);
  const before = [basisOf('theirs'), basisOf('others')];
  const version = knowledge.version();
  await profile.settings.set('keyAliases', 'theirs=s1');
  expect([knowledge.version(), told]).toEqual([version + 1, 1]);
  expect(basisOf('theirs')).not.toBe(before[0]);
  expect(basisOf('others')).toBe(before[1]);
  await profile.settings.set('idleLockMinutes', 5);
  expect([knowledge.version(), told]).toEqual([version + 1, 1]);
  dispose();
});
