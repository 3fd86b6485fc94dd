/**
 * The state of a stream that may not be there (protocol.md B3).
 * Law: one is asked for by its name, which works where a server lists its streams for nobody (A13).
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, StreamState } from './durable.ts';

/** Undefined: it is not there. Throws what else the plane does. */
export async function stateIfThere(
  durable: Pick<DurablePlane, 'stream'>,
  name: string,
): Promise<StreamState | undefined> {
  try {
    return await durable.stream(name).state();
  } catch (error) {
    if (isVakError(error, 'not-found')) return undefined;
    throw error;
  }
}
