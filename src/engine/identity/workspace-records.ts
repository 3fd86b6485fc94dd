/**
 * The records of one workspace that a profile keeps: cards and grants, and the serials that it has seen (protocol.md I1, I4).
 * Law: opened together, closed together; what was seen is on disk before it is closed.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory } from '../ports/directory.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { ProfileFiles } from '../settings/profile-files.ts';
import { createTimelineReader, type GrantTimeline, type ReadTimeline } from './grant-timeline.ts';
import type { KeyStoreContents } from './key-store.ts';
import { openLocalDirectory } from './local-directory.ts';
import { openPins, type Pins } from './pins.ts';
import { workspaceIn } from './root-grants.ts';
import { openSerialFloor, type SerialFloor } from './serial-floor.ts';
import { createRecordChecks, type RecordChecks } from './signed-record.ts';

export interface WorkspaceRecords {
  readonly workspace: string;
  readonly directory: Directory;
  readonly floor: SerialFloor;
  readonly pins: Pins;
  /** What was checked of keys is remembered here, for all who use these records: a key is dear to check. */
  readonly checks: RecordChecks;
  /** What each peer was ever granted, verified under the root that `contents` pins. */
  timelines(contents: KeyStoreContents): (peer: string) => GrantTimeline;
  /** Writes what was seen, then closes. */
  close(): Promise<void>;
  /** Closes at once: for who has waited for what it published. */
  dispose(): void;
}

/** What opening takes. */
export interface WorkspaceRecordsOptions {
  readonly files: Pick<ProfileFiles, 'directory' | 'serials' | 'pins'>;
  readonly workspace: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if a file is found damaged while it is open. */
  readonly report: (error: VakError) => void;
}

/** Opens the records. Throws `corrupt` for a damaged file, which is set aside first: opening again begins anew. */
export async function openWorkspaceRecords(options: WorkspaceRecordsOptions): Promise<WorkspaceRecords> {
  const { files, workspace, clock, randomness, report } = options;
  const held = createDisposer();
  const common = { clock, randomness, report };
  const checks = createRecordChecks();
  let reader: { readonly root: string; readonly read: ReadTimeline } | undefined;

  /** The same one as long as the root is: it remembers what it has verified. */
  function readerUnder(root: string): ReadTimeline {
    if (reader?.root !== root)
      reader = { root, read: createTimelineReader({ ws: workspace, rootPublic: root, checks }) };
    return reader.read;
  }

  try {
    const directory = held.add(await openLocalDirectory({ ...common, path: files.directory(workspace), workspace }));
    const floor = held.add(await openSerialFloor({ ...common, path: files.serials }));
    const pins = held.add(await openPins({ ...common, path: files.pins, floor }));
    return {
      workspace,
      directory,
      floor,
      pins,
      checks,
      timelines(contents) {
        const read = readerUnder(workspaceIn(contents, workspace).rootPublic);
        return (peer) => read(directory.grants(peer), peer);
      },
      async close() {
        await floor.settled();
        held.dispose();
      },
      dispose: () => held.dispose(),
    };
  } catch (error) {
    held.dispose();
    throw error;
  }
}
