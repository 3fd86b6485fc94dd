/** How a chain is said: what it comes to, ranges, what is missing, checkpoints, restarts. Pure. */
import type {
  ChainFault,
  ChainMissing,
  ChainRange,
  ChainReport,
  ChainRestart,
  ChainSource,
  CheckpointState,
} from '../../../shared/contract/chain-report.ts';
import { formatCount } from '../../ui/format.ts';

export const kindWords: Readonly<Record<'e' | 'q' | 'd', string>> = {
  e: 'ephemeral',
  q: 'work and inbox',
  d: 'the rest',
};

export type ChainTone = 'ok' | 'wait' | 'bad' | 'dim';

/** "3" or "3–7". */
export function rangeWords({ fromSeq, toSeq }: ChainRange): string {
  return fromSeq === toSeq ? formatCount(fromSeq) : `${formatCount(fromSeq)}–${formatCount(toSeq)}`;
}

export function placesWords(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'place' : 'places'}`;
}

/** How a source is called in a list: its session, or all of it where it is none of the fabric's. */
export const sourceName = ({ session, source }: Pick<ChainSource, 'session' | 'source'>): string => session ?? source;

const isWhole = ({ searches, leftOutCount }: ChainReport): boolean =>
  leftOutCount === 0 && searches.every((one) => one.isWhole);

/** What it means that places are missing (protocol E12). */
export function missingWords(report: ChainReport): { readonly tone: ChainTone; readonly words: string } {
  if (report.kind === 'e') return { tone: 'wait', words: 'lost: what is ephemeral is stored nowhere by itself' };
  if (report.kind === 'q') return { tone: 'dim', words: 'claimed and done with, or lost' };
  if (!isWhole(report)) return { tone: 'wait', words: 'not visible here: not all was looked at' };
  return { tone: 'bad', words: 'taken away, or older than the streams keep' };
}

/** What is wrong first, in one sentence, or that nothing is. */
export function verdictWords(report: ChainReport): { readonly tone: ChainTone; readonly words: string } {
  const [fault] = report.faults;
  const [fork] = report.forks;
  const firstSeq = Math.min(fault?.seq ?? Number.POSITIVE_INFINITY, fork?.seq ?? Number.POSITIVE_INFINITY);
  if (report.seen === null) return { tone: 'dim', words: 'Nothing of this chain that counts lies in the streams.' };
  if (firstSeq !== Number.POSITIVE_INFINITY) {
    const what = fork !== undefined && fork.seq === firstSeq ? 'A fork' : 'The first bad link';
    return { tone: 'bad', words: `${what} is at place ${formatCount(firstSeq)}.` };
  }
  if (report.missing.length > 0) {
    const { tone, words } = missingWords(report);
    return { tone, words: `What is here holds; ${placesWords(report.missingCount)} are missing: ${words}.` };
  }
  return {
    tone: 'ok',
    words: `Every place from ${formatCount(report.seen.fromSeq)} to ${formatCount(report.seen.toSeq)} holds.`,
  };
}

const faults: Readonly<Record<ChainFault['kind'], string>> = {
  link: 'names another predecessor than the one that is here',
  payload: 'its payload is not the one that its hash names',
  checkpoint: 'a checkpoint names another envelope than the one that is here',
};

export const faultWords = ({ kind }: ChainFault): string => faults[kind];

const checkpoints: Readonly<Record<CheckpointState, { readonly tone: ChainTone; readonly words: string }>> = {
  matches: { tone: 'ok', words: 'matches' },
  contradicts: { tone: 'bad', words: 'contradicts' },
  unseen: { tone: 'wait', words: 'its place is not here' },
  refused: { tone: 'bad', words: 'does not count' },
};

/** Of what is claimed the place is gone sooner or later: that says nothing. */
export function checkpointWords(state: CheckpointState, kind: ChainReport['kind']) {
  const said = checkpoints[state];
  return state === 'unseen' && kind !== 'd' ? { ...said, tone: 'dim' as const } : said;
}

const restarts: Readonly<Record<ChainRestart['state'], { readonly tone: ChainTone; readonly words: string }>> = {
  matches: { tone: 'ok', words: 'that envelope is here' },
  other: { tone: 'bad', words: 'another envelope is at that place' },
  unseen: { tone: 'dim', words: 'nothing is here at that place' },
};

export const restartWords = ({ state }: ChainRestart) => restarts[state];

export const tailWords = ({ isTail }: ChainMissing): string =>
  isTail ? 'at the end: a signed checkpoint says that they were' : '';
