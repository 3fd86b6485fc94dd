/** What is said of dead letters and their retries, everywhere in the same words. Pure. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type {
  CampaignState,
  GroupState,
  LetterAround,
  LetterGroup,
  LetterPlan,
  LettersState,
  RetryOutcome,
} from '../../../shared/contract/dlq-contract.ts';
import type { Grouping, LetterState } from '../../../shared/filter/letter-filter.ts';
import { formatCount } from '../../ui/format.ts';

export type LetterTone = 'ok' | 'wait' | 'bad' | 'quiet';

export interface StateWord {
  readonly word: string;
  readonly tone: LetterTone;
}

export const stateWords: Readonly<Record<LetterState, StateWord>> = {
  open: { word: 'open', tone: 'bad' },
  retrying: { word: 'retrying', tone: 'wait' },
  resolved: { word: 'resolved', tone: 'ok' },
  'failed-again': { word: 'failed again', tone: 'bad' },
  archived: { word: 'archived', tone: 'quiet' },
};

export const groupStateWords: Readonly<Record<GroupState, StateWord>> = {
  open: { word: 'open', tone: 'bad' },
  acknowledged: { word: 'acknowledged', tone: 'wait' },
  resolved: { word: 'resolved', tone: 'ok' },
  archived: { word: 'archived', tone: 'quiet' },
};

export const outcomeWords: Readonly<Record<RetryOutcome, StateWord>> = {
  requested: { word: 'requested', tone: 'quiet' },
  published: { word: 'published', tone: 'wait' },
  claimed: { word: 'claimed', tone: 'wait' },
  done: { word: 'done', tone: 'ok' },
  'failed-same': { word: 'failed the same', tone: 'bad' },
  'failed-new': { word: 'failed anew', tone: 'bad' },
  lost: { word: 'lost', tone: 'bad' },
  unanswered: { word: 'unanswered', tone: 'wait' },
  refused: { word: 'refused', tone: 'bad' },
  cancelled: { word: 'not begun', tone: 'quiet' },
};

const campaignWords: Readonly<Record<CampaignState['state'], StateWord>> = {
  running: { word: 'running', tone: 'wait' },
  waiting: { word: 'waiting', tone: 'wait' },
  done: { word: 'done', tone: 'ok' },
  stopped: { word: 'stopped by itself', tone: 'bad' },
  cancelled: { word: 'stopped', tone: 'quiet' },
  failed: { word: 'failed', tone: 'bad' },
};

/** What became of a campaign: one that went through its letters is done well only if none failed. */
export function campaignWord({ state, counts }: Pick<CampaignState, 'state' | 'counts'>): StateWord {
  const failedCount = counts['failed-same'] + counts['failed-new'] + counts.lost + counts.refused;
  if (state !== 'done' || failedCount === 0) return campaignWords[state];
  return counts.done === 0 ? { word: 'over, none done', tone: 'bad' } : { word: 'over, some failed', tone: 'wait' };
}

/** Letters that a plan leaves out, and why. */
export function leftOutWords({ why, count }: LetterPlan['leftOut'][number]): string {
  const reason = visibleText(why);
  return count === 1 ? `1 letter left out: ${reason}` : `${lettersWords(count)} left out, of each: ${reason}`;
}

export const groupingTitles: Readonly<Record<Grouping, string>> = {
  cause: 'Cause',
  queue: 'Queue',
  worker: 'Worker',
  type: 'Type',
};

/** `1 letter`, `412 letters`. */
export const lettersWords = (count: number): string => `${formatCount(count)} ${count === 1 ? 'letter' : 'letters'}`;

/** What stands beside the title of the view. */
export function summaryWords({ counts, openGroupCount }: Pick<LettersState, 'counts' | 'openGroupCount'>): string {
  if (counts.open === 0) return 'none is open';
  const causes = openGroupCount === 1 ? '1 open cause' : `${formatCount(openGroupCount)} open causes`;
  return `${formatCount(counts.open)} open · ${causes}`;
}

/** What is read of the stream, while that goes on; undefined: all is read. */
export function readingWords({ readCount, streamCount }: Pick<LettersState, 'readCount' | 'streamCount'>) {
  return readCount < streamCount ? `read ${formatCount(readCount)} of ${lettersWords(streamCount)}` : undefined;
}

/** While they are read for the first time. */
export function waitingWords(state: Pick<LettersState, 'readCount' | 'streamCount'> | undefined): string {
  if (state === undefined || state.streamCount === 0) return 'Reading the dead letters…';
  return `Reading the dead letters: ${formatCount(state.readCount)} of ${formatCount(state.streamCount)}`;
}

const unnamed: Readonly<Record<Grouping, string>> = {
  cause: 'no cause is known',
  queue: 'no queue is known',
  worker: 'no worker is known',
  type: 'no type is known',
};

/** The words of a row of the list of groups. */
export function groupTitle({ key, title }: Pick<LetterGroup, 'key' | 'title'>, by: Grouping): string {
  if (key === '') return unnamed[by];
  if (title !== '') return title;
  return by === 'cause' ? 'No reason was given' : key;
}

/** Some of what a session said cannot be opened. */
export const sealedWords = (count: number): string =>
  `${formatCount(count)} of its messages ${count === 1 ? 'is' : 'are'} sealed and cannot be opened here.`;

/** Why there is no output and no figure of a failure. */
export function noOutputWords(
  { session, sealedCount }: Pick<LetterAround, 'session' | 'sealedCount'>,
  isBundled: boolean,
) {
  if (isBundled)
    return 'The bundle has no output and no figures of it: where it was made nobody had heard its session.';
  if (session === null)
    return 'No session of it was heard in this window: output and figures pass on the bus, and only who listens then has them.';
  if (sealedCount > 0) return `Its session was heard. ${sealedWords(sealedCount)} The Task tab says what is missing.`;
  return 'Its session was heard, but nothing that it said around the failure is held any more.';
}

/** Of a campaign: how many letters have come to an end of their own. */
export function settledCount({ counts }: Pick<CampaignState, 'counts'>): number {
  const { done, lost, refused, cancelled } = counts;
  return done + lost + refused + cancelled + counts['failed-same'] + counts['failed-new'];
}

/** `step 2 of 4: 2 letters`; undefined: there is no canary, or it is over. */
export function stepWords({ step, isCanary, state }: Pick<CampaignState, 'step' | 'isCanary' | 'state'>) {
  if (step !== null) return `canary step ${step.index + 1} of ${step.of}: ${lettersWords(step.size)}`;
  return isCanary && (state === 'running' || state === 'waiting') ? 'the canary is over, the rest goes' : undefined;
}
