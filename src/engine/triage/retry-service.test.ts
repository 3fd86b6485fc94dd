import { beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { toBase64, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { OperatorRight } from '../work/operator-right.ts';
import type { LetterEntry } from './letter-book.ts';
import type { EditOptions, RetryOptions, RetryPlan } from './retry-campaigns.ts';
import { createOperatorPlace, createRetryService } from './retry-service.ts';

const context = { signal: new AbortController().signal };
const durable = { name: 'the engine' } as unknown as DurablePlane;
const letterOf = (seq: number): LetterEntry =>
  ({ seq, taskLeaf: `${seq}`.repeat(64), queue: 'q', cause: { id: 'c'.repeat(16) } }) as unknown as LetterEntry;

let refusal: VakError | undefined;
let taken: string[];
let begun: { readonly plan: RetryPlan; readonly options: RetryOptions | EditOptions }[];
let cancelled: string[];
beforeEach(() => {
  refusal = undefined;
  [taken, begun, cancelled] = [[], [], []];
});

const right: OperatorRight = {
  async run(_doing, work) {
    if (refusal !== undefined) throw refusal;
    return await work({ peer: 'olga', signer: undefined as never, durable });
  },
};

const calls = createRetryService({
  cancelExport: (operationId) => operationId === 'bundle',
  right,
  environment: () => 'prod',
  campaigns: {
    async begin(plan, options) {
      begun.push({ plan, options });
      return { operationId: 'o1' };
    },
    async edit(plan, options) {
      begun.push({ plan, options });
      return { operationId: 'o2', taskId: 't2' };
    },
    async cancel(operationId) {
      cancelled.push(operationId);
    },
  },
  plans: {
    take(planId) {
      taken.push(planId);
      return { letters: [letterOf(9), letterOf(4)], cutoffSeq: 12, allCount: 20, scope: 'queue:q' };
    },
  },
  letter: (seq) => (seq < 10 ? letterOf(seq) : undefined),
  whyLeftOut: ({ seq }) => (seq === 5 ? 'it is resolved' : undefined),
});

const ask = { planId: 'p1', isCanary: true, ratePerSec: 2, reason: 'mended' };

test('D6 a retry takes the letters of its plan, the oldest first, and says what it is about', async () => {
  expect(await calls.retry(ask, context)).toEqual({ operationId: 'o1' });
  expect(begun[0]?.plan).toMatchObject({ environment: 'prod', cutoffSeq: 12, title: 'queue:q' });
  expect(begun[0]?.plan.items.map(({ seq, fingerprint }) => [seq, fingerprint])).toEqual([
    [4, 'c'.repeat(16)],
    [9, 'c'.repeat(16)],
  ]);
  expect(begun[0]?.options).toMatchObject({ isCanary: true, ratePerSec: 2, reason: 'mended' });
});

test('A2 who may not retry is told before the plan is used up, and so is who may not cancel', async () => {
  refusal = new VakError('read-only', 'the context is read-only');
  expect(await failure(Promise.resolve(calls.retry(ask, context)))).toMatchObject({ code: 'read-only' });
  expect(await failure(Promise.resolve(calls.cancel({ operationId: 'o1' }, context)))).toMatchObject({
    code: 'read-only',
  });
  expect([taken, begun, cancelled]).toEqual([[], [], []]);
  refusal = undefined;
  await calls.cancel({ operationId: 'o1' }, context);
  expect(cancelled).toEqual(['o1']);
});

test('D9 an edit is of one letter that can be retried, byte for byte', async () => {
  const data = utf8('{"command":["x"],"n":12345678901234567890}');
  const edit = (seq: number, text = toBase64(data)) => calls.editRetry({ seq, data: text }, context);
  expect(await edit(4)).toEqual({ operationId: 'o2', taskId: 't2' });
  expect(begun[0]?.options).toMatchObject({ data });
  expect(await failure(Promise.resolve(edit(5)))).toMatchObject({ code: 'conflict' });
  expect(await failure(Promise.resolve(edit(11)))).toMatchObject({ code: 'not-found' });
  expect(await failure(Promise.resolve(edit(4, 'no base64')))).toBeInstanceOf(VakError);
  expect(begun).toHaveLength(1);
});

test('D7 a campaign of the app works on the engine in use, and says why where it cannot', async () => {
  const published: unknown[] = [];
  let [slot, now]: [number | undefined, DurablePlane] = [3, durable];
  const place = createOperatorPlace({
    right,
    engine: () => ({ fabric: { durable: now }, destination: 'prod', readOnlyContext: undefined }),
    outbox: {
      slot: () => slot,
      kept: async () => ({ messageIds: new Set<string>(), isElsewhere: false }),
      async publish(draft, options) {
        published.push([draft, options]);
        return undefined as never;
      },
    },
  });
  const found = await place();
  expect(found).toMatchObject({ destination: 'prod', peer: 'olga', slot: 3, durable });
  await found.publish('draft' as never);
  expect(published).toEqual([['draft', { destination: 'prod' }]]);
  slot = undefined;
  expect(await failure(place())).toMatchObject({ code: 'disconnected', retryable: true });
  [slot, now] = [3, { name: 'another' } as unknown as DurablePlane];
  expect(await failure(place())).toMatchObject({ code: 'disconnected' });
  refusal = new VakError('locked', 'the key store is locked');
  expect(await failure(place())).toMatchObject({ code: 'locked' });
});
