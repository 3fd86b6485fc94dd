/**
 * What the folder of the managed server tells other programs of the same user (product.md "Engines and headless peers").
 * Law: the record holds no secret; the seed lies in a file of its own, mode 0600, and is never told by an error.
 */
import { connect } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { utf8 } from '../../shared/base/bytes.ts';
import { writeFileAtomically } from '../identity/atomic-file.ts';
import { createNkeySeed, createNkeySigner } from '../identity/nkey.ts';
import { birthOf, birthPlace, isSameBirth } from '../identity/process-birth.ts';
import type { Secret } from '../identity/secret.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { readTextFile } from '../settings/read-text-file.ts';
import { readSecretFile } from '../settings/secret-file.ts';

const processSchema = z.strictObject({ pid: z.int().min(1), birth: z.string().min(1).max(64) });
const recordSchema = z.strictObject({
  port: z.int().min(1).max(65_535),
  /** The greeting has it: whoever greets otherwise is somebody else. */
  serverName: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  /** Where its pids mean something. */
  place: z.string().max(128),
  /** The process that restarts it and ends with it; null: it was stopped. */
  owner: processSchema.nullable(),
  server: processSchema.nullable(),
});

/** A process by its pid and when it was born. */
export type RecordedProcess = z.infer<typeof processSchema>;
export type ManagedRecord = z.infer<typeof recordSchema>;

const maxRecordBytes = 4096;
const maxGreetingBytes = 16 * 1024;
const greetingMs = 1_000;
const seedField = 'managed server: nkey.seed';

const recordPath = (folder: string): string => join(folder, 'server.json');
const seedPath = (folder: string): string => join(folder, 'nkey.seed');

export const urlOf = ({ port }: Pick<ManagedRecord, 'port'>): string => `nats://127.0.0.1:${port}`;

/** Undefined if there is none that can be read. */
export async function readRecord(folder: string): Promise<ManagedRecord | undefined> {
  const found = await readTextFile(recordPath(folder), { maxBytes: maxRecordBytes });
  if (found.kind !== 'text') return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(found.text)).data;
  } catch {
    return undefined;
  }
}

export async function writeRecord(folder: string, record: ManagedRecord): Promise<void> {
  await writeFileAtomically(recordPath(folder), utf8(`${JSON.stringify(record)}\n`));
}

/** A process that lives now. */
export async function describeProcess(pid: number): Promise<RecordedProcess> {
  return { pid, birth: (await birthOf(pid)) ?? 'untold' };
}

/** Whether it lives; undefined: it cannot be judged from here. */
export async function isLiving(recorded: RecordedProcess | null, place: string): Promise<boolean | undefined> {
  if (recorded === null) return false;
  if (place !== birthPlace()) return undefined;
  const birth = await birthOf(recorded.pid);
  return birth !== undefined && isSameBirth(birth, recorded.birth);
}

/** Whether what greets on the port is that very server. */
export function greets(
  { port, serverName }: Pick<ManagedRecord, 'port' | 'serverName'>,
  clock: Clock,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    const settle = (isIt: boolean): void => {
      timer.dispose();
      socket.destroy();
      resolve(isIt);
    };
    const timer = clock.setTimer(greetingMs, () => settle(false));
    socket.on('error', () => settle(false));
    socket.on('close', () => settle(false));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) settle(nameInGreeting(text) === serverName);
      else if (text.length > maxGreetingBytes) settle(false);
    });
  });
}

function nameInGreeting(text: string): unknown {
  const found = /^INFO (\{.*\})\s*\r?\n/.exec(text);
  try {
    return found === null ? undefined : (JSON.parse(found[1] as string) as { server_name?: unknown }).server_name;
  } catch {
    return undefined;
  }
}

/** Throws `invalid-input` if its file is not ours alone, `invalid-payload` if it holds no seed. */
async function readSeed(folder: string): Promise<Secret> {
  const seed = await readSecretFile(seedPath(folder), seedField);
  try {
    createNkeySigner(seed).dispose();
    return seed;
  } catch (error) {
    seed.dispose();
    throw error;
  }
}

/** The seed of the folder, made where there is none. The caller disposes it. */
export async function ensureSeed(folder: string, randomness: Randomness): Promise<Secret> {
  if ((await readTextFile(seedPath(folder), { maxBytes: maxRecordBytes })).kind === 'absent') {
    const seed = createNkeySeed(randomness);
    try {
      await writeFileAtomically(seedPath(folder), seed.reveal());
    } finally {
      seed.dispose();
    }
  }
  return await readSeed(folder);
}

/** A managed server that another program may join. The caller disposes the seed (`SU…`). */
export interface JoinableServer {
  readonly url: string;
  readonly seed: Secret;
}

/** The running managed server of a folder; undefined if none runs. Throws `invalid-input` if the seed's file is not ours alone. */
export async function readManagedServer(folder: string, clock: Clock): Promise<JoinableServer | undefined> {
  const record = await readRecord(folder);
  if (record === undefined) return undefined;
  const { owner, place } = record;
  if ((await isLiving(owner, place)) === false || !(await greets(record, clock))) return undefined;
  return { url: urlOf(record), seed: await readSeed(folder) };
}
