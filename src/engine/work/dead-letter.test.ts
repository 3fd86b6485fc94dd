import { expect, test } from 'vitest';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { createEnvelopeReader } from '../envelope/envelope-reader.ts';
import { writeDeadLetter } from './dead-letter.ts';

const noPlane = {} as DurablePlane;
const at = '2026-01-02T03:04:05.000Z';

test('W4 W6d a dead letter of the largest task that it holds fits 1 MiB, however many attempts gave how long a reason', async () => {
  const data = new Uint8Array(480 * 1024).fill(0xff);
  const subject = 'vak.work.acme.q.task';
  const message = { stream: 'VAK_WORK_acme', seq: 1, subject, data, storedMs: 0, messageId: undefined };
  const reason = '"'.repeat(1024);
  const history = Array.from({ length: 256 }, (_, index) => ({
    ...{ attempt: index + 1, workerId: 'wilma', startedAt: at, endedAt: at, reason, exitCode: 1 },
  }));
  const payload = await writeDeadLetter({
    ...{ message, reading: createEnvelopeReader().read(data), peer: 'wilma', durable: noPlane },
    death: {
      ...{
        attempts: 256,
        history,
        reason,
        errorClass: 'exit.1',
        stack: '"'.repeat(8192),
        failedAt: at,
        workerId: 'wilma',
      },
    },
  });
  // Sealed it is base64 in an envelope of its own.
  expect(Math.ceil(payload.length / 3) * 4).toBeLessThan(1024 * 1024 - 8 * 1024);
  const letter = decodePayload('vak.dlq.failed', payload);
  expect(letter.history).toHaveLength(256);
  expect(new Set(letter.history.map((one) => one.reason))).toEqual(new Set([`${'"'.repeat(93)}…`]));
  expect([letter.reason, letter.stack?.length]).toEqual([reason, 8192]);
  const few = await writeDeadLetter({
    ...{ message, reading: createEnvelopeReader().read(data), peer: 'wilma', durable: noPlane },
    death: { attempts: 4, history: history.slice(0, 4), reason, errorClass: 'exit.1', failedAt: at, workerId: 'wilma' },
  });
  expect(decodePayload('vak.dlq.failed', few).history.map((one) => one.reason)).toEqual(Array(4).fill(reason));
});
