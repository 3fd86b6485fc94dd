/** What a secret has sealed of the letters and tasks on a server: what its revocation closes (protocol.md E7, docs/spec/triage.md D2). */
import type { DurablePlane, StoredMessage } from '../../engine/bus/durable.ts';
import { workStreamOf } from '../../engine/work/work-queue.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { withIdentityBus } from './identity-bus.ts';

const pageLimit = 500;

function isSealedBy({ data }: StoredMessage, id: string): boolean {
  try {
    const { seal } = decodeEnvelope(data);
    return seal !== undefined && parseKeyId(seal.keyid)?.secretId === id;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/** Of a stream that is not there: none. */
async function countIn(durable: DurablePlane, name: string, id: string): Promise<number> {
  let count = 0;
  try {
    for (let fromSeq: number | undefined = 1; fromSeq !== undefined; ) {
      const page = await durable.stream(name).read({ fromSeq, limit: pageLimit });
      count += page.messages.filter((message) => isSealedBy(message, id)).length;
      fromSeq = page.nextSeq;
    }
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
  }
  return count;
}

/**
 * In words how much of what lies on the server that the line names is sealed under it; undefined: the line names none. Throws what connecting
 * throws.
 */
export async function sealedWords(id: string, common: CommonOptions, host: CliHost): Promise<string | undefined> {
  if (common.connection.natsUrl === undefined && common.context === undefined) return undefined;
  return await withIdentityBus({ common }, host, async ({ fabric: { durable }, open: { workspace }, place }) => {
    const letters = await countIn(durable, `VAK_DLQ_${workspace}`, id);
    const tasks = await countIn(durable, workStreamOf(workspace), id);
    return `${letters} dead letter(s) and ${tasks} task(s) that wait at ${place.label}`;
  });
}
