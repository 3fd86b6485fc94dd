/**
 * Campaigns on disk, a file each in the profile (docs/spec/triage.md D7).
 * Law: whole files only, written before what they announce is done; one process at a time works on a campaign; a file that cannot be
 * read is set aside and said.
 */
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { writeFileAtomically } from '../identity/atomic-file.ts';
import { fileError, systemCode } from '../identity/file-error.ts';
import { createFileLock } from '../identity/file-lock.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createSerialLane } from '../serial-lane.ts';
import { type CampaignRecord, campaignSchema } from './campaign-record.ts';

export interface CampaignStore {
  /** Of all that are kept. */
  ids(): Promise<readonly string[]>;
  /** As it is on disk; undefined: there is none that can be read. */
  get(operationId: string): Promise<CampaignRecord | undefined>;
  /** Keeps a new one; the oldest settled ones give way. Throws `limit-exceeded` if too many are unsettled, and what writing throws. */
  add(record: CampaignRecord): Promise<void>;
  /** Resolves when it is on disk as it is now. Throws `disk-full`, `forbidden` … */
  save(record: CampaignRecord): Promise<void>;
  /** Whether it was begun in this folder: a copy of a profile has copies of campaigns that the other one may be at. */
  isHere(record: CampaignRecord): Promise<boolean>;
  /** Works on a campaign alone. Throws `already-running` while another process does. */
  hold<T>(operationId: string, work: () => Promise<T>): Promise<T>;
}

export interface CampaignStoreOptions {
  /** `campaigns` of the profile; made when the first one is kept. */
  readonly folder: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told of a file that is damaged or of a later version; a damaged one was set aside. */
  readonly report: (error: VakError) => void;
  /** 50 unless told. */
  readonly maxCampaigns?: number;
}

const maxFileBytes = 16 * 1024 * 1024;
const fileName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.json$/;

/** Reads a file's bytes as a campaign. Throws `corrupt`, `unsupported`. */
function parse(bytes: Uint8Array, operationId: string): CampaignRecord {
  let json: unknown;
  try {
    json = JSON.parse(toTextStrict(bytes, 'file'));
  } catch (cause) {
    throw new VakError('corrupt', `no JSON in UTF-8 (${bytes.length} bytes)`, { cause });
  }
  if (typeof json === 'object' && json !== null && 'v' in json && Number.isInteger(json.v) && Number(json.v) > 1) {
    throw new VakError('unsupported', 'a later version of the program wrote it; use that one');
  }
  const parsed = campaignSchema.safeParse(json);
  if (!parsed.success) throw new VakError('corrupt', firstIssue(parsed.error));
  if (parsed.data.operationId === operationId) return parsed.data;
  throw new VakError('corrupt', 'operationId: it is not the one of the name of the file');
}

/** Creates the store; nothing is read or made yet. */
export function createCampaignStore(options: CampaignStoreOptions): CampaignStore {
  const { folder, clock, randomness, report, maxCampaigns = 50 } = options;
  const writing = createSerialLane();
  const pathOf = (operationId: string): string => join(folder, `${operationId}.json`);

  async function names(): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw fileError('read', folder, error);
    }
  }

  async function setAside(path: string, error: VakError): Promise<void> {
    const asidePath = `${path}.damaged-${new Date(clock.now()).toISOString().replace(/[-:.]/g, '')}`;
    await rename(path, asidePath);
    const message = `${path}: ${error.message}; it was set aside as ${asidePath}`;
    report(new VakError('corrupt', message, { details: { path, asidePath }, cause: error }));
  }

  /** Undefined if it is gone, damaged or of a later version. */
  async function readOne(operationId: string): Promise<CampaignRecord | undefined> {
    const path = pathOf(operationId);
    try {
      const { size } = await stat(path);
      if (size > maxFileBytes) throw new VakError('corrupt', `larger than ${maxFileBytes} bytes`);
      return parse(await readFile(path), operationId);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      if (!isVakError(error)) throw fileError('read', path, error);
      if (error.code === 'corrupt') await setAside(path, error);
      else report(new VakError(error.code, `${path}: ${error.message}`, { cause: error, details: { path } }));
      return undefined;
    }
  }

  async function ids(): Promise<string[]> {
    return (await names()).flatMap((name) => fileName.exec(name)?.[1] ?? []);
  }

  /** Newest first. */
  async function all(): Promise<CampaignRecord[]> {
    const found = await Promise.all((await ids()).map(readOne));
    return found.flatMap((record) => record ?? []).sort((a, b) => b.startedMs - a.startedMs);
  }

  async function write(record: CampaignRecord): Promise<void> {
    const path = pathOf(record.operationId);
    const bytes = utf8(`${JSON.stringify(record)}\n`);
    try {
      await writeFileAtomically(path, bytes, 0o600);
    } catch (error) {
      throw fileError('write', path, error);
    }
  }

  /** Copying makes another one of it; moving and restarting do not. */
  async function homeOf(): Promise<string> {
    try {
      const { dev, ino } = await stat(folder, { bigint: true });
      return `${dev}:${ino}`;
    } catch (error) {
      throw fileError('read', folder, error);
    }
  }

  async function makeRoom(): Promise<void> {
    if ((await ids()).length < maxCampaigns) return;
    const kept = await all();
    const tooMany = kept.length + 1 - maxCampaigns;
    if (tooMany <= 0) return;
    const gone = kept.filter(({ isSettled }) => isSettled).slice(-tooMany);
    if (gone.length < tooMany) {
      const message = `campaigns: ${kept.length} are kept, and too many of them are not over; cancel some first`;
      throw new VakError('limit-exceeded', message, { retryable: true });
    }
    for (const { operationId } of gone) await rm(pathOf(operationId), { force: true });
  }

  return {
    ids: () => writing.run(ids),
    get: (operationId) => writing.run(() => readOne(operationId)),
    add: (record) =>
      writing.run(async () => {
        await makeRoom();
        await mkdir(folder, { recursive: true, mode: 0o700 });
        record.home = await homeOf();
        await write(record);
      }),
    save: (record) => writing.run(() => write(record)),
    isHere: async ({ home }) => home === undefined || home === (await homeOf()),
    async hold(operationId, work) {
      const lock = createFileLock({ path: join(folder, `${operationId}.lock`), waitMs: 0, clock, randomness });
      let isHeld = false;
      try {
        return await lock.run(() => {
          isHeld = true;
          return work();
        });
      } catch (error) {
        if (isHeld || !isVakError(error, 'timeout')) throw error;
        const message = `campaign ${operationId}: another process of this profile works on it`;
        throw new VakError('already-running', message, { cause: error, retryable: true });
      }
    },
  };
}
