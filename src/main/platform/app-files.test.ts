import { describe, expect, it } from 'vitest';
import { resolveAppFile } from './app-files.ts';

const root = '/srv/renderer';

describe('app scheme', () => {
  it.each([
    ['app://workbench/index.html', '/srv/renderer/index.html'],
    ['app://workbench/assets/a-1.js?x#y', '/srv/renderer/assets/a-1.js'],
    ['app://workbench/assets/font%20a.woff2', '/srv/renderer/assets/font a.woff2'],
  ])('serves %s', (address, file) => {
    expect(resolveAppFile(root, 'GET', address)).toBe(file);
  });

  it.each([
    ['POST', 'app://workbench/index.html'],
    ['HEAD', 'app://workbench/index.html'],
    ['GET', 'app://other/index.html'],
    ['GET', 'app://workbench.evil/index.html'],
    ['GET', 'app://workbench:80/index.html'],
    ['GET', 'app://user@workbench/index.html'],
    ['GET', 'https://workbench/index.html'],
    ['GET', 'app://workbench/'],
    ['GET', 'app://workbench/%2e%2e/%2e%2e/etc/passwd.html'],
    ['GET', 'app://workbench/..%2f..%2fetc/x.html'],
    ['GET', 'app://workbench/%2e%2e/renderer-secret/x.html'],
    ['GET', 'app://workbench/..%5c..%5cx.html'],
    ['GET', 'app://workbench/a%00.html'],
    ['GET', 'app://workbench/%E0%A4%A.html'],
    ['GET', 'app://workbench/index.html.map'],
    ['GET', 'app://workbench/config.json'],
    ['GET', 'not an address'],
  ])('refuses %s %s', (method, address) => {
    const file = resolveAppFile(root, method, address);
    // The URL parser folds plain dot segments by itself; what is left must be refused or stay inside.
    expect(file === undefined || file.startsWith(`${root}/`)).toBe(true);
    if (!address.includes('%2e%2e/')) expect(file).toBeUndefined();
  });
});
