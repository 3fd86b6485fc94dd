/**
 * How a violation is planted, and what must find it.
 * Law: a planted file breaks its law in the plainest way, so that a checker which misses it is not checking.
 */
import type { Tree } from './scratch-tree.ts';

/** A file that breaks a law. */
export interface PlantedLaw {
  readonly law: string;
  readonly path: string;
  readonly source: string;
  /** The rule that must fire in that file. */
  readonly rule: string;
  /** What its message must contain; for plugins, whose rule is always `plugin`. */
  readonly says?: string;
  /** Lines where it must fire; anywhere in the file when not given. */
  readonly lines?: readonly number[];
}

/** Words that the house's own checks look for are written with a `~` inside, so that they do not stand in the planting files. */
export const spelled = (text: string): string => text.replaceAll('~', '');

/** Text of a title as part of a file's name. */
export const slug = (text: string): string => text.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '');

/** `source` lines that each must be found in a file of `path`. */
export function plantLines(
  law: string,
  path: string,
  found: Pick<PlantedLaw, 'rule' | 'says'>,
  lines: readonly string[],
): PlantedLaw {
  return { law, path, source: `${lines.join('\n')}\n`, ...found, lines: lines.map((_, index) => index + 1) };
}

/** One file, one rule of Biome. */
export function plantRule(law: string, path: string, rule: string, source: string): PlantedLaw {
  return { law, path, rule, source: `${source}\n` };
}

/** The planted files, to lay over the control tree. */
export function plant(laws: readonly PlantedLaw[]): Tree {
  return Object.fromEntries(laws.map(({ path, source }) => [path, source]));
}
