import { expect, test } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { claimMs, createLetterClaims } from './letter-claims.ts';

const hour = 3_600_000;

/** Records of operators as the stream has them: who, operation, what it says, and when it was stored. */
function claimsOf(records: readonly (readonly [by: string, operationId: string, more: object, storedMs: number])[]) {
  const messages = records.map(
    ([by, operationId, more, storedMs], at): StoredMessage => ({
      ...{
        stream: 'VAK_AUDIT_acme',
        seq: at + 1,
        subject: `vak.audit.acme.${by}.action`,
        storedMs,
        messageId: undefined,
      },
      data: utf8(JSON.stringify({ by, operationId, action: 'dlq.retry', target: 'q', scope: 's', count: 1, ...more })),
    }),
  );
  const judge = (({ data }: StoredMessage) => {
    const { by: agentid } = JSON.parse(new TextDecoder().decode(data));
    return { kind: 'accepted', envelope: { agentid }, payload: data, leaf: '', roles: ['operator'], queues: [] };
  }) as unknown as StoredJudge;
  const stream = {
    state: async () => ({ lastSeq: messages.length }),
    read: async () => ({ messages, nextSeq: undefined }),
  };
  const durable = { stream: () => stream } as unknown as DurablePlane;
  const pace = { pageLimit: 10, rest: async () => {}, basis: () => 1 };
  return createLetterClaims({ workspace: 'acme', durable, judge, sinceMs: 0, pace });
}

const begun = { outcome: 'begun', places: [[1, 3]] };

test('D7 of two operations the first one stored has a letter for 12 h by the times of the stream, then the next one has it', async () => {
  const soon = claimsOf([
    ['olga', 'a', begun, 0],
    ['otto', 'b', begun, claimMs - hour],
  ]);
  await soon.read();
  expect([soon.whyNot(1, 'a'), soon.whyNot(1, 'b')]).toEqual([undefined, 'olga retries it, operation a']);
  // Whatever olga's clock says: both can tell, and come to the same.
  const late = claimsOf([
    ['olga', 'a', begun, 0],
    ['otto', 'b', begun, claimMs],
  ]);
  await late.read();
  expect([late.whyNot(1, 'a'), late.whyNot(1, 'b')]).toEqual([
    'the operation is too old, and otto has it now, operation b',
    undefined,
  ]);
  expect([late.whyNot(4, 'a'), late.newestMs()]).toEqual([undefined, claimMs]);
});

test('D8 a cancel frees no letter by itself: its operation may still be at one; its own end does', async () => {
  const cancel = { action: 'dlq.cancel', outcome: 'requested' };
  const asked = claimsOf([
    ['olga', 'a', begun, 0],
    ['otto', 'a', cancel, 1],
    ['otto', 'b', begun, 2],
    ['otto', 'a', { outcome: 'cancelled' }, 3],
  ]);
  await asked.read();
  expect(asked.cancelOf('a')).toEqual({ by: 'otto', reason: null });
  expect(asked.operationOf('a')).toEqual({ by: 'olga', end: undefined });
  expect(asked.whyNot(2, 'b')).toBe('olga retries it, operation a');
  const ended = claimsOf([
    ['olga', 'a', begun, 0],
    ['olga', 'a', { outcome: 'cancelled' }, 3],
    ['otto', 'b', begun, 4],
  ]);
  await ended.read();
  expect([ended.whyNot(2, 'b'), ended.operationOf('a')?.end]).toEqual([undefined, 'cancelled']);
});
