import { expect, test } from 'vitest';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { buildTrace } from './trace-model.ts';
import type { TraceRecord } from './trace-record.ts';

function message(id: string, causationid: string | undefined, saidMs: number): TraceRecord {
  const said = { id, causationid, source: `s-${id}`, type: 'x.y', agentid: 'p', seqnum: 0, time: '' };
  return {
    ...{ envelope: said as unknown as Envelope, subject: 's', saidMs, storedMs: saidMs, heardSeq: null },
    ...{ spanId: '', saying: { kind: 'message' } },
  };
}

const none = { live: [], searches: [], heardCount: 0, isHeardWhole: true, leftOutCount: 0 };
const ids = (records: readonly TraceRecord[]) =>
  buildTrace('t', { ...none, records }, 100).rows.map(({ id, depth, parentId }) => `${depth} ${id} ${parentId}`);

test('T5 a ring of causes is broken where it begins, and every row stands once', () => {
  const ring = [message('a', 'c', 1), message('b', 'a', 2), message('c', 'b', 3), message('self', 'self', 4)];
  expect(ids(ring)).toEqual(['0 self null', '0 a null', '1 b a', '2 c b']);
});

test('T5 a deep trace has nine levels, and two envelopes of one id both stand there', () => {
  const chain = Array.from({ length: 800 }, (_, at) => message(`n${at}`, at === 0 ? undefined : `n${at - 1}`, at));
  const rows = ids(chain);
  expect([rows.length, rows.at(-1)]).toEqual([800, '8 n799 n798']);
  const twice = [message('a', undefined, 1), { ...message('a', undefined, 2), subject: 'other' }];
  const [first, second] = buildTrace('t', { ...none, records: twice }, 100).rows;
  expect([first?.id, second?.id]).toEqual(['a', 's-a#0']);
});
