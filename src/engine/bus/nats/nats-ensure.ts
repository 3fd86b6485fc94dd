/**
 * Makes a stream of JetStream as configured, or changes it to be so (protocol.md §1).
 * Law: done twice it changes nothing; a dry run asks and changes nothing.
 */
import type { Provisioned } from '../durable.ts';
import { isApiError, type JetStreamApi, type JsonRecord, recordIn, textIn } from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { differences } from './nats-stream-config.ts';

/** Throws `conflict` (names the field), `limit-exceeded`, `unsupported`. */
export async function ensureConfig(api: JetStreamApi, wanted: JsonRecord, isDryRun: boolean): Promise<Provisioned> {
  const name = textIn(wanted, 'name');
  const where = `stream ${name}`;
  const info = await api.tryCall({ verb: `STREAM.INFO.${name}`, where }, [apiCodes.streamNotFound]);
  if (isApiError(info)) {
    if (!isDryRun) await api.call({ verb: `STREAM.CREATE.${name}`, body: wanted, where });
    return 'created';
  }
  const found = recordIn(info, 'config', where);
  const fields = differences(wanted, found);
  if (fields.length === 0) return 'unchanged';
  const changes = Object.fromEntries(fields.map((field) => [field, wanted[field]]));
  if (!isDryRun) await api.call({ verb: `STREAM.UPDATE.${name}`, body: { ...found, ...changes }, where });
  return 'updated';
}
