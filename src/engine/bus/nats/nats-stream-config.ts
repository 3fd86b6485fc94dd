/**
 * A stream of the table as a configuration of JetStream, and back (protocol.md §1, B3).
 * Law: only what the table says is compared and changed; what a server cannot change is told, never silently left.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { type JsonRecord, listIn, numberIn, textIn } from './nats-jetstream-api.ts';

const nanosPerMs = 1_000_000;

const retentions = { limits: 'limits', interest: 'interest', 'work-queue': 'workqueue' } as const;

/** The server wants the window within the age, and reads 0 as its own default. */
function dedupeWindowMs({ dedupeWindowMs: window, maxAgeMs }: StreamSpec): number {
  return Math.max(1, maxAgeMs === null ? window : Math.min(window, maxAgeMs));
}

/** What JetStream is asked for. */
export function configOf(spec: StreamSpec): JsonRecord {
  return {
    name: spec.name,
    subjects: spec.subjects,
    retention: retentions[spec.retention],
    storage: 'file',
    discard: spec.whenFull === 'refuse-new' ? 'new' : 'old',
    max_age: (spec.maxAgeMs ?? 0) * nanosPerMs,
    max_bytes: spec.maxBytes ?? -1,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    max_consumers: -1,
    duplicate_window: dedupeWindowMs(spec) * nanosPerMs,
    allow_direct: true,
    allow_rollup_hdrs: false,
    deny_delete: false,
    deny_purge: false,
    sealed: false,
    no_ack: false,
  };
}

/** The specification that a stream of the server fulfils. */
export function specOf(config: JsonRecord): StreamSpec {
  const retention = textIn(config, 'retention');
  const maxAge = numberIn(config, 'max_age');
  const maxBytes = numberIn(config, 'max_bytes');
  return {
    name: textIn(config, 'name'),
    subjects: listIn(config, 'subjects').filter((subject) => typeof subject === 'string'),
    retention: retention === 'workqueue' ? 'work-queue' : retention === 'interest' ? 'interest' : 'limits',
    maxAgeMs: maxAge === 0 ? null : maxAge / nanosPerMs,
    maxBytes: maxBytes <= 0 ? null : maxBytes,
    whenFull: textIn(config, 'discard') === 'new' ? 'refuse-new' : 'drop-old',
    dedupeWindowMs: numberIn(config, 'duplicate_window') / nanosPerMs,
  };
}

/** What no server of ours changes in a stream that is there. */
const fixedFields: readonly string[] = ['retention', 'storage', 'max_consumers', 'sealed', 'deny_delete', 'deny_purge'];

function isSame(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted)) {
    const list = Array.isArray(found) ? found : [];
    return wanted.length === list.length && wanted.every((one) => list.includes(one));
  }
  // Fields that are false are left out of answers.
  return wanted === (found ?? false);
}

/** The names of fields in which a configuration differs from the wanted one. Throws `conflict` for one that cannot be changed. */
export function differences(wanted: JsonRecord, found: JsonRecord): readonly string[] {
  const fields = Object.keys(wanted).filter((field) => !isSame(wanted[field], found[field]));
  const stuck = fields.find((field) => fixedFields.includes(field));
  if (stuck === undefined) return fields;
  throw new VakError(
    'conflict',
    `stream ${textIn(wanted, 'name')}: ${stuck} is another one on the server and cannot be changed; move its messages to a new stream, or use another workspace`,
    { details: { field: stuck } },
  );
}
