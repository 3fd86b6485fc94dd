/** What waits in the outboxes for the server of a context that is taken away, and how it is sent then (protocol.md B8). */
import { readdir } from 'node:fs/promises';
import { fileError } from '../../engine/identity/file-error.ts';
import { listOutboxFolders, listOutboxSlots, openOutboxSlot } from '../../engine/outbox/outbox-folder.ts';
import { openOutboxStore } from '../../engine/outbox/outbox-store.ts';
import { destinationOf } from '../../engine/settings/bus-settings.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { isToken } from '../../shared/protocol/subject.ts';
import type { ContextSettings, Settings } from '../../shared/settings/settings-schema.ts';
import type { CliHost } from './command.ts';
import type { Profile } from './profile.ts';

/** An outbox in which something waits, or that does not say. */
interface Leftover {
  readonly workspace: string;
  readonly peer: string;
  readonly count: number;
  /** Whether a process has one of its journals open, or one is damaged. */
  readonly isUnknown: boolean;
}

async function workspacesIn(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && isToken(entry.name) ? [entry.name] : [])).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError('read', root, error);
  }
}

/** How many wait in one journal; undefined if that is not known. */
async function countIn(
  folder: Parameters<typeof openOutboxSlot>[0],
  slot: number,
  host: CliHost,
): Promise<number | undefined> {
  try {
    const journal = await openOutboxSlot(folder, slot, host);
    if (journal === undefined) return undefined;
    try {
      const { entries, refusals, damagedCount } = (await openOutboxStore(journal, host.logger)).found;
      const isWhole = journal.readOnlyReason === undefined && damagedCount === 0;
      return isWhole ? entries.length + refusals.length : undefined;
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

async function leftoversFor(destination: string, root: string, host: CliHost): Promise<readonly Leftover[]> {
  const found: Leftover[] = [];
  for (const workspace of await workspacesIn(root)) {
    for (const folder of await listOutboxFolders(root, workspace)) {
      if (folder.destination !== destination) continue;
      const slots = await listOutboxSlots(folder);
      const counts: (number | undefined)[] = [];
      for (const slot of slots) counts.push(await countIn(folder, slot, host));
      const count = counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
      const isUnknown = counts.includes(undefined);
      if (count > 0 || isUnknown) found.push({ workspace, peer: folder.peer, count, isUnknown });
    }
  }
  return found;
}

/** How the server is named once the context has gone: by one that leads there too, else by its address. */
function wayTo({ name, natsUrl }: ContextSettings, settings: Settings): string | undefined {
  const own = { ...settings, natsUrl: null };
  const destination = destinationOf(own, name);
  const other = settings.contexts.find((one) => one.name !== name && destinationOf(own, one.name) === destination);
  if (other !== undefined) return `--context ${other.name}`;
  return natsUrl === null ? undefined : `--nats-url ${natsUrl}`;
}

/** What is told of one outbox. */
function sentenceOf({ workspace, peer, count, isUnknown }: Leftover, name: string, way: string | undefined): string {
  const what = count === 1 ? '1 message waits' : `${count} messages wait`;
  const more = isUnknown ? ' (one of its journals is in use or damaged, see vak outbox ls)' : '';
  const of = workspace === 'default' ? '' : ` --workspace ${workspace}`;
  const call = `vak outbox send --identity ${peer}${of}`;
  const how =
    way === undefined
      ? `${call} --context NAME sends them, once there is a managed context again`
      : `${call} ${way} sends them, with the credentials that it asks for`;
  return `outbox of ${peer}: ${what} for the server of context ${name}${more}; ${how}`;
}

/** A sentence for each outbox with messages for the server of a context; none if nothing waits. What cannot be read is said as one. */
export async function leftoversOf(
  context: ContextSettings,
  profile: Profile,
  host: CliHost,
): Promise<readonly string[]> {
  const settings = profile.settings.settings();
  const destination = destinationOf({ ...settings, natsUrl: null }, context.name);
  const way = wayTo(context, settings);
  try {
    const found = await leftoversFor(destination, profile.files.outbox, host);
    return found.map((one) => sentenceOf(one, context.name, way));
  } catch (error) {
    if (!isVakError(error)) throw error;
    return [`outbox: whether something waits for that server is not known: ${error.message}`];
  }
}
