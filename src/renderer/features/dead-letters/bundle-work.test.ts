import { expect, it, vi } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { BundleReport } from '../../../shared/contract/bundles-contract.ts';
import { createBundleWork } from './bundle-work.ts';

const report = { bundleId: 'b1' } as BundleReport;

function setUp() {
  const open = vi.fn(async (_asked: object, _options?: { readonly signal?: AbortSignal }) => report);
  const close = vi.fn(async (_asked: { readonly bundleId: string }) => undefined);
  const [showView, reportError] = [vi.fn(), vi.fn()];
  const work = createBundleWork({ client: { open, close }, reportError, showView });
  return { work, open, close, showView, reportError, state: () => work.store.getState() };
}

it('D14 a bundle that was opened is shown; Esc closes its letter first, and then it', async () => {
  const { work, close, showView, state } = setUp();
  await work.open();
  expect([state().bundle, showView.mock.calls.length]).toEqual([report, 1]);
  work.show(4);
  work.back();
  expect([state().isOpen, state().letter, state().bundle]).toEqual([false, 4, report]);
  work.back();
  expect(state()).toEqual({ bundle: null, filter: '', letter: null, isOpen: false });
  expect(close).toHaveBeenCalledWith({ bundleId: 'b1' });
});

it('D14 closing the window that asks for the file changes nothing; what failed is thrown, and the open one stays', async () => {
  const { work, open, showView, state } = setUp();
  await work.open();
  open.mockRejectedValueOnce(new VakError('aborted', 'no file was chosen'));
  await work.open();
  open.mockRejectedValueOnce(new VakError('invalid-input', 'it is no incident bundle'));
  await expect(work.open()).rejects.toThrow('no incident bundle');
  expect([state().bundle, showView.mock.calls.length]).toEqual([report, 1]);
});

it('D14 one file is asked for at a time, and looking through it can be ended', async () => {
  const { work, open, state } = setUp();
  let signal: AbortSignal | undefined;
  open.mockImplementationOnce((_asked, options) => {
    signal = options?.signal;
    return new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new VakError('aborted', 'stopped'))),
    );
  });
  const opening = work.open();
  await work.open();
  expect(open).toHaveBeenCalledOnce();
  work.stop();
  await opening;
  expect([signal?.aborted, state().bundle]).toEqual([true, null]);
});
