/**
 * Conditions of queues that stand: too much waits, too long, nobody claims, nothing moves (protocol.md W9).
 * Law: what the figures do not say for a while does not stand; what could not be read changes nothing.
 *
 * Pure: it is told, it reads nothing.
 */
import type { QueueState } from '../../shared/contract/queues-contract.ts';
import type { Settings } from '../../shared/settings/settings-schema.ts';
import type { IncidentDetail } from './incident-facts.ts';
import type { TallyFacts } from './incident-tallies.ts';
import { createStandingCondition, type Moment, type Reading, type StandingCondition } from './standing-condition.ts';

/** What of a queue decides. */
export type QueueReading = Pick<
  QueueState,
  | 'queue'
  | 'pendingCount'
  | 'inFlightCount'
  | 'lag'
  | 'oldestMs'
  | 'inPerSec'
  | 'outPerSec'
  | 'health'
  | 'healthSinceMs'
  | 'paused'
>;

type ConditionKind = 'stuck' | 'no-consumer' | 'age' | 'lag';

export interface QueueConditions {
  note(queues: readonly QueueReading[], at: Moment): void;
  /** They could not be read. */
  interrupt(): void;
  all(): Iterable<TallyFacts>;
}

/** A limit must be passed for so long, ms; nothing moves for a moment now and then. */
const overMs = 5_000;
/** And be well undershot for so long, ms. */
const calmMs = 10_000;
/** What is well below a limit. */
const calmShare = 0.8;
/** Queues that are followed at most. */
const maxQueues = 500;

interface Look {
  readonly reading: Reading;
  readonly count: number;
  readonly detail: IncidentDetail;
}

interface Held {
  readonly condition: StandingCondition;
  facts: TallyFacts | undefined;
}

function readingOf(value: number, limit: number): Reading {
  if (value > limit) return 'over';
  return value < limit * calmShare ? 'calm' : 'between';
}

const kinds = ['stuck', 'no-consumer', 'age', 'lag'] as const satisfies readonly ConditionKind[];

/** Creates it over the limits of the settings, which are asked at each reading; a limit of 0 is none. */
export function createQueueConditions(alerts: () => Settings['alerts']): QueueConditions {
  const held = new Map<string, Map<ConditionKind, Held>>();

  const isOff = (kind: ConditionKind): boolean => {
    const { lagLimit, ageLimitSec, noConsumerSec } = alerts();
    return { stuck: false, 'no-consumer': noConsumerSec === 0, age: ageLimitSec === 0, lag: lagLimit === 0 }[kind];
  };
  const beginMsOf = (kind: ConditionKind): number => (kind === 'no-consumer' ? alerts().noConsumerSec * 1_000 : overMs);

  function conditionsOf(queue: string): Map<ConditionKind, Held> {
    const known = held.get(queue);
    if (known !== undefined) return known;
    const limitsOf = (kind: ConditionKind) => () => ({ beginMs: beginMsOf(kind), endMs: calmMs });
    const made = new Map(
      kinds.map((kind): [ConditionKind, Held] => [
        kind,
        { condition: createStandingCondition(limitsOf(kind)), facts: undefined },
      ]),
    );
    held.set(queue, made);
    return made;
  }

  /** How a condition is now, how many tasks it is about, and what there is to say of it. */
  function look(kind: ConditionKind, queue: QueueReading, { nowMs }: Moment): Look {
    const { pendingCount, inFlightCount, lag, oldestMs, inPerSec, outPerSec, health } = queue;
    const isPaused = queue.paused !== null;
    const ofHealth: Reading = health === kind ? 'over' : 'calm';
    switch (kind) {
      case 'stuck':
        return { reading: ofHealth, count: inFlightCount, detail: { kind, inFlightCount, pendingCount } };
      case 'no-consumer':
        return { reading: ofHealth, count: lag, detail: { kind, standingCount: lag } };
      case 'age': {
        // To the second: nobody reads more, and what never changes is not sent again.
        const ageMs = oldestMs === null ? 0 : Math.floor(Math.max(0, nowMs - oldestMs) / 1_000) * 1_000;
        const limitMs = alerts().ageLimitSec * 1_000;
        return { reading: readingOf(ageMs, limitMs), count: lag, detail: { kind, ageMs, limitMs, isPaused } };
      }
      case 'lag': {
        const limit = alerts().lagLimit;
        const detail = { kind, lag, limit, inPerSec, outPerSec, isPaused } as const;
        return { reading: readingOf(lag, limit), count: lag, detail };
      }
    }
  }

  function noteOne(kind: ConditionKind, { one, queue, at }: { one: Held; queue: QueueReading; at: Moment }): void {
    const { reading, count, detail } = look(kind, queue, at);
    const isOfHealth = kind === 'stuck' || kind === 'no-consumer';
    one.condition.note(reading, at, isOfHealth && reading === 'over' ? queue.healthSinceMs : undefined);
    const sinceMs = one.condition.sinceMs();
    if (sinceMs === undefined) {
      one.facts = undefined;
      return;
    }
    // While it calms down it is told as it was when it was over.
    if (one.facts !== undefined && reading === 'calm') return;
    const wasCount = one.facts?.count;
    one.facts = {
      ...{ id: `${kind}:${queue.queue}`, detail, queue: queue.queue, session: null },
      ...{ firstMs: sinceMs, lastMs: wasCount === count ? (one.facts?.lastMs ?? sinceMs) : at.nowMs },
      ...{ count, isStanding: true, mark: { atMs: sinceMs, seq: 0 } },
    };
  }

  function noteQueue(queue: QueueReading, at: Moment): void {
    for (const [kind, one] of conditionsOf(queue.queue)) {
      if (isOff(kind)) {
        one.facts = undefined;
        one.condition.reset();
      } else noteOne(kind, { one, queue, at });
    }
  }

  return {
    note(queues, at) {
      const followed = queues.slice(0, maxQueues);
      const names = new Set(followed.map(({ queue }) => queue));
      // A queue that is gone has no condition.
      for (const name of held.keys()) if (!names.has(name)) held.delete(name);
      for (const queue of followed) noteQueue(queue, at);
    },
    interrupt() {
      for (const conditions of held.values()) for (const { condition } of conditions.values()) condition.interrupt();
    },
    *all() {
      for (const conditions of held.values())
        for (const { facts } of conditions.values()) if (facts !== undefined) yield facts;
    },
  };
}
