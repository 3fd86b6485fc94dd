import { expect, test } from 'vitest';
import { handedOverIn } from './handed-over.ts';

const find = (...args: string[]) => handedOverIn(['/opt/vak', ...args], '/home/x');

test('L3 a link is found among what Chromium adds to a command line, the last one if there are more', () => {
  expect(find('--ozone-platform=x11', 'vak://a/~view/rooms', '--', 'vak://b/~view/rooms')).toEqual({
    link: 'vak://b/~view/rooms',
  });
  expect(find('VAK:nonsense')).toEqual({ link: 'VAK:nonsense' });
  expect(find('--x=vak://a/~view/rooms', './vak.txt')).toBeUndefined();
});

test('L5 a file is found by its extension, as a path from where the command was given or as an address of a desktop', () => {
  expect(find('a.vakbundle')).toEqual({ file: '/home/x/a.vakbundle' });
  expect(find('/tmp/my file.CREDS', '--flag')).toEqual({ file: '/tmp/my file.CREDS' });
  expect(find('file:///tmp/my%20file.creds')).toEqual({ file: '/tmp/my file.creds' });
  expect(find('vak://a/~view/rooms', 'b.creds')).toEqual({ file: '/home/x/b.creds' });
  for (const one of ['--x=a.creds', 'a.creds.txt', 'creds', 'file://elsewhere/a.creds', 'file:///%zz/a.creds'])
    expect(find(one), one).toBeUndefined();
  expect(handedOverIn(['/opt/a.creds'], '/')).toBeUndefined();
});
