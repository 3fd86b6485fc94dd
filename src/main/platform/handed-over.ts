/** Links into the app, and files for it, as systems hand them over: Linux on the command line, macOS as events. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HandedOver } from '../../engine/links/links-service.ts';

/** The path that an argument names, which may be an address `file:///…` as desktops give it; undefined: none. */
function pathOf(argument: string, folder: string): string | undefined {
  if (!/^file:/i.test(argument)) return resolve(folder, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return undefined;
  }
}

/**
 * The last argument that says it is a link (`vak:…`) or has the extension of a file for the app; undefined: none. What it is, is judged by
 * whoever reads it. `folder` is where the command was given.
 */
export function handedOverIn(commandLine: readonly string[], folder: string): HandedOver | undefined {
  const argument = commandLine.slice(1).findLast((one) => /^vak:|^[^-].*\.(?:vakbundle|creds)$/is.test(one));
  if (argument === undefined) return undefined;
  if (/^vak:/i.test(argument)) return { link: argument };
  const file = pathOf(argument, folder);
  return file === undefined ? undefined : { file };
}
