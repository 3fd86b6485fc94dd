/** What can be said of a secret while it is typed; the text itself is only looked at. Pure. */
import type { EntryQuestion } from '../../shared/contract/secret-entry-contract.ts';

type EntryKind = EntryQuestion['kind'];

/** Fewest characters of a new passphrase (protocol.md I3). */
export const minPassphraseLength = 10;

/** What is typed so far, without a character of it. */
export interface EntryCheck {
  /** Why it cannot be sent yet; undefined: it can. */
  readonly lacks: string | undefined;
  /** The field where that is put right. */
  readonly lacksIn: 'first' | 'second';
  /** What stands under the field; empty: nothing to say. */
  readonly remark: string;
  /** A second text that is complete and differs. */
  readonly isMismatch: boolean;
}

/** As main counts: characters after compatibility forms are folded. */
function lengthOf(text: string): number {
  return [...text.normalize('NFKC')].length;
}

const easyParts = /passwor[dt]|passphrase|qwert|asdfgh|letmein|admin|welcome|0123|1234|abcd/i;

/** A calm word on a passphrase that is long enough; no score, no colour. */
export function strengthRemark(text: string): string {
  const characters = [...text.toLowerCase()];
  const wordCount = text
    .trim()
    .split(/[\s\-_.,]+/u)
    .filter((word) => word.length >= 3).length;
  if (new Set(characters).size < 6) return 'Long enough, but it repeats few characters and is easy to guess.';
  if (easyParts.test(text)) return 'Long enough, but it holds a part that is tried first.';
  if (/^\d+$/.test(text)) return 'Long enough, but digits alone are tried quickly.';
  if (wordCount >= 4 || characters.length >= 20) return 'Hard to guess.';
  return 'Long enough. Four or more unrelated words would be harder to guess.';
}

function checkNew(text: string, repeated: string): EntryCheck {
  const missing = minPassphraseLength - lengthOf(text);
  if (missing > 0) {
    const remark = text === '' ? `At least ${minPassphraseLength} characters.` : `${missing} more to go.`;
    return {
      lacks: `type at least ${minPassphraseLength} characters first`,
      lacksIn: 'first',
      remark,
      isMismatch: false,
    };
  }
  const remark = strengthRemark(text);
  if (text === repeated) return { lacks: undefined, lacksIn: 'second', remark, isMismatch: false };
  const isMismatch = !text.startsWith(repeated);
  const lacks = repeated === '' ? 'type it a second time first' : 'the two differ';
  return { lacks, lacksIn: 'second', remark, isMismatch };
}

/** Looks at what stands in the fields. */
export function checkEntry(kind: EntryKind, text: string, repeated: string): EntryCheck {
  if (kind === 'new-passphrase') return checkNew(text, repeated);
  const lacks = text.trim() === '' ? (kind === 'secret' ? 'paste it first' : 'type it first') : undefined;
  return { lacks, lacksIn: 'first', remark: '', isMismatch: false };
}

/** The same check, so that the page draws nothing anew while nothing changes. */
export function isSameCheck(a: EntryCheck, b: EntryCheck): boolean {
  return a.lacks === b.lacks && a.remark === b.remark && a.isMismatch === b.isMismatch;
}
