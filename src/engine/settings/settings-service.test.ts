import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { failure } from '../../../tests/support/expected-failure.ts';
import { closesIt, createScriptedPrompt, type ScriptedPrompt } from '../../../tests/support/scripted-prompt.ts';
import { findSecrets } from '../../../tests/support/secret-search.ts';
import {
  createTestProfiles,
  filesUnder,
  type TestProfiles,
  testWorkspace,
} from '../../../tests/support/test-profile.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { natsJwtName, natsSeedName, workspaceSecretName } from '../../shared/settings/secret-shape.ts';
import { createFirstIdentity, updateAndErase } from '../identity/operator-identity.ts';
import type { Profile } from '../identity/profile.ts';
import { secretFromText } from '../identity/secret.ts';
import { storeBusSecret } from './bus-secrets.ts';
import type { Environment } from './secret-sources.ts';
import { createSettingsService, type SettingsService } from './settings-service.ts';

const seed = 'SUAM5GQ2LTORUW4ZZANFZSA3TPOQQGCIDTMVSWIIDCOV2CA2LTEB2GK43U';
const goodSeed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
const jwt = 'eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWNhbmFyeQ';
const workspaceSecret = 'super-secret-workspace-key-2026';
const secrets = Object.entries({ seed, goodSeed, jwt, workspaceSecret, given: 'pink-unicorn-2026' }).map(
  ([name, text]) => ({ name, bytes: utf8(text) }),
);
const context = createCallContext();

let profiles: TestProfiles;
let profile: Profile;
let prompt: ScriptedPrompt;
let service: SettingsService;
let changeCount: number;
let busChangeCount: number;
/** Everything that was shown or thrown. */
let texts: string[];

async function open(environment: Environment = {}): Promise<void> {
  const { randomness } = profiles;
  service = createSettingsService({
    ...{ file: profile.settings, path: profile.files.settings, keyStore: profile.keyStore },
    ...{ prompt, environment, workspace: testWorkspace, randomness },
    workspaceSecrets: { list: () => [], calls: {} as never },
    holdings: async () => ({ streams: null, why: null, sealingKey: null }),
    onChange: () => changeCount++,
    onBusChange: () => busChangeCount++,
  });
}

beforeEach(async () => {
  profiles = createTestProfiles();
  prompt = createScriptedPrompt();
  [changeCount, busChangeCount, texts] = [0, 0, []];
  profile = await profiles.open(profiles.folder());
  await profile.keyStore.create({});
  const { clock, randomness } = profiles;
  const first = { peer: 'ada', name: 'Ada', workspace: testWorkspace, clock, randomness };
  await updateAndErase(profile.keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
  await open();
});

afterEach(async () => {
  texts.push(JSON.stringify(service.state()), ...prompt.shown.map((error) => JSON.stringify(error.toShape())));
  expect(findSecrets({ texts: { shown: texts.join('\n'), log: profiles.log.join('\n') } }, secrets)).toEqual([]);
  expect(findSecrets({ folders: [join(profile.files.settings, '..')] }, secrets)).toEqual([]);
  expect(prompt.left).toBe(0);
  for (const secret of prompt.given) expect(() => secret.reveal()).toThrow(/erased/);
  service.dispose();
  await profiles.remove();
});

const set = async (key: string, value: string | number | boolean): Promise<void> => {
  await service.calls.set({ key, value }, context);
};
const reset = async (key: string): Promise<void> => void (await service.calls.reset({ key }, context));
const setSecret = async (name: string): Promise<void> => void (await service.calls.setSecret({ name }, context));
const deleteSecret = async (name: string): Promise<void> => void (await service.calls.deleteSecret({ name }, context));
const settingOf = (key: string) => service.state().values.find((one) => one.key === key);
const statusOf = (name: string) => service.state().secrets.find((one) => one.name === name);

async function refused(run: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await failure(run);
  texts.push(JSON.stringify(error.toShape()), String(error.stack));
  return error;
}

it('settings: what is set stands in the state and in the file; reset gives the default back', async () => {
  expect(settingOf('look.theme')).toMatchObject({ value: 'system', isDefault: true });
  await set('look.theme', 'dark');
  await set('idleLockMinutes', 7);
  expect(settingOf('look.theme')).toMatchObject({ value: 'dark', isDefault: false });
  expect(settingOf('idleLockMinutes')).toMatchObject({ value: 7, isDefault: false });
  expect(settingOf('look.theme')?.help).not.toBe('');
  expect(changeCount).toBe(2);
  await reset('look.theme');
  await reset('look.theme');
  expect(settingOf('look.theme')).toMatchObject({ value: 'system', isDefault: true });
  expect([changeCount, busChangeCount]).toEqual([3, 0]);
  expect(service.state().path).toBe(profile.files.settings);
  expect(service.state().values.map(({ key }) => key)).not.toContain('contexts.embedded.kind');
});

it.each([
  ['look.theme', 'pink-unicorn-2026', 'invalid-input', 'look.theme'],
  ['idleLockMinutes', -1, 'invalid-input', 'idleLockMinutes'],
  ['policy.acceptPlain', 'yes', 'invalid-input', 'allowed: true, false'],
  ['no.such', 1, 'not-found', 'no.such'],
  ['natsUrl', 'nats://pink-unicorn-2026:x@host', 'secret-misplaced', 'natsUrl'],
  [natsSeedName, 'pink-unicorn-2026', 'secret-misplaced', natsSeedName],
  ['workspaceSecretEnv', seed, 'secret-misplaced', 'workspaceSecretEnv'],
])('settings: %s is refused with key and what is allowed, never with the value', async (key, value, code, text) => {
  expect(await refused(set(key, value))).toMatchObject({ code, message: expect.stringContaining(text) });
  expect([changeCount, busChangeCount]).toEqual([0, 0]);
});

it('settings: problems of the file name the key; a secret in it is not used and not shown', async () => {
  writeFileSync(profile.files.settings, JSON.stringify({ look: { theme: 7 }, [natsSeedName]: seed }, null, 2));
  await profile.settings.refresh();
  const { problems } = service.state();
  expect(problems.map(({ key }) => key).sort()).toEqual([natsSeedName, 'look.theme']);
  expect(problems.map(({ line }) => line).sort()).toEqual([3, 5]);
  expect(statusOf(natsSeedName)).toMatchObject({ isSet: false, source: null });
  expect(changeCount).toBe(1);
  expect(await refused(set('look.theme', 'dark'))).toMatchObject({ code: 'secret-misplaced' });
  await reset(natsSeedName);
  await set('look.theme', 'dark');
  expect(service.state().problems).toEqual([]);
});

it('settings: what counts from the next start says that it waits, until it is what the start had', async () => {
  expect(settingOf('memory.bufferMiB')).toMatchObject({ applies: 'next-start', isWaiting: false });
  await set('memory.bufferMiB', 128);
  expect(settingOf('memory.bufferMiB')).toMatchObject({ isWaiting: true });
  await set('memory.terminalLines', 500);
  expect(settingOf('memory.terminalLines')).toMatchObject({ applies: 'at-once', isWaiting: false });
  await set('retention.deadLettersDays', 7);
  expect(settingOf('retention.deadLettersDays')).toMatchObject({ applies: 'next-connection', isWaiting: false });
  await reset('memory.bufferMiB');
  expect(settingOf('memory.bufferMiB')).toMatchObject({ isWaiting: false });
});

it('settings: the bus is built anew when one of its settings changes, and by nothing else', async () => {
  const steps: readonly [() => Promise<void>, number][] = [
    [() => set('natsUrl', 'nats://h:4222'), 1],
    [() => set('natsUrl', 'nats://h:4222'), 0],
    [() => set('look.theme', 'dark'), 0],
    [() => set('contexts.prod.url', 'tls://other'), 0],
    [() => set('workspaceSecretEnv', 'TEAM_SECRET'), 1],
    [() => reset('workspaceSecretEnv'), 1],
    [() => reset('natsUrl'), 1],
    [() => set('contexts.prod.readOnly', true), 0],
    [() => set('currentContext', 'prod'), 1],
    [() => set('contexts.prod.url', 'tls://third'), 1],
    [() => reset('currentContext'), 1],
  ];
  for (const [step, count] of steps) {
    const before = busChangeCount;
    await step();
    expect(busChangeCount - before).toBe(count);
  }
  service.dispose();
  await set('natsUrl', 'nats://h:4222');
  expect(busChangeCount).toBe(7);
});

it('I3 a secret goes from the operator into the key store, is said to be set, and rebuilds the bus', async () => {
  prompt.answer(goodSeed, jwt, workspaceSecret);
  for (const name of [natsSeedName, natsJwtName, workspaceSecretName]) {
    const before = [changeCount, busChangeCount];
    await setSecret(name);
    expect(statusOf(name)).toMatchObject({ isSet: true, source: 'key store' });
    expect([changeCount, busChangeCount]).toEqual(before.map((count) => count + 1));
  }
  const { credentials, workspaces } = profile.keyStore.read();
  expect(toText(credentials.get(natsSeedName)?.reveal() ?? new Uint8Array())).toBe(goodSeed);
  expect(toText(credentials.get(natsJwtName)?.reveal() ?? new Uint8Array())).toBe(jwt);
  expect(workspaces[0]?.secrets.map(({ id }) => id)).toEqual(['s1', 's2']);
  expect(toText(workspaces[0]?.secrets[1]?.secret.reveal() ?? new Uint8Array())).toBe(workspaceSecret);
  expect(prompt.kinds).toEqual(['secret', 'secret', 'secret']);

  await deleteSecret(natsSeedName);
  expect(statusOf(natsSeedName)).toMatchObject({ isSet: false, source: null });
  expect([changeCount, busChangeCount]).toEqual([4, 4]);
  await deleteSecret(natsSeedName);
  expect([changeCount, busChangeCount]).toEqual([4, 4]);
  expect(await refused(deleteSecret(workspaceSecretName))).toMatchObject({ code: 'invalid-input' });
  expect(profile.keyStore.read().workspaces[0]?.secrets).toHaveLength(2);
});

it('I3 what cannot be such a secret is refused, asked again, and nothing is stored when the window is closed', async () => {
  const folder = join(profile.files.settings, '..');
  const before = filesUnder(folder);
  for (const [name, ...typed] of [
    [natsSeedName, 'pink-unicorn-2026', jwt, seed],
    [natsJwtName, goodSeed, 'pink-unicorn-2026'],
    [workspaceSecretName, 'too short'],
  ] as const) {
    prompt.answer(...typed, closesIt);
    expect(await refused(setSecret(name))).toMatchObject({ code: 'aborted' });
  }
  expect(prompt.shown).toHaveLength(6);
  expect(await refused(setSecret('PATH'))).toMatchObject({ code: 'not-found' });
  expect(await refused(deleteSecret('PATH'))).toMatchObject({ code: 'not-found' });
  expect(filesUnder(folder)).toEqual(before);
  expect([changeCount, busChangeCount]).toEqual([0, 0]);
});

it('I3 while it is locked no secret is asked for, changed, or looked up', async () => {
  prompt.answer(goodSeed);
  await setSecret(natsSeedName);
  profile.keyStore.lock();
  expect(statusOf(natsSeedName)).toMatchObject({ isSet: false, source: null });
  expect(await refused(setSecret(natsSeedName))).toMatchObject({ code: 'locked' });
  expect(await refused(deleteSecret(natsSeedName))).toMatchObject({ code: 'locked' });
  expect(prompt.asked).toHaveLength(1);
});

it('I3 a secret from the environment is said by its kind; its file goes before it, the key store comes last', async () => {
  prompt.answer(goodSeed);
  await setSecret(natsSeedName);
  service.dispose();
  await open({ [natsSeedName]: seed, [natsJwtName]: jwt, [`${natsJwtName}_FILE`]: '/run/secrets/jwt' });
  expect(service.state().secrets.map(({ name, source }) => [name, source])).toEqual([
    [natsJwtName, 'file'],
    [natsSeedName, 'environment'],
    [workspaceSecretName, 'key store'],
  ]);
});

it('I3 storing a bus secret erases what it was given, stored or not', async () => {
  const { randomness } = profiles;
  const common = { workspace: testWorkspace, randomness };
  const fit = secretFromText(goodSeed);
  await storeBusSecret(profile.keyStore, { ...common, name: natsSeedName, secret: fit });
  const unfit = secretFromText(jwt);
  await refused(storeBusSecret(profile.keyStore, { ...common, name: natsSeedName, secret: unfit }));
  const shared = secretFromText(workspaceSecret);
  expect(await storeBusSecret(profile.keyStore, { ...common, name: workspaceSecretName, secret: shared })).toBe('s2');
  profile.keyStore.lock();
  const late = secretFromText(goodSeed);
  await refused(storeBusSecret(profile.keyStore, { ...common, name: natsSeedName, secret: late }));
  for (const secret of [fit, unfit, shared, late]) expect(() => secret.reveal()).toThrow(/erased/);
  await profile.keyStore.unlock({});
  expect(toText(profile.keyStore.read().credentials.get(natsSeedName)?.reveal() ?? new Uint8Array())).toBe(goodSeed);
});
