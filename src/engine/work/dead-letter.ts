/**
 * What a dead letter says of a task (protocol.md W4).
 * Law: the task's envelope is in it as it was, byte for byte; what is too large lies in the writer's bucket, named by its digest.
 */
import { hash } from 'node:crypto';
import { toBase64, toText, utf8 } from '../../shared/base/bytes.ts';
import { checkPayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReading } from '../envelope/envelope-reader.ts';
import { bounded } from './bounded-reason.ts';

type DeadLetter = PayloadOf<'vak.dlq.failed'>;

/** Why a task is dead, and what was tried. Times in RFC 3339. */
export interface Death extends Pick<DeadLetter, 'attempts' | 'history' | 'reason' | 'errorClass' | 'failedAt'> {
  readonly stack?: string;
  /** Null: nobody knows. */
  readonly workerId: string | null;
}

/** Largest envelope that a dead letter holds itself (W4), in bytes. */
const maxHeldBytes = 640 * 1024;

/** Reasons of all attempts together, in bytes: with the largest envelope the letter still fits 1 MiB, whatever is escaped in them. */
const maxReasonsBytes = 24 * 1024;

/** Of many attempts each has less room for its reason. */
function fittingHistory(history: DeadLetter['history']): DeadLetter['history'] {
  const total = history.reduce((sum, { reason }) => sum + utf8(reason).length, 0);
  if (total <= maxReasonsBytes) return history;
  const each = Math.floor(maxReasonsBytes / history.length);
  return history.map((one) => ({ ...one, reason: bounded(one.reason, each) }));
}

/** The leaf by which a dead letter names its task: of what does not decode the SHA-256 of its bytes (W3). */
export function taskLeafOf({ data }: Pick<StoredMessage, 'data'>, reading: EnvelopeReading): string {
  return reading.kind === 'envelope' ? reading.leaf : hash('sha256', data, 'hex');
}

async function keepLarge(data: Uint8Array, durable: DurablePlane, bucket: string) {
  const sha256 = hash('sha256', data, 'hex');
  await durable.ensureObjects(bucket);
  const chunks = (async function* () {
    yield data;
  })();
  // Its digest is its name: a second try replaces it by itself.
  await durable.objects(bucket).put(sha256, chunks);
  return { bucket, object: sha256, sha256 };
}

/** The JSON of what holds the envelope: its own text, so that no number of it is altered (E3). */
async function heldJson(
  { data }: StoredMessage,
  isEnvelope: boolean,
  keep: () => ReturnType<typeof keepLarge>,
): Promise<string> {
  const base64 = isEnvelope ? undefined : toBase64(data);
  if ((base64 ?? data).length > maxHeldBytes) return JSON.stringify(await keep());
  return base64 === undefined ? toText(data) : JSON.stringify(base64);
}

export interface DeadLetterOptions {
  readonly message: StoredMessage;
  readonly reading: EnvelopeReading;
  readonly death: Death;
  /** Who writes it. */
  readonly peer: string;
  readonly durable: DurablePlane;
}

/** The payload of a task's dead letter, as bytes. Throws `invalid-payload` for a death that breaks W4's bounds, and what storing an object throws. */
export async function writeDeadLetter({
  message,
  reading,
  death,
  peer,
  durable,
}: DeadLetterOptions): Promise<Uint8Array> {
  const { workspace, entity } = parseSubject(message.subject);
  const isEnvelope = reading.kind === 'envelope';
  const envelope = await heldJson(message, isEnvelope, () =>
    keepLarge(message.data, durable, mediaBucket(workspace, peer)),
  );
  const record = {
    envelopeId: isEnvelope ? reading.envelope.id : null,
    taskLeaf: taskLeafOf(message, reading),
    subject: message.subject,
    queue: entity,
    ...{ ...death, history: fittingHistory(death.history) },
  };
  checkPayload('vak.dlq.failed', { ...record, envelope: JSON.parse(envelope) });
  return utf8(`${JSON.stringify(record).slice(0, -1)},"envelope":${envelope}}`);
}
