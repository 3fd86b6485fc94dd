/** What may be typed next in the filter, and what stands there then. Pure. */
import { completionsAt, type FilterCompletion, type FilterField } from '../../shared/filter/typed-filter.ts';

/** Names that are known here, by field. */
export type KnownNames = Readonly<Partial<Record<string, readonly string[]>>>;

const maxShown = 8;

/** What a filter is about, and the values that are offered for its fields. */
export interface FilterWords {
  readonly fields: readonly FilterField[];
  readonly known: KnownNames;
}

/** What is offered at a caret; at most 8. */
export function filterCompletions(text: string, caret: number, words: FilterWords): readonly FilterCompletion[] {
  const { fields, known } = words;
  const valuesOf = ({ name }: FilterField): readonly string[] => known[name] ?? [];
  // What stands there already is no help.
  return completionsAt({ text, caret }, fields, valuesOf)
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
