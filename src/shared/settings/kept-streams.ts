/**
 * The streams of a workspace as the settings bound them (protocol.md §1, product.md "Settings").
 * Law: the table says the most that is kept; settings only keep less, and of no other streams than they have a row for.
 */
import { type StreamSpec, streamsOf } from '../protocol/stream-table.ts';
import type { Settings } from './settings-schema.ts';

const dayMs = 24 * 3_600_000;
const mebibyte = 1024 * 1024;

/** Which settings bound a stream, by its kind in the table. */
const bounding = {
  WORK: { bytes: 'workMiB' },
  RECEIPTS: { age: 'receiptsDays', bytes: 'receiptsMiB' },
  APPROVALS: { age: 'approvalsDays', bytes: 'approvalsMiB' },
  DLQ: { age: 'deadLettersDays', bytes: 'deadLettersMiB' },
} as const satisfies Readonly<
  Record<string, { readonly age?: keyof Settings['retention']; readonly bytes: keyof Settings['retention'] }>
>;

/** `DLQ` of `VAK_DLQ_<ws>`. */
export function streamKindOf({ name }: Pick<StreamSpec, 'name'>, workspace: string): string {
  return name.slice('VAK_'.length, name.length - workspace.length - 1);
}

function bounded(spec: StreamSpec, workspace: string, retention: Settings['retention']): StreamSpec {
  const kind = streamKindOf(spec, workspace);
  if (!(kind in bounding)) return spec;
  const keys: { readonly age?: keyof Settings['retention']; readonly bytes: keyof Settings['retention'] } =
    bounding[kind as keyof typeof bounding];
  return {
    ...spec,
    maxAgeMs: keys.age === undefined ? spec.maxAgeMs : retention[keys.age] * dayMs,
    maxBytes: retention[keys.bytes] * mebibyte,
  };
}

/** The table's streams, bounded. Throws `invalid-subject` for a workspace that is no token. */
export function keptStreamsOf(workspace: string, retention: Settings['retention']): readonly StreamSpec[] {
  return streamsOf(workspace).map((spec) => bounded(spec, workspace, retention));
}
