/** What may be published at all (protocol.md S4, E2). Law: refused before it leaves the publisher. */
import { VakError } from '../../shared/base/vak-error.ts';
import { maxMessageBytes } from './bus.ts';

/** Throws `limit-exceeded` for a message over 1 MiB. */
export function checkMessageSize(subject: string, data: Uint8Array): void {
  if (data.length <= maxMessageBytes) return;
  throw new VakError(
    'limit-exceeded',
    `publish ${subject}: ${data.length} bytes, at most ${maxMessageBytes} fit one message; send a reference instead`,
    { details: { sizeBytes: data.length, limitBytes: maxMessageBytes } },
  );
}
