import { expect, test } from 'vitest';
import { linkIn } from './link-arguments.ts';

test('L3 a link is found among what Chromium adds to a command line, the last one if there are more', () => {
  expect(linkIn(['/opt/vak', '--ozone-platform=x11', 'vak://a/~view/rooms', '--', 'vak://b/~view/rooms'])).toBe(
    'vak://b/~view/rooms',
  );
  expect(linkIn(['/opt/vak', 'VAK:nonsense'])).toBe('VAK:nonsense');
  expect(linkIn(['/opt/vak', '--x=vak://a/~view/rooms', './vak.txt'])).toBeUndefined();
});
