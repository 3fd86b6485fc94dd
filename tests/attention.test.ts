/** The badge and the flag count what the Operations Center lists: the engine and the page find the same under the same ids and marks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alarmsOf } from '../src/engine/operations/alarms.ts';
import { findProblems, isAcknowledged } from '../src/renderer/features/operations/problems.ts';
import type { ConnectionsState } from '../src/shared/contract/connections-contract.ts';
import type { QueuesState } from '../src/shared/contract/queues-contract.ts';
import type { QuarantineState, StreamsStatus } from '../src/shared/contract/streams-contract.ts';
import { swarmStateOf, workerOf } from './support/swarm-state.ts';

const error = { code: 'timeout', message: 'no answer', retryable: true } as const;
const maybe = <T>(value: T) => fc.constantFrom(null, value);
const ms = fc.integer({ min: 1, max: 9 });

const connections = fc.record({
  current: fc.constant('prod'),
  contexts: fc.constant([]),
  server: fc.constant(null),
  rttMs: fc.constant(null),
  status: fc.constantFrom(
    ...(['connected', 'connecting', 'stale'] as const).map((kind) => ({ kind, sinceMs: 3 })),
    { kind: 'reconnecting' as const, sinceMs: 3, attempt: 2, error: null },
    { kind: 'closed' as const, sinceMs: 3, error: null },
  ),
  staleSinceMs: fc.option(ms),
  problem: maybe(error),
  missing: fc.subarray([
    { feature: 'storing', needs: 'a sound disk' },
    { feature: 'other', needs: 'a newer server' },
  ]),
  outbox: maybe({ waitingCount: 0, oldestMs: null, problem: error }),
  outages: fc.array(fc.record({ fromMs: ms, toMs: fc.option(ms) }), { maxLength: 3 }),
});

const death = { atMs: 7, exitCode: 1, signal: null, reason: 'exit code 1' };
const sources = fc.record({
  provisioning: fc.subarray(['VAK_WORK_ws', 'VAK_DLQ_ws']).map((lacking) => ({ lacking })),
  connection: connections as unknown as fc.Arbitrary<ConnectionsState>,
  flow: fc.nat(2).map((droppedCount) => ({ droppedCount }) as StreamsStatus),
  quarantine: fc
    .nat(2)
    .map((refusedCount) => ({ refusedCount, countByReason: {}, recent: [] }) as unknown as QuarantineState),
  queues: maybe(error).map((problem) => ({ problem, readAtMs: 4, queues: [] }) as unknown as QueuesState),
  swarm: fc
    .record({
      state: fc.constantFrom('running' as const, 'stopped' as const),
      isDead: fc.boolean(),
      isIll: fc.boolean(),
      isOut: fc.boolean(),
    })
    .map(({ state, isDead, isIll, isOut }) =>
      swarmStateOf({
        ...{ state, problem: isIll ? 'no program' : null },
        keptOut: isOut ? { peers: ['swarm', 'w1'], why: 'it was not told' } : null,
        ...(isIll ? { coordinator: { kind: 'failed' as const, why: 'it ended' } } : {}),
        workers: isDead ? [workerOf('w1', { state: 'dead', death }), workerOf('w2', {})] : [],
      }),
    ),
});

test('product.md what needs an operator is counted by one definition', () => {
  fc.assert(
    fc.property(sources, fc.boolean(), (known, isRead) => {
      const alarms = alarmsOf(known);
      const problems = findProblems({ ...known, work: undefined });
      const marks = Object.fromEntries(
        alarms.flatMap(({ id, mark }) => (mark === null || !isRead ? [] : [[id, mark]])),
      );
      const listed = problems.map(({ id, lasting }) => `${id}: ${lasting.kind === 'event' ? lasting.mark : null}`);
      expect(listed.sort()).toEqual(alarms.map(({ id, mark }) => `${id}: ${mark}`).sort());
      // And what was acknowledged of it is the same.
      const open = problems.filter((one) => !isAcknowledged(one, marks)).map(({ id }) => id);
      expect(open.sort()).toEqual(
        alarms
          .filter(({ id, mark }) => mark === null || marks[id] !== mark)
          .map(({ id }) => id)
          .sort(),
      );
    }),
  );
});
