/** Which file an address of the app's own scheme means. Law: GET, the exact host, a file of a known kind inside one folder; nothing else. */
import { extname, join, normalize, sep } from 'node:path';

/** The app's own scheme. */
export const scheme = 'app';
const host = 'workbench';
/** Origin of every page of the app. */
export const appOrigin = `${scheme}://${host}`;
/** Address of the workbench's page. */
export const appUrl = `${appOrigin}/index.html`;

/** Address of the page that asks for a secret. */
export const secretEntryUrl = `${appOrigin}/secret-entry.html`;

/** Content type by extension; a file of another kind is not served. */
export const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** File of a request inside `root`, or undefined if the request is not for one of ours. */
export function resolveAppFile(root: string, method: string, address: string): string | undefined {
  if (method !== 'GET' || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== `${scheme}:` || url.host !== host || url.username !== '' || url.password !== '')
    return undefined;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  if (path.includes('\0') || path.includes('\\')) return undefined;
  const file = normalize(join(root, path));
  const isInside = file.startsWith(root.endsWith(sep) ? root : root + sep);
  return isInside && contentTypes[extname(file)] !== undefined ? file : undefined;
}
