/**
 * Where the outboxes of a profile lie: one folder a workspace, destination and peer, in it one journal a process (protocol.md B8, E12).
 * Law: what was put for one destination is never sent to another, and no two processes have one journal open.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { Journal } from '../bus/memory/journal.ts';
import { openLevelJournal } from '../bus/memory/level-journal.ts';
import { fileError } from '../identity/file-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';

export interface OutboxFolder {
  readonly workspace: string;
  /** The engine that it is for, `destinationOf` of the settings. */
  readonly destination: string;
  readonly peer: string;
  readonly path: string;
}

export interface OutboxFolderPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Processes of one peer at once; each has a journal of its own. */
const maxSlots = 64;
const destinationForm = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;

/** The folder of a peer's messages for a destination, under the profile's `outbox`. Throws `invalid-subject` for a name that is no token. */
export function outboxFolder(root: string, place: Omit<OutboxFolder, 'path'>): OutboxFolder {
  const { destination } = place;
  if (!destinationForm.test(destination)) throw new TypeError('destination: it is no name of a folder');
  const [workspace, peer] = [checkToken(place.workspace, 'workspace'), checkToken(place.peer, 'peer')];
  return { workspace, destination, peer, path: join(root, workspace, destination, peer) };
}

async function foldersIn(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => name).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError('read', path, error);
  }
}

/** Every outbox of a workspace under the profile's `outbox`, in the order of their names. Throws `forbidden` and what else reading a folder throws. */
export async function listOutboxFolders(root: string, workspace: string): Promise<OutboxFolder[]> {
  const found: OutboxFolder[] = [];
  const base = join(root, checkToken(workspace, 'workspace'));
  for (const destination of await foldersIn(base)) {
    for (const peer of await foldersIn(join(base, destination))) {
      found.push({ workspace, destination, peer, path: join(base, destination, peer) });
    }
  }
  return found;
}

/** Numbers of the journals that are there. */
export async function listOutboxSlots({ path }: OutboxFolder): Promise<number[]> {
  const names = await foldersIn(path);
  const slots = names.filter((name) => /^(?:0|[1-9]\d?)$/.test(name)).map(Number);
  return slots.sort((left, right) => left - right);
}

/** Opens one journal of a folder, or makes it; undefined: another process has it. Throws what else opening throws. */
export async function openOutboxSlot(
  { path }: OutboxFolder,
  slot: number,
  ports: OutboxFolderPorts,
): Promise<Journal | undefined> {
  try {
    return await openLevelJournal({ folder: join(path, String(slot)), durability: 'written', ...ports });
  } catch (error) {
    if (isVakError(error, 'already-running')) return undefined;
    throw error;
  }
}

/**
 * Opens the first journal of a folder that no process has open, or makes one. Throws what opening throws (`corrupt`, `disk-full`, …):
 * a damaged one is not passed over, for something may wait in it; `limit-exceeded` if {@link maxSlots} are open.
 */
export async function openOwnOutbox(
  folder: OutboxFolder,
  ports: OutboxFolderPorts,
): Promise<{ readonly slot: number; readonly journal: Journal }> {
  for (let slot = 0; slot < maxSlots; slot++) {
    const journal = await openOutboxSlot(folder, slot, ports);
    if (journal !== undefined) return { slot, journal };
  }
  const message = `outbox: ${maxSlots} processes of this peer have one open in ${folder.path}; end some of them`;
  throw new VakError('limit-exceeded', message, { retryable: true });
}
