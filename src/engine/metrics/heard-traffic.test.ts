import { expect, test } from 'vitest';
import { plainFields } from '../../../tests/support/golden-message.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { createHeardTraffic } from './heard-traffic.ts';

const nowMs = Date.parse('2026-01-02T03:04:05.000Z');
const at = (plane: string): string => `vak.${plane}.acme.s.verb`;
const authored = (agoMs: number): Uint8Array =>
  utf8(JSON.stringify({ ...plainFields, time: new Date(nowMs - agoMs).toISOString() }));

test('W10 what is heard counts by its plane, message by message and byte by byte', () => {
  const traffic = createHeardTraffic();
  const messages = [
    { subject: at('events'), data: new Uint8Array(10) },
    { subject: at('events'), data: new Uint8Array(0) },
    { subject: at('work'), data: new Uint8Array(500) },
    { subject: at('nothing'), data: new Uint8Array(3) },
    { subject: at('foreign'), data: new Uint8Array(4) },
    { subject: 'constructor', data: new Uint8Array(1) },
  ];
  traffic.note(messages, nowMs);
  traffic.note([], nowMs);
  const { messageCount, bytes, planes, unmeasuredCount } = traffic.figures();
  expect([messageCount, bytes, unmeasuredCount]).toEqual([6, 518, 6]);
  expect(planes.map(({ plane }) => plane)).toEqual([
    ...['events', 'work', 'agent', 'receipts', 'approvals', 'dlq', 'rooms', 'keys', 'audit', 'control', 'foreign'],
  ]);
  expect(planes.filter((one) => one.messageCount > 0)).toEqual([
    { plane: 'events', messageCount: 2, bytes: 10 },
    { plane: 'work', messageCount: 1, bytes: 500 },
    { plane: 'foreign', messageCount: 3, bytes: 8 },
  ]);
});

test('W10 from the time of an envelope to its arrival; a clock that is ahead counts as 0, and what is too old not at all', () => {
  const traffic = createHeardTraffic();
  const ages = [2, 250, 3_600_000, 3_600_001, 0, -1, -86_400_000];
  traffic.note(
    ages.map((ms) => ({ subject: at('events'), data: authored(ms) })),
    nowMs,
  );
  expect(traffic.figures()).toMatchObject({
    ...{ messageCount: 7, aheadCount: 2, unmeasuredCount: 1 },
    publishToDeliver: { count: 6, sumUs: 252_000 + 3_600_000_000, maxUs: 3_600_000_000 },
  });
});

test('W10 of a large batch a bounded number is measured, evenly, and all of it is counted', () => {
  const traffic = createHeardTraffic();
  const messages = Array.from({ length: 1_000 }, (_, age) => ({ subject: at('events'), data: authored(age) }));
  traffic.note(messages, nowMs);
  const { messageCount, publishToDeliver } = traffic.figures();
  expect([messageCount, publishToDeliver.count, publishToDeliver.maxUs]).toEqual([1_000, 250, 996_000]);
  expect(publishToDeliver.sumUs / 250).toBe(498_000);
});
