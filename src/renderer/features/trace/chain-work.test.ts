import { expect, test } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ChainProofSaved, ChainReport, ChainSources } from '../../../shared/contract/chain-report.ts';
import { type ChainCalls, createChainWork, readPlace } from './chain-work.ts';

const chainOf = (source: string, fromSeq = 0) =>
  ({
    source,
    verified: [{ fromSeq, toSeq: fromSeq + 1 }],
    seen: { fromSeq, toSeq: fromSeq + 1 },
  }) as unknown as ChainReport;

function createWork(more: Partial<ChainCalls> = {}) {
  const asked: { source: string; signal: AbortSignal; answer(one: ChainReport): void; fail(e: Error): void }[] = [];
  const work = createChainWork({
    sources: () => Promise.resolve({ sources: [] } as unknown as ChainSources),
    chain: ({ source }, { signal }) => new Promise((answer, fail) => void asked.push({ source, signal, answer, fail })),
    prove: () => Promise.reject(new VakError('not-found', 'chain prove: no checkpoint')),
    checkProof: () => Promise.reject(new VakError('aborted', 'closed')),
    ...more,
  });
  return { work, asked };
}

test('T7 the chain that was asked for last is shown; one that fails keeps what was read, and says why', async () => {
  const { work, asked } = createWork();
  const both = [work.show('a'), work.show('b')];
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[1]?.answer(chainOf('b', 7));
  asked[0]?.answer(chainOf('a'));
  await Promise.all(both);
  expect(work.store.getState()).toMatchObject({ source: 'b', report: { source: 'b' }, place: '7', isBusy: false });
  const again = work.refresh();
  asked[2]?.fail(new VakError('disconnected', 'no server'));
  await again;
  expect(work.store.getState()).toMatchObject({
    report: { source: 'b' },
    problem: { why: 'no server' },
    isBusy: false,
  });
});

test('T9 what a proof lacks is told in its place; closing the window for a file is no failure; another chain has no proof yet', async () => {
  const { work, asked } = createWork();
  const showing = work.show('a');
  asked[0]?.answer(chainOf('a'));
  await showing;
  await work.prove();
  expect(work.store.getState()).toMatchObject({
    ...{ isProving: false, saved: null },
    proofProblem: { why: expect.stringContaining('no checkpoint') },
  });
  await work.check();
  expect(work.store.getState()).toMatchObject({ isProving: false, proofProblem: null, verdict: null });
  const waiting: ((saved: ChainProofSaved) => void)[] = [];
  const slow = createWork({ prove: () => new Promise((answer) => void waiting.push(answer)) });
  const first = slow.work.show('a');
  slow.asked[0]?.answer(chainOf('a'));
  await first;
  const proving = slow.work.prove();
  void slow.work.show('b');
  waiting[0]?.({ path: 'p', fromSeq: 0, toSeq: 1 });
  await proving;
  expect(slow.work.store.getState()).toMatchObject({ source: 'b', saved: null });
});

test('a place is digits, spaced as the app prints them', () => {
  expect(['0', '1 204', '1\u2009204', '-1', '1.5', '', '9007199254740993'].map(readPlace)).toEqual([
    ...[0, 1204, 1204, undefined, undefined, undefined, undefined],
  ]);
});
