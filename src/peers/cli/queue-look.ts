/** What a command sees of each queue at a look: its figures, whether it is paused, how its workers get on (protocol.md W9). */
import type { DurablePlane } from '../../engine/bus/durable.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import { type ConsumerHealth, judgeConsumer } from '../../engine/work/consumer-health.ts';
import type { QueueFigures } from '../../engine/work/queue-figures.ts';
import { type QueueFlag, readQueueFlag } from '../../engine/work/queue-flags.ts';
import type { WorkspaceTrust } from './workspace-trust.ts';

export interface JudgedQueue {
  readonly figures: QueueFigures;
  /** `unknown`: nobody can judge here who may say so. Undefined: nobody ever did. */
  readonly flag: QueueFlag | 'unknown' | undefined;
  readonly health: ConsumerHealth;
}

export interface QueueJudge {
  /** Judges what a look has read. Throws what reading the flags throws. */
  judge(queues: readonly QueueFigures[]): Promise<readonly JudgedQueue[]>;
}

export interface QueueJudgeDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  /** Undefined: nobody can judge who may pause a queue. */
  readonly trust: WorkspaceTrust | undefined;
  readonly clock: Clock;
}

/** Creates it; each look is compared with the one before. */
export function createQueueJudge({ workspace, durable, trust, clock }: QueueJudgeDeps): QueueJudge {
  let healths = new Map<string, ConsumerHealth>();

  async function judgeOne(figures: QueueFigures): Promise<JudgedQueue> {
    const { queue } = figures;
    const flag =
      trust === undefined ? 'unknown' : await readQueueFlag({ workspace, queue }, { durable, reader: trust.state });
    const isPaused = flag !== 'unknown' && flag?.isPaused === true;
    return { figures, flag, health: judgeConsumer({ ...figures, isPaused, atMs: clock.now() }, healths.get(queue)) };
  }

  return {
    async judge(queues) {
      trust?.knowledge.look();
      const judged: JudgedQueue[] = [];
      for (const figures of queues) judged.push(await judgeOne(figures));
      healths = new Map(judged.map(({ figures, health }) => [figures.queue, health]));
      return judged;
    },
  };
}
