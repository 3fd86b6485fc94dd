import { expect, it } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import { decodeMaxDeliveries } from './max-deliveries-advisory.ts';

const advisory = {
  type: 'io.nats.jetstream.advisory.v1.max_deliver',
  id: 'eSUbcfC0Nlk0wTnRSBqmQ3',
  timestamp: '2026-11-30T01:58:24.748445853Z',
  stream: 'VAK_WORK_ws',
  consumer: 'q',
  stream_seq: 7,
  deliveries: 4,
};

it('W3 an advisory of exhausted deliveries is read as it is', () => {
  expect(decodeMaxDeliveries(utf8(JSON.stringify(advisory)))).toEqual({
    ...{ stream: 'VAK_WORK_ws', consumer: 'q', streamSeq: 7, deliveries: 4 },
  });
});

it('W3 what anybody else may have put there is none', () => {
  const bad: readonly object[] = [
    { type: 'io.nats.jetstream.advisory.v1.terminated' },
    { stream: 'a.b' },
    { stream: '' },
    { consumer: 1 },
    { stream_seq: 0 },
    { stream_seq: 1.5 },
    { stream_seq: '7' },
    { deliveries: 2 ** 60 },
    { id: 'x'.repeat(20_000) },
  ];
  for (const change of bad) {
    expect(
      decodeMaxDeliveries(utf8(JSON.stringify({ ...advisory, ...change }))),
      JSON.stringify(change),
    ).toBeUndefined();
  }
  for (const text of ['', 'null', '[]', '"x"', '{', '{"type":1}'])
    expect(decodeMaxDeliveries(utf8(text))).toBeUndefined();
  expect(decodeMaxDeliveries(Uint8Array.of(0xff, 0xfe))).toBeUndefined();
});
