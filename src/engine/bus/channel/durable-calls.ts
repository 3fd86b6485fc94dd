/**
 * The calls of the durable plane as they go over a channel (protocol.md B3–B5): what each carries, and what it comes to.
 * Law: a call is read strictly before use; what is wrong with it is told by field and never by value.
 */
import { z } from 'zod';
import { VakError } from '../../../shared/base/vak-error.ts';
import { maxMessageBytes } from '../bus.ts';
import type {
  Appended,
  ConsumerState,
  KeyValueEntry,
  ObjectInfo,
  Provisioned,
  StorageLimits,
  StoredMessage,
  StreamPage,
  StreamState,
} from '../durable.ts';

/** What the engine will refuse with a code of its own has to get there: these bounds are only those of memory. */
const text = z.string().max(4096);
const name = z.string().max(256);
const number = z.number();
const whole = z.int().nonnegative();
const bytes: z.ZodType<Uint8Array> = z.instanceof(Uint8Array).refine(({ length }) => length <= maxMessageBytes);
const making = { dryRun: z.boolean().exactOptional(), replicas: z.int().min(1).max(5).exactOptional() };

const streamSpec = z.strictObject({
  name,
  subjects: z.array(text).max(64).readonly(),
  retention: z.enum(['limits', 'interest', 'work-queue']),
  maxAgeMs: number.nullable(),
  maxBytes: number.nullable(),
  whenFull: z.enum(['refuse-new', 'drop-old']),
  dedupeWindowMs: number,
});

const consumerSpec = z.strictObject({
  name,
  filter: text,
  ackWaitMs: number,
  maxDeliver: number,
  maxInFlight: number,
  start: z.enum(['all', 'new']),
});

const condition = { messageId: text.exactOptional(), expectedLastSeq: number.exactOptional() };
const range = {
  fromSeq: number.exactOptional(),
  fromMs: number.exactOptional(),
  subject: text.exactOptional(),
};

/** A call without fields beyond some names, and one with more. */
const onPlane = <M extends string>(method: M) => z.strictObject({ method: z.literal(method) });
const onStream = <M extends string>(method: M) => onPlane(method).extend({ stream: name });
const onConsumer = <M extends string>(method: M) => onStream(method).extend({ consumer: name });
const onDelivery = <M extends string>(method: M) => onPlane(method).extend({ delivery: whole });
const onValues = <M extends string>(method: M) => onPlane(method).extend({ bucket: name });
const onValue = <M extends string>(method: M) => onValues(method).extend({ key: text });
const onObject = <M extends string>(method: M) => onValues(method).extend({ name });

const durableCall = z.discriminatedUnion('method', [
  onPlane('limits'),
  onPlane('streams'),
  onPlane('ensure-stream').extend({ spec: streamSpec, options: z.strictObject(making) }),
  onStream('delete-stream'),
  onPlane('append').extend({ subject: text, data: bytes, options: z.strictObject(condition) }),
  onStream('stream-state'),
  onStream('stream-count').extend({ subject: text }),
  onStream('stream-get').extend({ seq: whole }),
  onStream('stream-last').extend({ subject: text }),
  onStream('stream-read').extend({ options: z.strictObject({ ...range, limit: number }) }),
  onStream('stream-delete').extend({ seq: whole }),
  onStream('stream-purge').extend({ subject: text.exactOptional(), upToSeq: whole.exactOptional() }),
  onStream('ensure-consumer').extend({ spec: consumerSpec }),
  onStream('consumers'),
  onConsumer('delete-consumer'),
  onConsumer('consumer-state'),
  onConsumer('pull').extend({ batch: number, waitMs: number }),
  onDelivery('ack'),
  onDelivery('nak').extend({ delayMs: number.exactOptional() }),
  onDelivery('term'),
  onDelivery('working'),
  onPlane('ensure-values').extend({ spec: z.strictObject({ name, history: number }), options: z.strictObject(making) }),
  onValue('value-get'),
  onValue('value-history'),
  onValue('value-put').extend({ data: bytes, options: z.strictObject({ revision: number.exactOptional() }) }),
  onValue('value-delete'),
  onValues('value-keys'),
  onValues('value-watch'),
  onValues('ensure-objects').extend({ options: z.strictObject(making) }),
  onObject('object-put'),
  onObject('object-get'),
  onObject('object-info'),
  onObject('object-delete'),
  onValues('object-list'),
]);

/** A call with all that it needs; `method` says which. */
export type DurableCall = z.infer<typeof durableCall>;
export type DurableMethod = DurableCall['method'];
/** The call of one method. */
export type CallOf<M extends DurableMethod> = Extract<DurableCall, { method: M }>;

/** A delivery under the number by which the peer ends it. */
export interface WireDelivery {
  readonly delivery: number;
  readonly message: StoredMessage;
  readonly deliveryCount: number;
}

/** What each method comes to. */
export interface DurableResults {
  readonly limits: StorageLimits;
  readonly streams: readonly StreamState[];
  readonly 'ensure-stream': Provisioned;
  readonly 'delete-stream': boolean;
  readonly append: Appended;
  readonly 'stream-state': StreamState;
  readonly 'stream-count': number;
  readonly 'stream-get': StoredMessage | undefined;
  readonly 'stream-last': StoredMessage | undefined;
  readonly 'stream-read': StreamPage;
  readonly 'stream-delete': boolean;
  readonly 'stream-purge': number;
  readonly 'ensure-consumer': undefined;
  readonly consumers: readonly ConsumerState[];
  readonly 'delete-consumer': boolean;
  readonly 'consumer-state': ConsumerState;
  readonly pull: readonly WireDelivery[];
  readonly ack: undefined;
  readonly nak: undefined;
  readonly term: undefined;
  readonly working: undefined;
  readonly 'ensure-values': Provisioned;
  readonly 'value-get': KeyValueEntry | undefined;
  readonly 'value-history': readonly KeyValueEntry[];
  readonly 'value-put': number;
  readonly 'value-delete': undefined;
  readonly 'value-keys': readonly string[];
  readonly 'value-watch': undefined;
  readonly 'ensure-objects': Provisioned;
  readonly 'object-put': ObjectInfo;
  readonly 'object-get': undefined;
  readonly 'object-info': ObjectInfo | undefined;
  readonly 'object-delete': boolean;
  readonly 'object-list': readonly ObjectInfo[];
}

/**
 * How a call is bounded: `read` brings data to the peer, `pull` waits and then does, `flow` goes on in parts; `call`: all else.
 */
export type CallClass = 'call' | 'read' | 'pull' | 'flow';

const classes: Readonly<Partial<Record<DurableMethod, CallClass>>> = {
  ...{ streams: 'read', 'stream-get': 'read', 'stream-last': 'read', 'stream-read': 'read', consumers: 'read' },
  ...{ 'value-get': 'read', 'value-history': 'read', 'value-keys': 'read', 'object-list': 'read' },
  pull: 'pull',
  ...{ 'value-watch': 'flow', 'object-put': 'flow', 'object-get': 'flow' },
};

/** The class of a call. */
export function classOf({ method }: DurableCall): CallClass {
  return classes[method] ?? 'call';
}

/** What a call weighs while it is open: its data and a share for itself, bytes. */
export function callWeight(call: DurableCall): number {
  return 256 + ('data' in call ? call.data.length : 0);
}

/** Reads what a peer sent as a call. Throws `invalid-input`. */
export function readDurableCall(value: unknown): DurableCall {
  const reading = durableCall.safeParse(value);
  if (reading.success) return reading.data;
  // Of the schema, not of the peer: a path leads only to fields that are known.
  const field = reading.error.issues[0]?.path.join('.') || 'call';
  throw new VakError('invalid-input', `${field}: not as a call of the durable plane has it`, { details: { field } });
}
