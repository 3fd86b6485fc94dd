/**
 * The live plane of an engine with streams (protocol.md B1, B3): what is published on a subject that a stream takes is stored too.
 * Law: as on a server, live subscribers hear it at once and nobody is told whether it was stored; who must know appends.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Bus } from '../bus.ts';

/** What may wait to be stored; what comes on top is not stored. */
const maxWaitingBytes = 32 * 1024 * 1024;
/** What a small message takes in memory, at least. */
const messageOverheadBytes = 512;
/** Above it, publishers that ask are held back. */
const writableBytes = maxWaitingBytes / 4;

export interface StoringBusDeps {
  readonly bus: Bus;
  /** Whether a stream takes the subject. */
  readonly isDurable: (subject: string) => boolean;
  /** Stores it, and tells nobody of it. */
  readonly append: (subject: string, data: Uint8Array) => Promise<unknown>;
  readonly logger: Logger;
}

/** Creates a bus around another one, which it owns from then on. */
export function createStoringBus({ bus, isDurable, append, logger }: StoringBusDeps): Bus {
  const storing = new Set<Promise<void>>();
  let waitingBytes = 0;
  let lostCount = 0;

  /** A line for the first, the second, the fourth …: a flood must not become one of the log. */
  function notStored(code: string): void {
    lostCount++;
    if (Number.isInteger(Math.log2(lostCount))) logger.warn('bus.not-stored', { code, lostCount });
  }

  async function store(subject: string, data: Uint8Array): Promise<void> {
    try {
      await append(subject, data);
    } catch (thrown) {
      if (isVakError(thrown)) notStored(thrown.code);
      else logger.bug('bus.not-stored', thrown);
    }
  }

  function storeLater(subject: string, data: Uint8Array): void {
    const size = data.length + messageOverheadBytes;
    if (waitingBytes + size > maxWaitingBytes) {
      notStored('limit-exceeded');
      return;
    }
    waitingBytes += size;
    const work = store(subject, data).finally(() => {
      waitingBytes -= size;
      storing.delete(work);
    });
    storing.add(work);
  }

  return {
    ...bus,
    publish(subject, data) {
      bus.publish(subject, data);
      if (isDurable(subject)) storeLater(subject, data);
    },
    async whenWritable() {
      await bus.whenWritable();
      while (waitingBytes > writableBytes) await Promise.race(storing);
    },
    async close() {
      await bus.close();
      await Promise.all(storing);
    },
  };
}
