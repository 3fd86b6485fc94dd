/** What is said of a bundle of another workbench. Pure. */
import type { BundledEnvelope, BundleReport, BundleVerdict } from '../../../shared/contract/bundles-contract.ts';
import { formatCount } from '../../ui/format.ts';
import type { StateWord } from './letter-words.ts';

const verdictWords: Readonly<Record<BundleVerdict, StateWord>> = {
  sound: { word: 'as it was signed', tone: 'ok' },
  unknown: { word: 'signer unknown here', tone: 'wait' },
  changed: { word: 'not as it was signed', tone: 'bad' },
};

const cutOff: StateWord = { word: 'cut off', tone: 'bad' };

/** What a file that lacks its end is called: nothing says that it was forged. */
export const verdictWord = ({ verdict, cutAtLine }: Pick<BundleReport, 'verdict' | 'cutAtLine'>): StateWord =>
  cutAtLine === null ? verdictWords[verdict] : cutOff;

/** Who signed it, and whether that is known here. */
export function signedSentence({ signed, made }: Pick<BundleReport, 'signed' | 'made'>): string {
  const who = made === null ? 'nobody that it names' : `${made.by} of workspace ${made.workspace}`;
  if (signed.kind === 'none' || signed.kind === 'invalid') return signed.why ?? 'Its signature does not hold.';
  if (signed.kind === 'valid') return `Signed by ${who}, an operator as the workspace's root says.`;
  if (signed.isPinned)
    return `Signed with the key that is pinned here for ${who}; whether that is an operator is not known without the workspace's root.`;
  if (signed.isOtherRoot)
    return `Signed as ${who}, which has another root than the workspace of that name here: whose key that is nobody here can say.`;
  return `Signed as ${who}; the workspace is not known here, so whose key that is nobody can say.`;
}

/** What was found in the lines. */
export function linesSentence({ lineCount, badLineCount, cutAtLine, faults }: BundleReport): string {
  if (cutAtLine !== null)
    return `It was cut off: ${lineCount === 1 ? '1 line is' : `${formatCount(lineCount)} lines are`} left of it.`;
  if (badLineCount === 0) return `All ${formatCount(lineCount)} lines are as they were signed.`;
  const first = faults[0]?.line ?? 1;
  return `${formatCount(badLineCount)} of ${formatCount(lineCount)} lines are not as they were signed, the first is line ${formatCount(first)}.`;
}

const partNames: Readonly<Record<string, string>> = {
  letter: 'letters',
  task: 'opened tasks',
  receipt: 'receipts',
  terminal: 'ends of outputs',
  telemetry: 'rows of figures',
  status: 'lists of states',
  audit: 'records of what was done',
  grant: 'grants',
  proof: 'proofs of chains',
  unreadable: 'lines that nobody can read',
  'envelope of letter': 'envelopes of letters',
  'envelope of task': 'envelopes of tasks',
  'envelope of receipt': 'envelopes of receipts',
  'envelope of audit': 'envelopes of records',
  'envelope of ancestor': 'envelopes of causes',
};

/** Kinds of lines that are its frame. */
const frame: ReadonlySet<string> = new Set(['manifest', 'about', 'end', 'index']);

/** What is in it, each kind by its name. */
export function partsOf({ parts }: Pick<BundleReport, 'parts'>): { readonly name: string; readonly count: number }[] {
  return parts
    .filter(({ kind }) => !frame.has(kind))
    .map(({ kind, count }) => ({ name: Object.hasOwn(partNames, kind) ? (partNames[kind] ?? kind) : kind, count }));
}

export const envelopeWords: Readonly<Record<BundledEnvelope['signature'], StateWord>> = {
  valid: { word: 'signed as granted', tone: 'ok' },
  sound: { word: 'signer unknown', tone: 'wait' },
  unsigned: { word: 'not signed', tone: 'wait' },
  invalid: { word: 'not valid', tone: 'bad' },
};
