/**
 * Streams and buckets of a workspace (protocol.md §1).
 * Law: this table is the only place that names a stream, and every durable subject belongs to exactly one of them.
 */
import { checkToken } from './subject.ts';

const day = 24 * 3_600_000;
const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const dedupeWindow = 10 * 60_000;

export interface StreamSpec {
  readonly name: string;
  /** Patterns (S2). */
  readonly subjects: readonly string[];
  /** `interest`: kept while some consumer has not acknowledged it; `work-queue`: until one has. */
  readonly retention: 'limits' | 'interest' | 'work-queue';
  /** Null: for ever. */
  readonly maxAgeMs: number | null;
  /** Null: without bound. */
  readonly maxBytes: number | null;
  readonly whenFull: 'refuse-new' | 'drop-old';
  readonly dedupeWindowMs: number;
}

/** The streams of a workspace, in the order of the table. Throws `invalid-subject` for a workspace that is no token. */
export function streamsOf(workspace: string): readonly StreamSpec[] {
  const ws = checkToken(workspace, 'workspace');
  const spec = (
    name: string,
    subjects: readonly string[],
    more: Pick<StreamSpec, 'retention' | 'maxAgeMs' | 'maxBytes' | 'whenFull'>,
  ): StreamSpec => ({ name: `VAK_${name}_${ws}`, subjects, dedupeWindowMs: dedupeWindow, ...more });
  const limits = 'limits' as const;
  return [
    spec('WORK', [`vak.work.${ws}.*.task`], {
      ...{ retention: 'work-queue', maxAgeMs: null, maxBytes: gibibyte, whenFull: 'refuse-new' },
    }),
    spec('INBOX', [`vak.agent.${ws}.*.inbox`], {
      ...{ retention: 'interest', maxAgeMs: 30 * day, maxBytes: 256 * mebibyte, whenFull: 'drop-old' },
    }),
    spec('RECEIPTS', [`vak.receipts.${ws}.*.completed`], {
      ...{ retention: limits, maxAgeMs: 90 * day, maxBytes: gibibyte, whenFull: 'drop-old' },
    }),
    spec('APPROVALS', [`vak.approvals.${ws}.*.request`, `vak.approvals.${ws}.*.verdict`], {
      ...{ retention: limits, maxAgeMs: 90 * day, maxBytes: gibibyte, whenFull: 'drop-old' },
    }),
    spec('DLQ', [`vak.dlq.${ws}.*.failed`], {
      ...{ retention: limits, maxAgeMs: 90 * day, maxBytes: gibibyte, whenFull: 'refuse-new' },
    }),
    spec('ROOMS', [`vak.rooms.${ws}.*.log`, `vak.rooms.${ws}.*.messages`], {
      ...{ retention: limits, maxAgeMs: null, maxBytes: null, whenFull: 'refuse-new' },
    }),
    spec('KEYS', [`vak.keys.${ws}.*.package`], {
      ...{ retention: limits, maxAgeMs: 90 * day, maxBytes: 256 * mebibyte, whenFull: 'drop-old' },
    }),
    spec('AUDIT', [`vak.audit.${ws}.*.action`], {
      ...{ retention: limits, maxAgeMs: 400 * day, maxBytes: gibibyte, whenFull: 'refuse-new' },
    }),
    spec('CHAIN', [`vak.audit.${ws}.*.checkpoint`, `vak.audit.${ws}.*.void`], {
      ...{ retention: limits, maxAgeMs: 90 * day, maxBytes: gibibyte, whenFull: 'drop-old' },
    }),
    spec('ADV', [`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.VAK_WORK_${ws}.>`], {
      ...{ retention: limits, maxAgeMs: 30 * day, maxBytes: 64 * mebibyte, whenFull: 'drop-old' },
    }),
  ];
}

/** Whether peers claim from a stream: tasks and messages to a peer, and what the server says of those who do. */
export function isClaimed({ retention, subjects }: StreamSpec): boolean {
  return retention !== 'limits' || subjects.every((one) => one.startsWith('$JS.EVENT.'));
}
