/** What is said of queues and tasks, everywhere in the same words. Pure. Law: a state that the contract does not have does not compile here. */
import type { QueueState, TaskOutcome } from '../../../shared/contract/queues-contract.ts';
import { formatCount } from '../../ui/format.ts';
import { healthWords, type QueueTone } from '../../ui/queue-health-words.ts';

/** Whether somebody has to look at it. What an operator paused is meant to be so. */
export function isAmiss({ health }: Pick<QueueState, 'health'>): boolean {
  return healthWords[health].tone === 'bad';
}

export interface OutcomeWord {
  readonly word: string;
  readonly tone: QueueTone;
  readonly meaning: string;
}

/** In the order in which they are listed. */
export const outcomeWords: Readonly<Record<TaskOutcome, OutcomeWord>> = {
  queued: { word: 'queued', tone: 'quiet', meaning: 'It stands in its queue, and no attempt of it has ended.' },
  refused: { word: 'refused', tone: 'bad', meaning: 'It stands in its queue, and no worker will run it.' },
  retrying: { word: 'retrying', tone: 'wait', meaning: 'An attempt failed; it stands in its queue for the next one.' },
  done: { word: 'done', tone: 'ok', meaning: 'A worker says with a signed receipt that it is done.' },
  'finished-late': {
    word: 'finished late',
    tone: 'ok',
    meaning: 'It became a dead letter, and was done after all.',
  },
  dead: { word: 'dead letter', tone: 'bad', meaning: 'It failed for good and waits among the dead letters.' },
  lost: {
    word: 'lost',
    tone: 'bad',
    meaning: 'It is gone, and nobody who may say so has said what became of it.',
  },
  purged: { word: 'purged', tone: 'quiet', meaning: 'An operator took it out of the queue.' },
};

export const outcomes = Object.keys(outcomeWords) as readonly TaskOutcome[];

/** All tasks that are remembered: the outcomes add up to it. */
export function rememberedCount(counts: QueueState['outcomes']): number {
  return outcomes.reduce((sum, outcome) => sum + counts[outcome], 0);
}

/** `1 task`, `1 204 tasks`. */
export function tasksWords(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'task' : 'tasks'}`;
}

/** `50 of 1 203 tasks as of 12:03:04 UTC, now 1 310`: what was read, of when, and what there is by now. */
export function pageWords(page: {
  readonly shown: number;
  readonly of: number;
  readonly at: string;
  readonly now: number;
}): string {
  const { shown, of, at, now } = page;
  const count = shown === of ? tasksWords(of) : `${formatCount(shown)} of ${tasksWords(of)}`;
  return `${count} as of ${at}${now === of ? '' : `, now ${formatCount(now)}`}`;
}

/** Beside the title: how many there are, how many have to be looked at, how much waits. */
export function summaryWords(queues: readonly QueueState[]): string {
  const amiss = queues.filter(isAmiss).length;
  const lag = queues.reduce((sum, queue) => sum + queue.lag, 0);
  return [
    `${formatCount(queues.length)} ${queues.length === 1 ? 'queue' : 'queues'}`,
    amiss === 0 ? undefined : `${formatCount(amiss)} to look at`,
    lag === 0 ? 'nothing waits' : `${tasksWords(lag)} to do`,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** After a purge: how many went, and what came of the others. */
export function purgedWords(purge: {
  readonly queue: string;
  readonly asked: number;
  readonly purged: number;
  /** What stands in it now: all of that came after the question. */
  readonly left: number;
}): string {
  const { queue, asked, purged, left } = purge;
  const gone = asked - purged;
  return [
    `${tasksWords(purged)} purged from ${queue}.`,
    gone > 0 ? `${tasksWords(gone)} had left it before.` : undefined,
    left > 0 ? `${tasksWords(left)} came later and ${left === 1 ? 'stays' : 'stay'}.` : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}
