/**
 * What crosses the borders between the account of a workspace's peers and those of its streams at a nats-server (protocol.md A4, A22, A35).
 * Law: pure; only what the NATS engine asks of JetStream crosses, and nothing comes back but answers to who asked.
 */
import { mediaBucket, valueBuckets } from './storage-access.ts';
import { isClaimed, streamsOf } from './stream-table.ts';

/**
 * The accounts in which something is stored: `queues` holds the streams that peers claim from, `streams` all else. Whoever may make a
 * consumer to read can direct what it pushes at any subject of its account, also at another consumer's requests [M].
 */
export const storeAccounts = ['streams', 'queues'] as const;
export type StoreAccount = (typeof storeAccounts)[number];

/** Subjects that an account answers. `many`: one question has more than one answer. */
export interface StoreService {
  readonly subject: string;
  readonly answers: 'one' | 'many';
}

/** Subjects that the peers' account hands on to one of the accounts. */
export interface StoreImport {
  readonly account: StoreAccount;
  readonly subject: string;
}

/** Consumers of one stream, as a server bounds them: many times what a workspace has, and fewer than its memory can be filled with. */
export const maxStreamConsumers = 16_384;

const api = (call: string): string => `$JS.API.${call}`;

/** Figures of the plane. A pattern, though only `INFO` has one word: see {@link storeImports}. */
const planeCall = api('*');

/** Calls of the API that the engine makes about one stream: `*`: any, as an account answers them. */
const streamCalls = (stream: string): readonly string[] =>
  [
    // INFO, CREATE, UPDATE, DELETE, PURGE; which of them stands in the peers' rights, as with the others here.
    ...[`STREAM.*.${stream}`, `STREAM.MSG.*.${stream}`, `DIRECT.GET.${stream}.>`, `CONSUMER.*.${stream}`],
    ...[`CONSUMER.CREATE.${stream}.*`, `CONSUMER.CREATE.${stream}.*.>`],
    ...[`CONSUMER.INFO.${stream}.*`, `CONSUMER.DELETE.${stream}.*`],
  ].map(api);
const nextCall = (stream: string): string => api(`CONSUMER.MSG.NEXT.${stream}.*`);
const acksOf = (stream: string): string => `$JS.ACK.${stream}.*.>`;

function storedSubjects(workspace: string, account: StoreAccount): readonly string[] {
  return streamsOf(workspace)
    .filter((spec) => isClaimed(spec) === (account === 'queues'))
    .flatMap(({ subjects }) => subjects.filter((one) => one.startsWith('vak.')));
}

/** The services of an account, no two of which overlap. Throws `invalid-subject` for a workspace that is no token. */
export function storeServices(workspace: string, account: StoreAccount): readonly StoreService[] {
  const buckets = valueBuckets(workspace).map((bucket) => `$KV.${bucket}.>`);
  const one = [
    ...[...streamCalls('*'), acksOf('*'), ...storedSubjects(workspace, account)],
    // A bucket a peer: who may write which stands in the peers' rights.
    ...(account === 'streams' ? [planeCall, ...buckets, '$O.*.C.*', '$O.*.M.*'] : []),
  ];
  return [
    ...one.map((subject): StoreService => ({ subject, answers: 'one' })),
    { subject: nextCall('*'), answers: 'many' },
  ];
}

/** What the engine asks of a bucket: it has a consumer to read it, and nobody claims from it. */
const bucketCalls = (stream: string): readonly string[] => [
  ...[api(`STREAM.*.${stream}`), api(`DIRECT.GET.${stream}.>`)],
  ...[api(`CONSUMER.CREATE.${stream}.*.>`), api(`CONSUMER.DELETE.${stream}.*`), nextCall(stream)],
];

/**
 * What the peers' account hands on, stream by stream, so that each call reaches the one account that holds its stream. `writers`: peers
 * that have a bucket of large values. Each subject has a wildcard: a server hands on to an import without one what another import
 * answers [M].
 */
export function storeImports(workspace: string, writers: readonly string[]): readonly StoreImport[] {
  const of = (account: StoreAccount, subjects: readonly string[]): StoreImport[] =>
    subjects.map((subject) => ({ account, subject }));
  const values = valueBuckets(workspace);
  const buckets = [
    ...values.map((bucket) => `KV_${bucket}`),
    ...writers.map((peer) => `OBJ_${mediaBucket(workspace, peer)}`),
  ];
  return [
    ...streamsOf(workspace).flatMap((spec) => {
      const subjects = spec.subjects.filter((one) => one.startsWith('vak.'));
      const calls = [...streamCalls(spec.name), nextCall(spec.name), acksOf(spec.name)];
      return of(isClaimed(spec) ? 'queues' : 'streams', [...calls, ...subjects]);
    }),
    ...of('streams', [planeCall, ...buckets.flatMap(bucketCalls), ...values.map((bucket) => `$KV.${bucket}.>`)]),
    ...of('streams', ['$O.*.C.*', '$O.*.M.*']),
  ];
}
