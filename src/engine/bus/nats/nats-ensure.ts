/**
 * Makes a stream of JetStream as configured, or changes it to be so (protocol.md §1).
 * Law: done twice it changes nothing; a dry run asks and changes nothing.
 */
import type { MakeOptions, Provisioned } from '../durable.ts';
import { isApiError, type JetStreamApi, type JsonRecord, recordIn, textIn } from './nats-jetstream-api.ts';
import { apiCodes } from './nats-plane-errors.ts';
import { differences } from './nats-stream-config.ts';

/** Throws `conflict` (names the field), `limit-exceeded`, `unsupported`. */
export async function ensureConfig(
  api: JetStreamApi,
  wanted: JsonRecord,
  { dryRun = false, replicas }: MakeOptions = {},
): Promise<Provisioned> {
  const name = textIn(wanted, 'name');
  const where = `stream ${name}`;
  const info = await api.tryCall({ verb: `STREAM.INFO.${name}`, where }, [apiCodes.streamNotFound]);
  if (isApiError(info)) {
    const body = { ...wanted, num_replicas: replicas ?? 1 };
    if (!dryRun) await api.call({ verb: `STREAM.CREATE.${name}`, body, where });
    return 'created';
  }
  const found = recordIn(info, 'config', where);
  // How many copies there are is a matter of who runs the servers, unless it is said.
  const asked = replicas === undefined ? wanted : { ...wanted, num_replicas: replicas };
  const fields = differences(asked, found);
  if (fields.length === 0) return 'unchanged';
  const changes = Object.fromEntries(fields.map((field) => [field, asked[field]]));
  if (!dryRun) await api.call({ verb: `STREAM.UPDATE.${name}`, body: { ...found, ...changes }, where });
  return 'updated';
}
