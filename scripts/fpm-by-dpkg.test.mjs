import { expect, it } from 'vitest';
import { controlFile, readFpmArgs } from './fpm-by-dpkg.mjs';

const asked = [
  ...['-s', 'dir', '--force', '-t', 'deb', '-d', 'libnss3', '-d', 'libgbm1', '--deb-compression', 'xz'],
  ...['--architecture', 'amd64', '--after-install', '/tmp/in', '--after-remove', '/tmp/out', '--version', '1.2.3'],
  ...['--description', 'Short\n Long\n\n of it', '--package', '/out/x.deb', '--name', 'x', '--maintainer', 'Me <me@x>'],
  ...['--vendor', 'Us', '--url', 'https://x', '--deb-priority', 'optional', '/build/=/opt/x', '/i=a.png=/usr/i.png'],
];

it('reads what electron-builder asks fpm for', () => {
  const { fields, files, scripts, compression, target } = readFpmArgs(asked);
  expect(controlFile(fields)).toBe(
    `Package: x
Version: 1.2.3
Vendor: Us
Architecture: amd64
Maintainer: Me <me@x>
Depends: libnss3, libgbm1
Section: default
Priority: optional
Homepage: https://x
Description: Short
 Long
 .
 of it
`,
  );
  expect(files).toEqual([
    ['/build/', '/opt/x'],
    ['/i=a.png', '/usr/i.png'],
  ]);
  expect({ scripts, compression, target }).toEqual({
    scripts: { postinst: '/tmp/in', postrm: '/tmp/out' },
    compression: 'xz',
    target: '/out/x.deb',
  });
});

it('refuses what it does not know, rather than to leave it out', () => {
  expect(() => readFpmArgs([...asked, '--deb-systemd', '/x'])).toThrow('--deb-systemd');
  expect(() => readFpmArgs(['-s', 'dir', '-t', 'rpm'])).toThrow('not a rpm of dir');
});
