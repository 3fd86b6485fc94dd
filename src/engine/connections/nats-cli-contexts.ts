/**
 * Contexts of the `nats` command line, as contexts of ours (product.md "Engines and headless peers").
 * Law: foreign files are read within bounds and never changed; what cannot be taken over is said with why, and no secret is among it.
 */
import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { embeddedContext, isContextName } from '../../shared/settings/setting-keys.ts';
import { systemCode } from '../identity/file-error.ts';
import type { Secret } from '../identity/secret.ts';
import { readTextFile } from '../settings/read-text-file.ts';
import { checkServers } from './context-input.ts';
import type { ContextSecretPart } from './context-secrets.ts';
import { type Gathered, gatherSecrets, parseCliFile } from './nats-cli-file.ts';
import { splitServers } from './nats-cli-servers.ts';

/** A context that was read. The caller stores the secrets, and disposes them. */
export interface NatsCliContext {
  /** Fit for a context of ours. */
  readonly name: string;
  readonly description: string;
  /** Fit for the setting `contexts.<name>.url`. */
  readonly url: string;
  readonly secrets: ReadonlyMap<ContextSecretPart, Secret>;
  /** What of it was left behind, and why. */
  readonly notes: readonly string[];
}

export interface NatsCliImport {
  readonly contexts: readonly NatsCliContext[];
  /** Files that gave no context, by the name that they have there. */
  readonly skipped: readonly { readonly name: string; readonly why: string }[];
}

export interface NatsCliSource {
  /** {@link natsCliFolder}. */
  readonly folder: string;
  /** What `~` stands for in the files' paths. */
  readonly home: string;
}

const maxFiles = 200;
const maxFileBytes = 64 * 1024;
const maxDescription = 256;

/** Where `nats` keeps its contexts, by `XDG_CONFIG_HOME` or below the home. */
export function natsCliFolder(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const config = environment['XDG_CONFIG_HOME'];
  // What is not absolute does not count (XDG Base Directory Specification).
  return join(config !== undefined && isAbsolute(config) ? config : join(home, '.config'), 'nats', 'context');
}

/** A context's name made one of ours. Throws `invalid-input`. */
function ownName(name: string): string {
  const own = name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  if (isContextName(own) && own !== embeddedContext) return own;
  throw new VakError('invalid-input', 'its name cannot be a name of ours; rename it');
}

/** Reads one file. Throws `invalid-input` with all that is in the way. */
async function readOne(name: string, { folder, home }: NatsCliSource): Promise<NatsCliContext> {
  const found = await readTextFile(join(folder, `${name}.json`), { maxBytes: maxFileBytes });
  if (found.kind !== 'text')
    throw new VakError('invalid-input', found.kind === 'absent' ? 'it has gone' : found.reason);
  const file = parseCliFile(found.text);
  const into: Gathered = { secrets: new Map(), notes: [] };
  try {
    const servers = splitServers(file.url);
    const given = servers.login === undefined ? file : { ...file, ...servers.login };
    if (!(await gatherSecrets(given, home, into))) throw new VakError('invalid-input', into.notes.join(' · '));
    checkServers(servers.url);
    const own = ownName(name);
    if (own !== name) into.notes.push(`name: "${own}" here, as a name has only A–Z a–z 0–9 _ -`);
    return { name: own, description: file.description.slice(0, maxDescription), url: servers.url, ...into };
  } catch (error) {
    for (const secret of into.secrets.values()) secret.dispose();
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return [];
    throw new VakError(
      'forbidden',
      `the folder of the nats contexts cannot be read (${systemCode(error) ?? 'unknown'})`,
      {
        cause: error,
      },
    );
  }
}

/** Reads all of them; empty where there are none. Throws `forbidden`. */
export async function readNatsCliContexts(source: NatsCliSource): Promise<NatsCliImport> {
  const contexts: NatsCliContext[] = [];
  const skipped: { readonly name: string; readonly why: string }[] = [];
  const names = await namesIn(source.folder);
  for (const [index, name] of names.entries()) {
    try {
      if (index >= maxFiles) throw new VakError('limit-exceeded', `at most ${maxFiles} contexts are read`);
      const context = await readOne(name, source);
      if (contexts.every((other) => other.name !== context.name)) {
        contexts.push(context);
        continue;
      }
      for (const secret of context.secrets.values()) secret.dispose();
      throw new VakError('invalid-input', `another one is "${context.name}" here too; rename one of them`);
    } catch (error) {
      if (!isVakError(error)) throw error;
      skipped.push({ name, why: error.message });
    }
  }
  return { contexts, skipped };
}
