import { describe, expect, it, vi } from 'vitest';
import type { TaskReport } from '../../../shared/contract/queues-contract.ts';
import { createReportReader } from './report-reader.ts';

function setUp() {
  const waiting: {
    readonly resolve: (reports: readonly TaskReport[]) => void;
    readonly reject: (why: Error) => void;
  }[] = [];
  const deps = {
    read: vi.fn(
      (_signal: AbortSignal) =>
        new Promise<readonly TaskReport[]>((resolve, reject) => void waiting.push({ resolve, reject })),
    ),
    onReports: vi.fn(),
    onFailure: vi.fn(),
  };
  return { reader: createReportReader(deps), waiting, ...deps };
}

describe('reading what became of tasks', () => {
  it('what is heard while it reads is read after it, once', async () => {
    const { reader, waiting, read, onReports } = setUp();
    const done = reader.read();
    void reader.read();
    void reader.read();
    expect(read).toHaveBeenCalledOnce();
    waiting[0]?.resolve([]);
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
    waiting[1]?.resolve([]);
    await done;
    expect([read.mock.calls.length, onReports.mock.calls.length]).toEqual([2, 2]);
  });

  it('a failure is told, and the next reading goes on', async () => {
    const { reader, waiting, onReports, onFailure } = setUp();
    const failed = reader.read();
    const failure = new Error('no');
    waiting[0]?.reject(failure);
    await failed;
    const done = reader.read();
    waiting[1]?.resolve([]);
    await done;
    expect([onFailure.mock.calls, onReports.mock.calls]).toEqual([[[failure]], [[[]]]]);
  });

  it('nothing comes after it was left', async () => {
    const { reader, waiting, read, onReports } = setUp();
    const done = reader.read();
    void reader.read();
    reader.dispose();
    waiting[0]?.resolve([]);
    await done;
    expect([read.mock.calls.length, onReports.mock.calls.length, read.mock.calls[0]?.[0].aborted]).toEqual([
      1,
      0,
      true,
    ]);
  });
});
