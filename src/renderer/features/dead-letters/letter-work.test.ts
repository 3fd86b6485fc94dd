import { expect, it, vi } from 'vitest';
import type { LetterPlan, LetterReport } from '../../../shared/contract/dlq-contract.ts';
import { createLetterWork, type LetterWorkDeps, toBase64 } from './letter-work.ts';

const plan: LetterPlan = {
  ...{ planId: 'p1', count: 2, allCount: 9, environment: 'prod', cutoffSeq: 9, queues: [], leftOut: [] },
};

function setUp() {
  const retry = vi.fn(async () => ({ operationId: 'o1' }));
  const client = {
    retry,
    plan: vi.fn(async () => plan),
    editRetry: vi.fn(async () => ({ operationId: 'o1', taskId: 't1' })),
    archive: vi.fn(async () => ({ operationId: 'o1', count: 2 })),
    restore: vi.fn(async () => ({ operationId: 'o2', count: 2 })),
    setGroup: vi.fn(async () => undefined),
    cancel: vi.fn(async () => undefined),
    open: vi.fn(async () => ({ kind: 'opened', bytes: Uint8Array.of(1, 2, 255), wasSealed: true })),
    letter: vi.fn(async () => ({ seq: 7 }) as LetterReport),
  };
  const said = { notify: vi.fn(), refuse: vi.fn(), reportError: vi.fn() };
  const work = createLetterWork({
    ...{ client: client as unknown as LetterWorkDeps['client'], whyNot: () => 'the connection prod is read-only' },
    ...said,
  });
  return { client, work, ...said, state: () => work.store.getState() };
}

it('D6 what another filter does not list is not acted on: letter, selection and detail are gone', () => {
  const { work, state } = setUp();
  work.openLetter(4);
  work.pick([3, 9]);
  work.startOver();
  expect(state()).toMatchObject({ letter: null, isOpen: false, pane: 'groups', picked: new Set(), isAll: false });
});

it('D6 while the letter of a row is awaited none is acted on, and another group or filter awaits nothing', () => {
  const { work, state } = setUp();
  work.selectGroup('a');
  work.selectLetter(4);
  work.awaitRow(700);
  expect(state()).toMatchObject({ letter: 4, awaitedRow: 700, pane: 'letters' });
  work.selectGroup('b');
  expect(state()).toMatchObject({ letter: null, awaitedRow: null });
  for (const end of [() => work.startOver(), () => work.selectLetter(9), () => work.openLetter(9)]) {
    work.awaitRow(3);
    end();
    expect(state().awaitedRow).toBeNull();
  }
});

it('D6 a retry goes by the plan that was shown, and ends the selection', async () => {
  const { work, client, state } = setUp();
  work.pick([3, 9]);
  await work.plan('retry', { kind: 'picked', seqs: [3, 9] });
  expect(client.plan).toHaveBeenCalledWith({ selection: { seqs: [3, 9] }, action: 'retry' });
  await work.retry({ isCanary: true, ratePerSec: 10, queue: ' ', reason: 'fixed ' });
  expect(client.retry).toHaveBeenCalledWith({ planId: 'p1', isCanary: true, ratePerSec: 10, reason: 'fixed' });
  expect([state().asking, state().picked.size]).toEqual([undefined, 0]);
});

it('D6 what could not be done leaves the question open, and the selection as it was', async () => {
  const { work, client, state } = setUp();
  work.pick([3]);
  await work.plan('archive', { kind: 'picked', seqs: [3] });
  client.archive.mockRejectedValueOnce(new Error('gone'));
  await expect(work.setArchived(undefined)).rejects.toThrow('gone');
  expect([state().asking?.kind, state().picked.size]).toEqual(['archive', 1]);
});

it('D5 the last archive is undone as it was, by the notice and by its key, and nothing that was archived before it', async () => {
  const { work, client, notify, state } = setUp();
  const whole = { kind: 'matching', filter: 'queue:q', isWhole: false } as const;
  await work.plan('archive', whole);
  await work.setArchived('noise');
  expect(state().undoable).toBe('o1');
  // What forbids it stands at the notice before it is pressed (B10).
  expect(notify.mock.calls[0]?.[1].whyNot()).toBe('the connection prod is read-only');
  notify.mock.calls[0]?.[1].run();
  await vi.waitFor(() => expect(client.restore).toHaveBeenCalledWith({ planId: 'p1' }));
  expect(client.plan).toHaveBeenLastCalledWith({ selection: { archivedBy: 'o1' }, action: 'restore' });
  await work.plan('archive', whole);
  await work.setArchived(undefined);
  // The cursor is on what is left, or on nothing.
  for (const scope of [whole, undefined]) {
    work.store.setState({ undoable: 'o1' });
    await work.restore(scope);
    expect(client.plan).toHaveBeenLastCalledWith({ selection: { archivedBy: 'o1' }, action: 'restore' });
    expect([state().undoable, state().asking]).toEqual([null, undefined]);
  }
  expect(client.restore).toHaveBeenCalledTimes(3);
});

it('D5 what is looked at among the archived is asked about before it is restored, and where nothing is, that is said', async () => {
  const { work, client, refuse, state } = setUp();
  work.store.setState({ undoable: 'o1' });
  const archived = { kind: 'matching', filter: 'queue:q state:archived', isWhole: false } as const;
  await work.restore(archived);
  expect(state().asking).toMatchObject({ kind: 'restore', scope: archived });
  work.close();
  const nothing = { ...plan, count: 0 };
  client.plan.mockResolvedValueOnce(nothing);
  await work.restore({ kind: 'letter', seqs: [3] });
  expect(client.restore).toHaveBeenCalledExactlyOnceWith({ planId: 'p1' });
  client.plan.mockResolvedValueOnce(nothing);
  await work.restore({ kind: 'letter', seqs: [3] });
  expect(refuse).toHaveBeenCalledWith(expect.stringContaining('nothing of this is archived'));
  expect([state().asking, client.restore.mock.calls.length]).toEqual([undefined, 1]);
});

it('D9 a draft is kept until it was sent, and goes as the bytes that were written', async () => {
  const { work, client, state } = setUp();
  await work.edit(7);
  expect(state().asking).toMatchObject({ kind: 'edit', bytes: Uint8Array.of(1, 2, 255) });
  work.keepDraft(7, Uint8Array.of(0, 254));
  work.close();
  expect(state().drafts.get(7)).toEqual(Uint8Array.of(0, 254));
  await work.edit(7);
  await work.sendEdited({ bytes: Uint8Array.of(0, 254), queue: undefined, reason: undefined });
  expect(client.editRetry).toHaveBeenCalledWith({ seq: 7, data: 'AP4=' });
  expect(state().drafts.size).toBe(0);
  expect(toBase64(new Uint8Array(40_000)).length).toBe(53_336);
});

it('D10 what does not open is not edited, and says why', async () => {
  const { work, client, refuse, state } = setUp();
  client.open.mockResolvedValueOnce({ kind: 'failed', failure: { why: 'its key is gone' } } as never);
  await work.edit(7);
  expect(refuse).toHaveBeenCalledWith('Edit letter 7: its key is gone');
  expect(state().asking).toBeUndefined();
});

it('W5 another group ends what was picked and opened', () => {
  const { work, state } = setUp();
  work.selectGroup('a');
  work.openLetter(3);
  work.togglePick(3);
  work.togglePick(4);
  work.togglePick(3);
  expect([...state().picked]).toEqual([4]);
  work.selectGroup('b');
  expect(state()).toMatchObject({ letter: null, isOpen: false, pane: 'groups', isAll: false });
  expect(state().picked.size).toBe(0);
});
