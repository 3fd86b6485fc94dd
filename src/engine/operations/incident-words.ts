/**
 * Incidents in words: what, why, what next; and what of it may stand on a desktop (product.md "Operations Center").
 * Law: every number has its unit, what a peer wrote is made visible and cut, and a notification holds nothing that was sealed.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { IncidentDetail, IncidentFacts } from './incident-facts.ts';
import { countWords, quantityWords, rateWords, spanWords } from './quantity-words.ts';

export interface IncidentWords {
  readonly title: string;
  readonly why: string;
  readonly next: string;
}

/** Longest text of a peer in a sentence, in characters. */
const maxSaid = 300;
const maxName = 80;

function cut(text: string, most: number): string {
  const characters = [...visibleText(text.slice(0, most * 2).trim())];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : characters.join('');
}

const said = (text: string): string => cut(text, maxSaid);
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
const tasks = (count: number): string => quantityWords(count, ['task', 'tasks']);

type Subject<K extends IncidentDetail['kind']> = Pick<IncidentFacts, 'count' | 'queue'> & {
  readonly detail: Extract<IncidentDetail, { kind: K }>;
};

const queueOf = ({ queue }: Pick<IncidentFacts, 'queue'>): string => queue ?? 'a queue';

function lostWords({ count, ...one }: Subject<'lost'>): IncidentWords {
  return {
    title: `${tasks(count)} of ${queueOf(one)} ${count === 1 ? 'is' : 'are'} lost`,
    why: `${count === 1 ? 'It' : 'They'} left the queue without a receipt that counts and without a dead letter: acknowledged by somebody who proved nothing, or deleted.`,
    next: `Look who works on the queue, and enqueue ${count === 1 ? 'the task' : 'the tasks'} again.`,
  };
}

function deadLetterWords({ count, detail, ...one }: Subject<'dead-letters'>): IncidentWords {
  const { errorClass, reason, workerId, attempts } = detail;
  const what = errorClass === null ? 'of further classes' : cut(errorClass, maxName);
  const by = workerId === null ? '' : `, last by ${cut(workerId, maxName)}`;
  const tried = quantityWords(attempts, ['attempt', 'attempts']);
  return {
    title: `${tasks(count)} of ${queueOf(one)} failed for good: ${what}`,
    why: `The latest after ${tried}${by}: ${sentence(said(reason))}`,
    next: 'Read its attempts, mend the cause, and enqueue what has to be done.',
  };
}

const recordNames = {
  receipt: ['receipt', 'receipts'],
  'dead-letter': ['dead letter', 'dead letters'],
  action: ['purge', 'purges'],
  'pause-flag': ['pause flag', 'pause flags'],
  repeat: ['task', 'tasks'],
  request: ['request for approval', 'requests for approval'],
  verdict: ['verdict', 'verdicts'],
} as const;

const recordSteps = {
  receipt: 'Find out who wrote it: a false receipt hides what became of a task.',
  'dead-letter': 'Find out who wrote it: a false dead letter hides a task that is still to be done.',
  action: 'Find out who wrote it: a false word of a purge hides a task that was lost.',
  'pause-flag': 'What was said of the queue before stands: find out who wrote it, and whether its clock is right.',
  repeat: 'Find out who writes to the stream of tasks beside those who enqueue, and whether running it twice did harm.',
  request: 'Whoever asked waits in vain: look what it wants to run, and who it is.',
  verdict: 'What it was for may still wait: look at the approvals.',
} as const;

function refusedWords({ count, detail }: Subject<'refused-record' | 'refused-approval'>): IncidentWords {
  const { record, why } = detail;
  const [is, are] =
    record === 'repeat' ? ['was stored again', 'were stored again'] : ['does not count', 'do not count'];
  return {
    title: `${quantityWords(count, recordNames[record])} ${count === 1 ? is : are}`,
    why: `${count === 1 ? '' : 'The latest: '}${sentence(said(why))}`,
    next: recordSteps[record],
  };
}

function deniedWords({ count, detail }: Subject<'denied'>): IncidentWords {
  const { peer, action, subject, rule, side } = detail;
  const by = side === 'server' ? 'the server' : 'this program';
  return {
    title: `${cut(peer, maxName)} was refused ${quantityWords(count, ['time', 'times'])} by the access policy`,
    why: `${count === 1 ? 'It' : 'The latest: it'} may not ${cut(action, maxName)} ${cut(subject, maxName * 2)}: ${by} refused it (rule ${cut(rule, maxName)}).`,
    next: 'Stop it if it has no business there; else give it the role that it needs.',
  };
}

const hint = (isPaused: boolean, isOver: string): string =>
  isPaused ? 'The queue is paused: resume it when what it waits for is there.' : isOver;

function lagWords({ detail, ...one }: Subject<'lag'>): IncidentWords {
  const { lag, limit, inPerSec, outPerSec, isPaused } = detail;
  return {
    title: `The lag of ${queueOf(one)} is over its limit`,
    why: `${tasks(lag)} wait or are under way, the limit is ${tasks(limit)}; ${rateWords(inPerSec)} come, ${rateWords(outPerSec)} go.`,
    next: hint(isPaused, 'Start more workers, or find out who enqueues so much.'),
  };
}

function ageWords({ detail, ...one }: Subject<'age'>): IncidentWords {
  const { ageMs, limitMs, isPaused } = detail;
  return {
    title: `Tasks of ${queueOf(one)} wait too long`,
    why: `The oldest has stood there for ${spanWords(ageMs)}, the limit is ${spanWords(limitMs)}.`,
    next: hint(isPaused, 'Look what holds it up: a worker that hangs, or too few of them.'),
  };
}

/** What an incident says in a list. */
export function incidentWords(facts: IncidentFacts): IncidentWords {
  const { count, queue, detail } = facts;
  const one = { count, queue };
  switch (detail.kind) {
    case 'lost':
      return lostWords({ ...one, detail });
    case 'dead-letters':
      return deadLetterWords({ ...one, detail });
    case 'refused-record':
    case 'refused-approval':
      return refusedWords({ ...one, detail });
    case 'denied':
      return deniedWords({ ...one, detail });
    case 'supervisor':
      return {
        title: 'The dead-letter supervisor has failed',
        why: sentence(said(detail.why) || 'It said no reason'),
        next: 'Until it runs, tasks whose workers died for good stay in their queues.',
      };
    case 'stuck':
      return {
        title: `${queueOf(facts)} is stuck`,
        why: `${tasks(detail.inFlightCount)} claimed, ${countWords(detail.pendingCount)} waiting, and nothing moves.`,
        next: 'End the worker that hangs: what it has claimed comes again.',
      };
    case 'no-consumer':
      return {
        title: `Nobody works on ${queueOf(facts)}`,
        why: `${tasks(detail.standingCount)} ${detail.standingCount === 1 ? 'waits' : 'wait'}, and no worker claims ${detail.standingCount === 1 ? 'it' : 'them'}.`,
        next: 'Start a worker for this queue.',
      };
    case 'age':
      return ageWords({ ...one, detail });
    case 'lag':
      return lagWords({ ...one, detail });
  }
}

/** What a notification says: names and numbers that the bus carries in the clear, nothing of a payload. */
export function noticeWords({ count, queue, detail }: IncidentFacts): {
  readonly title: string;
  readonly body: string;
} {
  const body = 'Open the Operations Center to see why.';
  switch (detail.kind) {
    case 'dead-letters':
      return { title: `${tasks(count)} of ${queueOf({ queue })} failed for good`, body };
    case 'refused-record':
    case 'refused-approval': {
      const { title } = refusedWords({ count, queue, detail });
      return { title, body };
    }
    case 'denied':
      return { title: `${cut(detail.peer, maxName)} was refused by the access policy`, body };
    case 'supervisor':
      return { title: 'The dead-letter supervisor has failed', body };
    case 'lost': {
      const { title } = lostWords({ count, queue, detail });
      return { title, body };
    }
    case 'stuck':
    case 'no-consumer':
    case 'age':
    case 'lag':
      return { title: `Something waits too long in ${queueOf({ queue })}`, body };
  }
}
