/**
 * What a peer of the work plane knows of grants, from the records of a profile (protocol.md I4).
 * Law: what another process has granted or revoked meanwhile counts from the next look on; nothing here needs a key store.
 */
import type { VakError } from '../../shared/base/vak-error.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { PinnedRoot } from '../envelope/pinned-root.ts';
import type { StoredJudgeDeps } from '../envelope/stored-judge.ts';
import {
  createProfileSignatureCheck,
  type GrantRecords,
  type ProfileSignatureCheck,
} from '../envelope/workspace-trust.ts';
import { openLocalDirectory } from '../identity/local-directory.ts';
import { openSerialFloor } from '../identity/serial-floor.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';

export interface KnownGrants {
  readonly checkSignature: StoredJudgeDeps['checkSignature'];
  readonly resolve: ProfileSignatureCheck['resolve'];
  readonly knowledge: StoredJudgeDeps['knowledge'];
}

/** Over records that are open. `root`: undefined while it was never seen; then nobody can be judged. */
export function createKnownGrants(records: GrantRecords, root: Pick<PinnedRoot, 'current'>): KnownGrants {
  const { check: checkSignature, resolve } = createProfileSignatureCheck(records, root);
  const { directory } = records;
  return {
    ...{ checkSignature, resolve },
    knowledge: {
      look: () => directory.look(),
      seekGrants: () => void directory.refresh(),
      // A peer's own secrets change only with a new start of it.
      seekSecrets() {},
    },
  };
}

/** Where the records of a workspace lie. */
export interface GrantPlace {
  readonly workspace: string;
  /** Files of the profile. */
  readonly directory: string;
  readonly serials: string;
}

export interface GrantPorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told of a file that was found damaged. */
  readonly report: (error: VakError) => void;
}

/** Records that are open until closed. */
export interface OpenGrantRecords extends GrantRecords {
  /** What was seen is on disk then. */
  close(): Promise<void>;
}

/** Opens a file; a damaged one was set aside, and opening again begins anew. */
async function openSound<T>(open: () => Promise<T>, report: GrantPorts['report']): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
    report(error);
    return await open();
  }
}

/** Opens the records of a profile that another process runs: they are public, and no key store is needed. Throws as opening a file does. */
export async function openGrantRecords(place: GrantPlace, ports: GrantPorts): Promise<OpenGrantRecords> {
  const { workspace } = place;
  const { report } = ports;
  const directory = await openSound(() => openLocalDirectory({ ...ports, path: place.directory, workspace }), report);
  try {
    const floor = await openSound(() => openSerialFloor({ ...ports, path: place.serials }), report);
    return {
      ...{ workspace, directory, floor, checks: createRecordChecks() },
      async close() {
        directory.dispose();
        await floor.settled().catch((error: unknown) => {
          if (!isVakError(error)) throw error;
          report(error);
        });
        floor.dispose();
      },
    };
  } catch (error) {
    directory.dispose();
    throw error;
  }
}
