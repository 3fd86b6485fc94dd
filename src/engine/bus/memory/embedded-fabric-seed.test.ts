import { describe, expect, it } from 'vitest';
import {
  media,
  oneChunk,
  provision,
  receiptSubject,
  storedIn,
  taskSubject,
  turns,
  values,
  workConsumer,
} from '../../../../tests/support/fabric-fixture.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import { createFabricOver } from './embedded-fabric.ts';
import { createMemoryJournal } from './memory-journal.ts';

const logger = createSilentLogger();

describe('embedded fabric from one seed', () => {
  /** A history in which everything takes part; whatever it gives must come from seed and clock alone. */
  async function historyOf(seed: number): Promise<readonly string[]> {
    const clock = createFakeClock();
    const seeded = createSeededRandomness(seed);
    const journal = createMemoryJournal();
    const fabric = await createFabricOver(journal, { clock, randomness: seeded, logger });
    await provision(fabric);
    const { bus, durable } = fabric;
    const log: string[] = [];
    const note = (kind: string, what: unknown): void => {
      log.push(`${clock.monotonic()} ${kind} ${JSON.stringify(what)}`);
    };
    bus.subscribe('>', { kind: 'inline', onMessage: ({ subject, data }) => note('heard', [subject, toText(data)]) });
    bus.subscribe('vak.work.>', {
      ...{ kind: 'drop-oldest', capacity: 2 },
      onBatch: (batch, dropped) => note('batch', [batch.length, dropped]),
    });
    durable.keyValue(values).watch((change) => note('watched', change));
    const consumer = await durable.stream('VAK_WORK_ws').ensureConsumer({ ...workConsumer, maxDeliver: 2 });
    for (let step = 0; step < 120; step++) {
      const [dice = 0, size = 0] = seeded.bytes(2);
      const text = `${step} ${'x'.repeat(size)}`;
      if (dice % 4 === 0) bus.publish(receiptSubject, utf8(text));
      if (dice % 4 === 1)
        note('appended', await durable.append(taskSubject, utf8(text), { messageId: `id-${dice % 16}` }));
      if (dice % 4 === 2) note('put', await durable.keyValue(values).put(`k${dice % 3}`, utf8(text)));
      if (dice % 4 === 3) note('object', await durable.objects(media).put(`o${dice % 3}`, oneChunk(text)));
      for (const { message, deliveryCount, ack, nak } of await consumer.pull({ batch: 3, waitMs: 0 })) {
        note('delivered', [message.seq, message.storedMs, message.messageId, deliveryCount]);
        if (dice % 3 === 0) await ack();
        else if (dice % 3 === 1) await nak(dice);
      }
      await turns(2);
      clock.advance(size * 60);
      await turns(2);
    }
    for (const { spec } of await durable.streams()) {
      for (const { data, ...facts } of await storedIn(fabric, spec.name)) note('stored', [facts, toText(data)]);
    }
    await fabric.close();
    return log;
  }

  it('B7 two runs of one seed give one history, with ids, times and advisories; another seed gives another', async () => {
    const history = await historyOf(42);
    expect(history.length).toBeGreaterThan(150);
    for (const kind of ['heard', 'batch', 'watched', 'appended', 'delivered', 'object', 'stored']) {
      expect(
        history.some((line) => line.includes(` ${kind} `)),
        kind,
      ).toBe(true);
    }
    expect(history.some((line) => line.includes('MAX_DELIVERIES'))).toBe(true);
    expect(await historyOf(42)).toEqual(history);
    expect(await historyOf(43)).not.toEqual(history);
  });
});
