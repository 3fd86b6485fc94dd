/** A BullMQ queue, and how it does what our durable plane does. */
import { Queue, Worker } from 'bullmq';
import { payload, window } from './engines.ts';
import { createArrivals, rateOnce } from './timed-work.ts';

export interface BullQueue {
  /** Jobs a second through one worker, of so many that wait. */
  workerRate(count: number): Promise<number>;
  /** Jobs a second that are added, `window` at a time. */
  addRate(count: number): Promise<number>;
  close(): Promise<void>;
}

export function openBullQueue(socket: string): BullQueue {
  const connection = { path: socket, maxRetriesPerRequest: null };
  const queue = new Queue('bench', { connection, defaultJobOptions: { removeOnComplete: true } });
  const data = { text: Buffer.from(payload).toString('latin1') };
  const addAll = async (count: number): Promise<void> => {
    for (let added = 0; added < count; added += window) {
      await Promise.all(Array.from({ length: window }, () => queue.add('task', data)));
    }
  };
  return {
    async workerRate(count) {
      await addAll(count);
      const arrivals = createArrivals('jobs of BullMQ');
      const worker = new Worker('bench', async () => {}, { connection, autorun: false, concurrency: window });
      worker.on('completed', () => arrivals.count());
      await worker.waitUntilReady();
      const rate = await rateOnce(async () => {
        void worker.run();
        await arrivals.next(count);
      }, count);
      await worker.close();
      return rate;
    },
    async addRate(count) {
      const rate = await rateOnce(() => addAll(count), count);
      await queue.drain();
      return rate;
    },
    close: () => queue.close(),
  };
}
