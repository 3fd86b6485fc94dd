/** What is said of the health of queues, everywhere in the same words. Pure. Law: a state that the contract does not have does not compile here. */
import type { QueueHealth, QueueState } from '../../shared/contract/queues-contract.ts';
import { formatAge } from './format.ts';

export type QueueTone = 'ok' | 'wait' | 'bad' | 'quiet';

interface HealthWord {
  /** In the table. */
  readonly word: string;
  readonly tone: QueueTone;
  /** What it means, as a sentence. */
  readonly meaning: string;
}

export const healthWords: Readonly<Record<QueueHealth, HealthWord>> = {
  ok: { word: 'working', tone: 'ok', meaning: 'Its tasks are worked on.' },
  idle: { word: 'idle', tone: 'quiet', meaning: 'Nothing stands in it.' },
  paused: { word: 'paused', tone: 'wait', meaning: 'No worker claims from it until it is resumed.' },
  stuck: { word: 'stuck', tone: 'bad', meaning: 'Something is claimed, tasks wait, and nothing moves.' },
  waiting: { word: 'waiting', tone: 'wait', meaning: 'Tasks wait, and nobody has claimed one lately.' },
  'no-consumer': { word: 'no consumer', tone: 'bad', meaning: 'Tasks wait, and nobody claims them.' },
};

/** How long it takes to be empty at the rates of the last minute. */
export function drainWords({ lag, drainMs }: Pick<QueueState, 'lag' | 'drainMs'>): string {
  if (lag === 0) return '–';
  return drainMs === null ? 'never' : formatAge(drainMs);
}
