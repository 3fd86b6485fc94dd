/**
 * Whether there is a stream for a durable message at all (protocol.md B8).
 * Law: what can never be stored is refused before the outbox takes it; it would wait there for ever.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { streamOfSubject } from './outbox-delivery.ts';

/** Throws `not-found` if the engine has no stream for the subject, `invalid-subject` if no engine has. Any other answer says nothing. */
export async function requireStream(subject: string, durable: DurablePlane): Promise<void> {
  const { name } = streamOfSubject(subject);
  try {
    await durable.stream(name).state();
  } catch (error) {
    // Whoever may not look may still publish.
    if (!isVakError(error, 'not-found')) return;
    const message = `publish ${subject}: the server has no stream ${name}; make it with vak provision`;
    throw new VakError('not-found', message, { cause: error });
  }
}
