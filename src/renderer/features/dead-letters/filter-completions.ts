/** What may be typed next in the filter, and what stands there then. Pure. */
import { letterFields } from '../../../shared/filter/letter-filter.ts';
import { completionsAt, type FilterCompletion, type FilterField } from '../../../shared/filter/typed-filter.ts';

/** Names that are known here, by field. */
export type KnownNames = Readonly<Partial<Record<string, readonly string[]>>>;

const maxShown = 8;

export function letterCompletions(text: string, caret: number, known: KnownNames): readonly FilterCompletion[] {
  const valuesOf = ({ name }: FilterField): readonly string[] => known[name] ?? [];
  // What stands there already is no help.
  return completionsAt({ text, caret }, letterFields, valuesOf)
    .filter((one) => text.slice(one.from, one.to) !== one.text)
    .slice(0, maxShown);
}

export interface Completed {
  readonly text: string;
  readonly caret: number;
}

/** The filter with a completion taken; a value that is whole is followed by a space. */
export function complete(text: string, { from, to, text: taken }: FilterCompletion): Completed {
  const isField = /[:<>]$/.test(taken);
  const inserted = isField || text.slice(to).startsWith(' ') ? taken : `${taken} `;
  return { text: text.slice(0, from) + inserted + text.slice(to), caret: from + inserted.length };
}
