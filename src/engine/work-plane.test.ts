import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCallContext } from '../../tests/support/call-context.ts';
import { failure } from '../../tests/support/expected-failure.ts';
import { createTestEngine, driveEngine } from '../../tests/support/test-engine.ts';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../tests/support/test-profile.ts';
import type { RowsFrame } from '../shared/contract/streams-contract.ts';
import { type TrustMarks, unpackMarks } from '../shared/protocol/trust-marks.ts';
import type { Engine } from './engine.ts';

const context = createCallContext();
let profiles: TestProfiles;
let engine: Engine;

beforeEach(async () => {
  profiles = createTestProfiles();
  engine = await createTestEngine(profiles, await profiles.open(profiles.folder()));
  await engine.open();
});

afterEach(async () => {
  await engine.stop();
  expect(profiles.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  await profiles.remove();
  expect(profiles.clock.timerCount).toBe(0);
});

const { until, during, snapshot } = driveEngine(
  () => profiles,
  () => engine,
  100,
);

/** Rows of Streams on subjects of a pattern, with their signatures checked. */
async function rows(pattern: string): Promise<{ subject: string | undefined; preview: string; marks: TrustMarks }[]> {
  const frames: RowsFrame[] = [];
  const feed = engine.feeds.open('streams.rows', { pattern, fromSeq: 0 }, (frame) => frames.push(JSON.parse(frame)));
  await until(() => frames.some(({ seq }) => seq.length > 0));
  feed.dispose();
  const seqs = frames.flatMap(({ seq }) => seq);
  const { marks } = await engine.services.streams.check({ seqs }, context);
  return frames.flatMap((frame) =>
    frame.preview.map((preview, i) => ({
      ...{ preview, subject: frame.subjects[frame.subjectIndex[i] ?? -1] },
      marks: unpackMarks(marks[seqs.indexOf(frame.seq[i] ?? -1)] ?? 0),
    })),
  );
}

const queue = (name: string) => snapshot('queues.state')?.queues.find((one) => one.queue === name);

it('W9 the app sees a task that it has queued, pauses its queue, looks into it, and purges it; locked it sees nothing', async () => {
  const { identity, queues, approvals } = engine.services;
  await identity.setUp({ peer: 'ada', displayName: 'Ada' }, context);
  const { seq, taskId } = await during(queues.enqueue({ queue: 'builds', task: { command: ['make'] } }, context));
  await until(() => queue('builds')?.pendingCount === 1);
  expect(queue('builds')).toMatchObject({ lag: 1, outcomes: { queued: 1 }, paused: null });
  expect(snapshot('operations.state')).toMatchObject({ totals: { lag: 1, pendingApprovalCount: 0 } });
  expect(snapshot('approvals.state')).toMatchObject({ pending: [], problem: null, readAtMs: expect.any(Number) });
  await until(() => snapshot('dlq.state')?.readAtMs);
  expect(snapshot('dlq.state')).toMatchObject({ problem: null, readCount: 0, groupCount: 0, campaigns: [] });
  const letters = await engine.services.dlq.page({ filter: 'state:open', fromIndex: 0, limit: 10 }, context);
  expect(letters).toMatchObject({ rows: [], matchingCount: 0, faults: [] });
  expect(await rows('vak.work.>')).toEqual([
    {
      ...{ subject: `vak.work.${testWorkspace}.builds.task`, preview: 'make' },
      marks: { seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false },
    },
  ]);
  await during(queues.pause({ queue: 'builds' }, context));
  await until(() => queue('builds')?.paused?.by === 'ada');
  const { tasks } = await queues.peek({ queue: 'builds', limit: 10 }, context);
  expect(tasks).toMatchObject([{ seq, taskId, peer: 'ada', refusal: null, signature: { kind: 'valid' } }]);
  const purge = queues.purge({ queue: 'builds', confirmedName: 'builds', lastSeq: seq }, context);
  expect(await during(purge)).toEqual({ purgedCount: 1 });
  await until(() => queue('builds')?.outcomes.purged === 1);
  expect(queue('builds')).toMatchObject({ lag: 0, outcomes: { queued: 0, lost: 0 } });

  const none = '0197a3c0-0000-7000-8000-000000000001';
  const answer = async () => await approvals.answer({ requestId: none, decision: 'approve' }, context);
  expect(await failure(during(answer()))).toMatchObject({ code: 'not-found' });

  await identity.lock({}, context);
  const hidden = (['queues.state', 'approvals.state', 'operations.state', 'dlq.state'] as const).map(snapshot);
  expect(hidden).toEqual(Array.from({ length: 4 }, () => undefined));
  await identity.unlock({}, context);
  await until(() => queue('builds')?.outcomes.purged === 1);
  expect(queue('builds')?.paused).toMatchObject({ by: 'ada' });
});
