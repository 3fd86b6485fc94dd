/** Serves the built renderer as `app://workbench` (quality.md §4): GET only, exact host, files of one folder only. */
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { protocol } from 'electron';
import { contentTypes, resolveAppFile, scheme } from './app-files.ts';

/**
 * As strict as it goes: no network, no inline script or style, no eval, no frames, no plugins
 * (docs/adr/0006-no-inline-style.md).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Must run before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme, privileges: { standard: true, secure: true, codeCache: true } }]);
}

const plain = (status: number, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });

/** Serves `root` once the app is ready. */
export function serveAppScheme(root: string): void {
  protocol.handle(scheme, async ({ method, url }) => {
    const file = resolveAppFile(root, method, url);
    if (file === undefined) return plain(403, 'not served');
    try {
      return new Response(new Uint8Array(await readFile(file)), {
        headers: {
          'content-type': contentTypes[extname(file)] as string,
          'content-security-policy': contentSecurityPolicy,
          'x-content-type-options': 'nosniff',
          'cross-origin-opener-policy': 'same-origin',
          'cache-control': 'no-cache',
        },
      });
    } catch {
      return plain(404, 'not found');
    }
  });
}
