/**
 * When the key store was backed up last, and what of its keys that backup lacks (product.md "Configuration").
 * Law: no key and no name is in its file, only keyed digests; whoever has not the keys learns the time and nothing else.
 */
import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { BackedUpKind, BackupStanding } from '../../shared/contract/identity-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { KeyStoreContents } from './key-store.ts';
import { openOrBeginJsonFile } from './shared-json-file.ts';

export interface BackupRecord extends Disposable {
  /**
   * Digests what goes into a backup, or came out of one; what it gives notes that it is there now, also if the store was locked meanwhile,
   * and throws what writing a file throws.
   */
  prepare(how: 'made' | 'restored', contents: KeyStoreContents): () => Promise<void>;
  /** How what the store holds stands to the last backup. */
  standing(contents: KeyStoreContents): BackupStanding;
  /** The last backup, for who cannot read the keys. */
  last(): BackupStanding['last'];
  onChange(listener: () => void): Disposable;
}

export interface BackupRecordOptions {
  /** `backup-record.json` of the profile. */
  readonly path: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told if the file is found damaged; then it was set aside. */
  readonly report: (error: VakError) => void;
}

const fileSchema = z.strictObject({
  v: z.literal(1),
  last: z
    .strictObject({
      atMs: z.int().min(0),
      how: z.enum(['made', 'restored']),
      /** A digest for each key that is in it. */
      marks: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(100_000),
    })
    .nullable(),
});
type RecordFile = z.infer<typeof fileSchema>;

/** A part of the key store that is lost with it. */
interface Part {
  readonly kind: BackedUpKind;
  readonly name: string;
  readonly bytes: Uint8Array;
}

function partsOf({ identities, workspaces, credentials, roomKeys }: KeyStoreContents): readonly Part[] {
  return [
    ...identities.flatMap(({ peer, signSeed, boxKeys }): Part[] => [
      { kind: 'identity', name: peer, bytes: signSeed.reveal() },
      ...boxKeys.map(({ secret }): Part => ({ kind: 'box-key', name: peer, bytes: secret.reveal() })),
    ]),
    ...workspaces.flatMap(({ workspace, rootPublic, rootSeed, secrets }): Part[] => [
      { kind: 'root', name: `${workspace} ${rootPublic}`, bytes: rootSeed?.reveal() ?? new Uint8Array() },
      ...secrets.map(({ id, state, openOnlyUntilMs, secret }): Part => {
        return { kind: 'secret', name: `${workspace} ${id} ${state} ${openOnlyUntilMs}`, bytes: secret.reveal() };
      }),
    ]),
    ...Array.from(credentials, ([name, secret]): Part => ({ kind: 'credential', name, bytes: secret.reveal() })),
    ...Array.from(roomKeys, ([name, secret]): Part => ({ kind: 'room-key', name, bytes: secret.reveal() })),
  ];
}

/** A credential may be short: its digest is keyed with a seed, which nobody guesses. Without an identity there is nothing to lose yet. */
function marksOf(contents: KeyStoreContents): readonly { readonly kind: BackedUpKind; readonly mark: string }[] {
  const [first] = contents.identities;
  if (first === undefined) return [];
  const key = createHash('sha256').update(utf8('vak-backup-mark-v1|')).update(first.signSeed.reveal()).digest();
  try {
    return partsOf(contents).map(({ kind, name, bytes }) => {
      const head = utf8(JSON.stringify([kind, name]));
      const mark = createHmac('sha256', key).update(head).update(bytes).digest('hex').slice(0, 32);
      return { kind, mark };
    });
  } finally {
    key.fill(0);
  }
}

function countByKind(kinds: readonly BackedUpKind[]): BackupStanding['changed'] {
  const counts = new Map<BackedUpKind, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Array.from(counts, ([kind, count]) => ({ kind, count }));
}

/** Opens it. Throws `unsupported` if a later version wrote the file, `forbidden` if it cannot be read. */
export async function openBackupRecord(options: BackupRecordOptions): Promise<BackupRecord> {
  const file = await openOrBeginJsonFile({ ...options, schema: fileSchema, empty: { v: 1, last: null } });
  /** What was worked out last: the same contents are asked for with each change of anything. */
  let known: { readonly of: KeyStoreContents; readonly on: RecordFile; readonly standing: BackupStanding } | undefined;

  const lastOf = ({ last }: RecordFile): BackupStanding['last'] => last && { atMs: last.atMs, how: last.how };

  function compare(contents: KeyStoreContents, on: RecordFile): BackupStanding {
    if (on.last === null) return { last: null, changed: [] };
    const there = new Set(on.last.marks);
    const changed = marksOf(contents).filter(({ mark }) => !there.has(mark));
    return { last: lastOf(on), changed: countByKind(changed.map(({ kind }) => kind)) };
  }

  return {
    prepare(how, contents) {
      const marks = marksOf(contents).map(({ mark }) => mark);
      return () => {
        const last = { atMs: options.clock.now(), how, marks };
        return file.update((before) => ({ ...before, last }));
      };
    },
    standing(contents) {
      const on = file.read();
      if (known?.of !== contents || known.on !== on) known = { of: contents, on, standing: compare(contents, on) };
      return known.standing;
    },
    last: () => lastOf(file.read()),
    onChange: file.onChange,
    dispose: file.dispose,
  };
}
