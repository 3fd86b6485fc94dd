import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createTestProfiles,
  filesUnder,
  type TestProfiles,
  testWorkspace,
} from '../../../tests/support/test-profile.ts';
import { profileFiles } from '../settings/profile-files.ts';

let profiles: TestProfiles;

beforeEach(() => {
  profiles = createTestProfiles();
});
afterEach(async () => {
  await profiles.remove();
  expect(profiles.clock.timerCount).toBe(0);
});

it('profile: opening one that is not there makes no file', async () => {
  const folder = profiles.folder();
  const profile = await profiles.open(folder);
  expect(profile.keyStore.state().kind).toBe('absent');
  expect(profile.notices).toEqual([]);
  expect([...filesUnder(folder).keys()]).toEqual([]);
});

it('profile: damaged directory, serials and pins are each set aside and said; settings too; the rest opens', async () => {
  const folder = profiles.folder();
  const files = profileFiles(folder);
  const damaged = [files.directory(testWorkspace), files.serials, files.pins, files.settings];
  for (const path of damaged) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{"damaged');
  }
  // A damaged settings file is looked at twice, in case somebody is writing it.
  let isOpen = false;
  const opening = profiles.open(folder).finally(() => {
    isOpen = true;
  });
  while (!isOpen) {
    await new Promise((resolve) => setImmediate(resolve));
    if (profiles.clock.timerCount > 0) profiles.clock.advance(50);
  }
  const profile = await opening;
  expect(profile.notices).toHaveLength(3);
  for (const [index, path] of [files.directory(testWorkspace), files.serials, files.pins].entries())
    expect(profile.notices[index]).toContain(path);
  expect(profile.settings.problems()).toMatchObject([{ code: 'corrupt' }]);
  const aside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.damaged-'));
  expect(aside).toHaveLength(4);
  for (const name of aside) expect(readFileSync(`${folder}/${name}`, 'utf8')).toBe('{"damaged');
  await profile.keyStore.create({});
  expect(profile.keyStore.state().kind).toBe('unlocked');
});

it('profile: the idle time of its settings is that of its key store; closing locks', async () => {
  const folder = profiles.folder();
  writeFileSync(profileFiles(folder).settings, JSON.stringify({ idleLockMinutes: 3 }));
  const profile = await profiles.open(folder);
  await profile.keyStore.create({});
  expect(profile.keyStore.state().idleLockMinutes).toBe(3);
  await profile.close();
  expect(() => profile.keyStore.read()).toThrow(/locked/);
});
