import { expect, test } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { TraceReport } from '../../../shared/contract/trace-contract.ts';
import { createTraceWork } from './trace-work.ts';

const report = (traceId: string, ids: readonly string[]) =>
  ({ traceId, rows: ids.map((id) => ({ id })) }) as unknown as TraceReport;

function createWork() {
  const asked: {
    readonly id: string;
    readonly signal: AbortSignal;
    answer(one: TraceReport): void;
    fail(e: Error): void;
  }[] = [];
  const sought: Record<string, string> = { e1: 'a' };
  const work = createTraceWork({
    read: ({ traceId }, { signal }) =>
      new Promise((answer, fail) => void asked.push({ id: traceId, signal, answer, fail })),
    find({ envelopeId }) {
      if (envelopeId === 'e0') return Promise.reject(new VakError('disconnected', 'no server'));
      return Promise.resolve({ traceId: sought[envelopeId] ?? null });
    },
  });
  return { work, asked };
}

test('the trace that was asked for last is shown, whichever is read first; the other is given up', async () => {
  const { work, asked } = createWork();
  const [first, second] = [work.show('a'), work.show('b')];
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[1]?.answer(report('b', ['x']));
  asked[0]?.answer(report('a', ['y']));
  await Promise.all([first, second]);
  expect(work.store.getState()).toMatchObject({
    traceId: 'b',
    report: { traceId: 'b' },
    selectedId: 'x',
    isBusy: false,
  });
});

test('a look anew keeps what is selected; one that fails keeps what was read, and says why', async () => {
  const { work, asked } = createWork();
  const first = work.show('a');
  asked[0]?.answer(report('a', ['x', 'y']));
  await first;
  work.select('y');
  const second = work.refresh();
  asked[1]?.answer(report('a', ['w', 'x', 'y']));
  await second;
  expect(work.store.getState().selectedId).toBe('y');
  const third = work.refresh();
  asked[2]?.fail(new VakError('disconnected', 'no server'));
  await third;
  expect(work.store.getState()).toMatchObject({ isBusy: false, problem: { why: 'no server' }, selectedId: 'y' });
  expect(work.store.getState().report?.rows.length).toBe(3);
});

test('a reading that is stopped is no failure', async () => {
  const { work, asked } = createWork();
  const reading = work.show('a');
  work.stop();
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[0]?.fail(new VakError('aborted', 'stopped'));
  await reading;
  expect(work.store.getState()).toMatchObject({ problem: null, isBusy: false });
});

test('T10 the trace of an envelope is found; that nothing is there, or why it failed, stands until a trace is shown', async () => {
  const { work, asked } = createWork();
  expect(await work.find('e1')).toBe('a');
  expect(await work.find('e2')).toBeUndefined();
  expect(work.store.getState()).toMatchObject({ findingId: null, lostId: 'e2', findProblem: null });
  expect(await work.find('e0')).toBeUndefined();
  expect(work.store.getState()).toMatchObject({ findingId: null, lostId: null, findProblem: { why: 'no server' } });
  const showing = work.show('a');
  expect(work.store.getState().findProblem).toBeNull();
  asked[0]?.answer(report('a', ['x']));
  await showing;
  const [first, second] = [work.find('e1'), work.find('e2')];
  expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
});
