/**
 * A change of a bucket as it lies in its stream (protocol.md B5).
 * Law: a deletion is a message of its own, so that whoever watches learns of it.
 */
import type { Logger } from '../../ports/logger.ts';
import type { KeyValueEntry } from '../durable.ts';
import type { NatsAppendDeps } from './nats-append.ts';
import type { OrderedReaderDeps } from './nats-ordered-reader.ts';
import type { Pulled } from './nats-pull.ts';
import { plainBytes } from './nats-stored-message.ts';

export interface NatsKeyValueDeps extends OrderedReaderDeps, NatsAppendDeps {
  readonly logger: Logger;
}

/** `entry` undefined: deleted. */
export interface KeyChange {
  readonly key: string;
  readonly entry: KeyValueEntry | undefined;
}

export const operationHeader = 'KV-Operation';

/** Whether an operation header says that the key has gone. */
export const isDeletion = (operation: string | undefined): boolean => operation === 'DEL' || operation === 'PURGE';

/** A change that came through a consumer. */
export function changeOf({ message, place }: Pulled, prefixLength: number): KeyChange {
  const key = message.subject.slice(prefixLength);
  if (isDeletion(message.headers?.get(operationHeader))) return { key, entry: undefined };
  return { key, entry: { key, value: plainBytes(message.data), revision: place.streamSeq, storedMs: place.storedMs } };
}
