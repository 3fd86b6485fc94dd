/**
 * What crosses the border between the account of a workspace's peers and that of its streams at a nats-server (protocol.md A4, A22).
 * Law: pure; only what the NATS engine asks of JetStream crosses, and nothing comes back but answers to who asked.
 */
import { valueBuckets } from './storage-access.ts';
import { streamsOf } from './stream-table.ts';

/** Subjects that peers may send to the account of the streams. `many`: one question has more than one answer. */
export interface StoreService {
  readonly subject: string;
  readonly answers: 'one' | 'many';
}

/** Consumers of one stream, as a server bounds them: many times what a workspace has, and fewer than its memory can be filled with. */
export const maxStreamConsumers = 16_384;

/**
 * Calls of JetStream's API that the engine makes; snapshots, lists of all streams and whatever else there is are not among them. With
 * `INFO` nats-server 2.9 says nothing itself of the peers' account; without it, that it has no JetStream, beside each answer [M].
 */
const apiCalls = [
  ...['INFO', 'STREAM.INFO.*', 'STREAM.CREATE.*', 'STREAM.UPDATE.*', 'STREAM.DELETE.*', 'STREAM.PURGE.*'],
  ...['STREAM.MSG.GET.*', 'STREAM.MSG.DELETE.*', 'DIRECT.GET.*.>', 'CONSUMER.CREATE.*.*', 'CONSUMER.CREATE.*.*.>'],
  ...['CONSUMER.INFO.*.*', 'CONSUMER.LIST.*', 'CONSUMER.DELETE.*.*'],
];

/** The services of a workspace's streams. Throws `invalid-subject` for a workspace that is no token. */
export function storeServices(workspace: string): readonly StoreService[] {
  const stored = streamsOf(workspace).flatMap(({ subjects }) => subjects.filter((one) => one.startsWith('vak.')));
  const one = [
    ...apiCalls.map((call) => `$JS.API.${call}`),
    '$JS.ACK.*.*.>',
    ...valueBuckets(workspace).map((bucket) => `$KV.${bucket}.>`),
    // A bucket a peer: who may write which stands in the peers' rights.
    ...['$O.*.C.*', '$O.*.M.*'],
    ...stored,
  ];
  return [
    ...one.map((subject): StoreService => ({ subject, answers: 'one' })),
    { subject: '$JS.API.CONSUMER.MSG.NEXT.*.*', answers: 'many' },
  ];
}
