import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandEnvironment, inheritedEnvironment } from './command-environment.ts';

const base = {
  PATH: '/bin',
  HOME: '/root',
  VAK_WORKSPACE_SECRET: 'x',
  vak_lower: 'x',
  ELECTRON_RUN_AS_NODE: '1',
  NODE_OPTIONS: '--inspect',
  NODE_CHANNEL_FD: '3',
  NODE_CHANNEL_SERIALIZATION_MODE: 'advanced',
  NO_COLOR: '1',
};

test("I3 nothing of the app's own environment reaches a command", () => {
  expect(inheritedEnvironment(base)).toEqual({ PATH: '/bin', HOME: '/root' });
  const name = fc
    .tuple(fc.constantFrom('VAK_', 'ELECTRON_', 'NODE_CHANNEL'), fc.string())
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(name, (key) => {
      expect(inheritedEnvironment({ [key]: 'x' })).toEqual({});
    }),
  );
});

test('command environment: colours are asked for, the task may override, the marker may not be forged', () => {
  const environment = commandEnvironment(base, { FORCE_COLOR: '3', VAK_SESSION: 'forged', OWN: 'yes' }, 's-1');
  expect(environment).toEqual({
    ...{ PATH: '/bin', HOME: '/root', TERM: 'xterm-256color', CLICOLOR_FORCE: '1' },
    ...{ FORCE_COLOR: '3', OWN: 'yes', VAK_SESSION: 's-1' },
  });
});

test('I3 a command gets the folders and libraries of the machine, not those of the AppImage that the app runs from', () => {
  const appImage = {
    HOME: '/home/me',
    APPDIR: '/tmp/.mount_vak',
    APPIMAGE: '/home/me/vak.AppImage',
    ARGV0: './vak.AppImage',
    OWD: '/home/me',
    PATH: '/tmp/.mount_vak:/tmp/.mount_vak/usr/sbin:/usr/bin:/tmp/.mount_vakuous/bin:/bin',
    LD_LIBRARY_PATH: '/tmp/.mount_vak/usr/lib',
    XDG_DATA_DIRS: '/tmp/.mount_vak/usr/share/::/usr/share/',
  };
  const own = { HOME: '/home/me', PATH: '/usr/bin:/tmp/.mount_vakuous/bin:/bin', XDG_DATA_DIRS: '/usr/share/' };
  expect(commandEnvironment(appImage, undefined, 's-1')).toEqual({
    ...own,
    ...{ TERM: 'xterm-256color', CLICOLOR_FORCE: '1', FORCE_COLOR: '1', VAK_SESSION: 's-1' },
  });
  // What the app starts of itself needs them: only a command is without.
  expect(inheritedEnvironment(appImage)).toEqual(appImage);
});

test('an environment that no AppImage prepared is passed on as it is', () => {
  const given = { PATH: ':/bin:', LD_LIBRARY_PATH: '/opt/lib', OWD: '/somewhere' };
  expect(commandEnvironment(given, undefined, 's-1')).toMatchObject(given);
  expect(commandEnvironment({ ...given, APPDIR: 'here' }, undefined, 's-1')).toMatchObject(given);
});
