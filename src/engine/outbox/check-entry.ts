/**
 * What the outbox takes at all (protocol.md B8, S4).
 * Law: what every engine would refuse is refused before it has a place in the chain.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { maxMessageBytes } from '../bus/bus.ts';
import type { OutboxEntry } from './outbox.ts';
import { streamOfSubject } from './outbox-delivery.ts';

/** What every engine takes as an id: it travels in a header. */
const messageIdForm = /^[!-~]{1,255}$/;

/** Throws `invalid-subject` (no stream keeps it), `limit-exceeded` (above 1 MiB), `invalid-input` (its id). */
export function checkEntry({ subject, data, messageId }: OutboxEntry): void {
  streamOfSubject(subject);
  if (data.length > maxMessageBytes) {
    throw new VakError('limit-exceeded', `outbox: ${data.length} bytes, a message has at most ${maxMessageBytes}`);
  }
  if (messageIdForm.test(messageId)) return;
  const message = `outbox: messageId: expected 1–255 visible ASCII characters, got ${messageId.length}`;
  throw new VakError('invalid-input', message, { details: { field: 'messageId' } });
}
