/**
 * Key-value buckets over JetStream, laid out as its clients do (protocol.md B5): stream `KV_<bucket>`, subject `$KV.<bucket>.<key>`.
 * Law: a put with a revision stores only if that is the key's last one; a deleted key has none.
 */
import { headers } from 'nats';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { isToken, maxSubjectLength } from '../../../shared/protocol/subject.ts';
import { checkMessageSize } from '../check-message.ts';
import type { KeyValueBucket, KeyValueEntry, KeyValueSpec, MakeOptions, Provisioned } from '../durable.ts';
import { appendOnce } from './nats-append.ts';
import { ensureConfig } from './nats-ensure.ts';
import { checkName, type JsonRecord } from './nats-jetstream-api.ts';
import { changeOf, isDeletion, type NatsKeyValueDeps, operationHeader } from './nats-key-change.ts';
import { watchKeys } from './nats-key-watch.ts';
import { createOrderedReader, type ReaderStart } from './nats-ordered-reader.ts';
import type { Pulled } from './nats-pull.ts';
import { newestStored } from './nats-seq-reader.ts';
import { headerIn } from './nats-stored-message.ts';

const pageLimit = 500;
const nanosPerMs = 1_000_000;

function checkKey(key: string): string {
  if (key.length > 0 && key.length <= maxSubjectLength - 128 && key.split('.').every(isToken)) return key;
  throw new VakError(
    'invalid-input',
    `key: expected tokens of A–Z a–z 0–9 _ - joined by ".", got ${key.length} characters`,
    { details: { field: 'key' } },
  );
}

/** What JetStream is asked for. */
function bucketConfig({ name, history }: KeyValueSpec): JsonRecord {
  return {
    name: `KV_${name}`,
    subjects: [`$KV.${name}.>`],
    retention: 'limits',
    storage: 'file',
    discard: 'new',
    max_msgs_per_subject: history,
    max_age: 0,
    max_bytes: -1,
    max_msgs: -1,
    max_msg_size: -1,
    max_consumers: -1,
    duplicate_window: 120_000 * nanosPerMs,
    // Whoever may write one key could else empty the bucket with a header.
    allow_rollup_hdrs: false,
    allow_direct: true,
    deny_delete: true,
    deny_purge: false,
  };
}

/** Makes a bucket or changes how much it keeps. */
export function ensureKeyValue(
  deps: NatsKeyValueDeps,
  spec: KeyValueSpec,
  options?: MakeOptions,
): Promise<Provisioned> {
  checkName(spec.name, 'name');
  if (!(Number.isInteger(spec.history) && spec.history >= 1 && spec.history <= 64)) {
    throw new VakError('invalid-input', 'history: expected 1–64', { details: { field: 'history' } });
  }
  return ensureConfig(deps.api, bucketConfig(spec), options);
}

export function createNatsKeyValue(deps: NatsKeyValueDeps, name: string): KeyValueBucket {
  const stream = `KV_${checkName(name, 'bucket')}`;
  const prefix = `$KV.${name}.`;

  /** The newest that was stored of a key, a deletion too. */
  const newest = async (key: string): Promise<{ seq: number; entry: KeyValueEntry | undefined } | undefined> => {
    const raw = await newestStored(deps.api, stream, prefix + checkKey(key));
    if (raw === undefined) return undefined;
    const { seq: revision, data: value, storedMs } = raw.stored;
    const isGone = isDeletion(headerIn(raw.headers, operationHeader));
    return { seq: revision, entry: isGone ? undefined : { key, value, revision, storedMs } };
  };
  const collect = async (
    filter: string,
    start: ReaderStart,
    more: { readonly isHeadersOnly: boolean },
  ): Promise<readonly Pulled[]> => {
    const reader = createOrderedReader(deps, { stream, filter, start, ...more });
    const found: Pulled[] = [];
    try {
      for (;;) {
        const page = await reader.next({ limit: pageLimit });
        found.push(...page.messages);
        if (page.pendingCount === 0) return found;
      }
    } finally {
      await reader.close();
    }
  };
  const store = async (key: string, value: Uint8Array, expectedLastSeq: number | undefined): Promise<number> => {
    const options = expectedLastSeq === undefined ? undefined : { expectedLastSeq };
    return (await appendOnce(deps, { stream, subject: prefix + key, data: value, options })).seq;
  };

  return {
    async get(key) {
      return (await newest(key))?.entry;
    },
    async history(key) {
      const all = await collect(prefix + checkKey(key), { kind: 'seq', seq: 1 }, { isHeadersOnly: false });
      return all.flatMap((pulled) => changeOf(pulled, prefix.length).entry ?? []);
    },
    async put(key, value, { revision } = {}) {
      checkKey(key);
      checkMessageSize(`${name}/${key}`, value);
      try {
        return await store(key, value, revision);
      } catch (error) {
        if (revision !== 0 || !isVakError(error, 'conflict')) throw error;
        const last = await newest(key);
        if (last === undefined || last.entry !== undefined) throw error;
        return await store(key, value, last.seq);
      }
    },
    async delete(key) {
      const marks = headers();
      marks.set(operationHeader, 'DEL');
      await appendOnce(deps, { stream, subject: prefix + checkKey(key), data: new Uint8Array(), headers: marks });
    },
    async keys() {
      const all = await collect(`${prefix}>`, { kind: 'last-per-subject' }, { isHeadersOnly: true });
      const found = new Set<string>();
      for (const pulled of all) {
        const { key, entry } = changeOf(pulled, prefix.length);
        if (entry === undefined) found.delete(key);
        else found.add(key);
      }
      return [...found].sort();
    },
    watch: (onChange, onReady = () => {}) => watchKeys(deps, { stream, prefix, onChange, onReady }),
  };
}
