import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { failure } from '../../../tests/support/expected-failure.ts';
import { closesIt, createScriptedPrompt, type ScriptedPrompt } from '../../../tests/support/scripted-prompt.ts';
import { findSecrets } from '../../../tests/support/secret-search.ts';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../../tests/support/test-profile.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { WorkspaceSecretEntry } from '../envelope/secret-registry.ts';
import { createWorkspaceSecrets } from '../envelope/workspace-trust.ts';
import { createMessageBuffer } from '../feeds/message-buffer.ts';
import { createFirstIdentity, updateAndErase } from '../identity/operator-identity.ts';
import type { Profile } from '../identity/profile.ts';
import { secretFromText } from '../identity/secret.ts';
import { createWorkspaceSecretsService, type WorkspaceSecretsService } from './workspace-secrets-service.ts';

const context = createCallContext();
const typed = 'canary-shared-secret-of-the-team';
const given = 'canary-secret-of-the-environment';

let profiles: TestProfiles;
let profile: Profile;
let prompt: ScriptedPrompt;
let service: WorkspaceSecretsService;
let texts: string[];
let environment: WorkspaceSecretEntry | undefined;
const buffer = createMessageBuffer({ capacityCount: 8, capacityBytes: 1 << 20 });

beforeEach(async () => {
  profiles = createTestProfiles();
  prompt = createScriptedPrompt();
  [texts, environment] = [[], undefined];
  profile = await profiles.open(profiles.folder());
  await profile.keyStore.create({});
  const { clock, randomness } = profiles;
  const first = { peer: 'ada', name: 'Ada', workspace: testWorkspace, clock, randomness };
  await updateAndErase(profile.keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
  const { keyStore } = profile;
  const secrets = createWorkspaceSecrets({ keyStore, workspace: testWorkspace, environmentSecret: () => environment });
  service = createWorkspaceSecretsService({
    ...{ keyStore, secrets, buffer, prompt, workspace: testWorkspace, clock, randomness },
  });
});

afterEach(async () => {
  texts.push(JSON.stringify(service.list()), ...prompt.shown.map((error) => JSON.stringify(error.toShape())));
  const known = [typed, given].map((text) => ({ name: text, bytes: utf8(text) }));
  expect(findSecrets({ texts: { shown: texts.join('\n'), log: profiles.log.join('\n') } }, known)).toEqual([]);
  expect(findSecrets({ folders: [join(profile.files.settings, '..')] }, known)).toEqual([]);
  expect(prompt.left).toBe(0);
  await profiles.remove();
});

const add = async (id: string | null, from: 'random' | 'typed' = 'random') =>
  await service.calls.addSecret({ id, from }, context);
const use = async (id: string, to: 'active' | 'open-only', untilMs: number | null = null): Promise<void> =>
  void (await service.calls.setSecretUse({ id, use: to, untilMs }, context));
const revoke = async (id: string, confirmedId = id): Promise<void> =>
  void (await service.calls.revokeSecret({ id, confirmedId }, context));
const shown = () => service.list().map(({ id, state, isSealing }) => `${id} ${state}${isSealing ? ' seals' : ''}`);

async function refused(run: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await failure(run);
  texts.push(JSON.stringify(error.toShape()), String(error.stack));
  return error;
}

it('E7 what is added seals from then on, those before open; each id is used once for ever', async () => {
  expect(shown()).toEqual(['s1 active seals']);
  expect(await add(null)).toEqual({ id: 's2' });
  expect(await add('team')).toEqual({ id: 'team' });
  expect(shown()).toEqual(['s1 active', 's2 active', 'team active seals']);
  await use('team', 'open-only');
  await use('s1', 'open-only', profiles.clock.now() + 60_000);
  expect(service.list()).toMatchObject([
    { id: 's1', state: 'open-only', openOnlyUntilMs: profiles.clock.now() + 60_000 },
    { id: 's2', isSealing: true },
    { id: 'team', state: 'open-only', openOnlyUntilMs: null },
  ]);
  await use('team', 'active');
  expect(shown()).toEqual(['s1 open-only', 's2 active', 'team active seals']);
  expect((await refused(add('team'))).code).toBe('exists');
  expect((await refused(add('a b'))).code).toBe('invalid-input');
  expect((await refused(use('s1', 'open-only', profiles.clock.now()))).message).toContain('is past');
  expect((await refused(use('none', 'active'))).code).toBe('not-found');
});

it('E7 revoking asks for the id, and is for good', async () => {
  await add(null);
  for (const wrong of ['', 's2', 'S1']) expect((await refused(revoke('s1', wrong))).code).toBe('invalid-input');
  await revoke('s1');
  expect(shown()).toEqual(['s1 revoked', 's2 active seals']);
  expect((await refused(use('s1', 'active'))).code).toBe('conflict');
  expect((await refused(use('s1', 'open-only'))).code).toBe('conflict');
  expect((await refused(add('s1'))).code).toBe('exists');
  await revoke('s2');
  expect(shown()).toEqual(['s1 revoked', 's2 revoked']);
});

it('I3 a secret that is typed goes into the key store alone; one that is too short is asked for again; closing it adds none', async () => {
  prompt.answer('too-short', typed);
  expect(await add('team', 'typed')).toEqual({ id: 'team' });
  const held = profile.keyStore.read().workspaces[0]?.secrets.at(-1);
  expect(Buffer.from(held?.secret.reveal() ?? []).toString()).toBe(typed);
  expect(prompt.shown.map(({ code }) => code)).toEqual(['invalid-input']);
  for (const secret of prompt.given) expect(() => secret.reveal()).toThrow(/erased/);
  prompt.answer(closesIt);
  expect((await refused(add(null, 'typed'))).code).toBe('aborted');
  // An id that cannot be is refused before anybody types.
  expect((await refused(add('team', 'typed'))).code).toBe('exists');
  expect(shown()).toEqual(['s1 active', 'team active seals']);
});

it('I3 the environment’s secret opens, seals nothing, and is not changed here; locked, none is told', async () => {
  environment = { id: 'env', secret: secretFromText(given), state: 'open-only', openOnlyUntilMs: null };
  expect(service.list()).toMatchObject([
    { id: 'env', state: 'open-only', isSealing: false, source: 'environment' },
    { id: 's1', isSealing: true, source: 'key store' },
  ]);
  for (const run of [add('env'), use('env', 'active'), revoke('env')]) {
    expect((await refused(run)).code).toBe('invalid-input');
  }
  profile.keyStore.lock();
  expect(service.list()).toEqual([]);
  for (const run of [add(null), use('s1', 'open-only'), revoke('s1')]) expect((await refused(run)).code).toBe('locked');
});

it('E7 before it is revoked it is told how many of the messages that are shown it has sealed', () => {
  const trust = {} as never;
  const put = (text: string): void => void buffer.append({ subject: 'vak.x', data: utf8(text) }, { atMs: 0, trust });
  for (let n = 0; n < 9; n++) put('{"keyid":"s1.ada.20261130.aa"}');
  put('{"keyid":"s11.ada.20261130.aa"}');
  put('{"data":"s1.ada"}');
  expect(service.calls.secretReach({ id: 's1' }, context)).toEqual({ sealedCount: 6, bufferedCount: 8 });
  expect(service.calls.secretReach({ id: 's2' }, context)).toEqual({ sealedCount: 0, bufferedCount: 8 });
});
