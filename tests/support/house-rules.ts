/**
 * Laws of the house that no linter has: each looks at one file, or at the list of files, and names what is wrong.
 * Law: pure functions of path and text, so that the same check runs on the real tree and on planted text.
 */
import { basename } from 'node:path';

/** A file of the tree; `path` is relative to the root, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Looks at one file; each text says what is wrong with it. */
export type FileRule = (file: SourceFile) => string[];

const maxFileLines = 400;

export const isCode = (path: string): boolean => /\.(?:ts|tsx|mts|mjs|cjs|js)$/.test(path);
export const isTest = (path: string): boolean => /\.test\.\w+$/.test(path) || /^(?:tests|e2e|bench)\//.test(path);
export const isIn = (path: string, ...folders: string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');

/** Every file of shared and engine begins with a comment of 1–6 lines: what it is, and its law. */
export const headerRule: FileRule = ({ path, text }) => {
  if (!(isCode(path) && isIn(path, 'src/shared', 'src/engine')) || isTest(path)) return [];
  const header = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1];
  if (header === undefined) return ['begins without a header comment'];
  const lines = header.split('\n').filter((line) => /\w/.test(line));
  if (lines.length > 6) return [`its header has ${lines.length} lines`];
  return /\bLaw: \S/.test(header) ? [] : ['its header names no "Law: …"'];
};

/** No file of code or style is longer than 400 lines. */
export const fileLengthRule: FileRule = ({ path, text }) => {
  if (!(isCode(path) || /\.(?:css|html|grit)$/.test(path))) return [];
  const count = linesOf(text).length;
  return count > maxFileLines ? [`has ${count} lines, ${maxFileLines} is the limit`] : [];
};

/** No drawer files and no barrels. */
export const fileNameRule: FileRule = ({ path }) => {
  if (!isCode(path)) return [];
  const stem = basename(path).replace(/\..*$/, '');
  return /^(?:utils?|types?|helpers?|common|misc|index|constants|interfaces)$/.test(stem)
    ? ['is named for nothing: name it after its main export']
    : [];
};

/** Types carry no `I` before and no `Impl` behind. */
export const typeNameRule: FileRule = ({ path, text }) => {
  if (!isCode(path)) return [];
  const names = [...text.matchAll(/^(?:export )?(?:declare )?(?:interface|type|class) (\w+)/gm)].map(
    (found) => found[1],
  );
  return names
    .filter((name) => name !== undefined && /^I[A-Z][a-z]|Impl$/.test(name))
    .map((name) => `${name}: no I before a type's name and no Impl behind it`);
};

/** Every suppression says why; the ones that hide everything are not used. */
export const suppressionRule: FileRule = ({ path, text }) => {
  if (!/\.(?:ts|tsx|mts|mjs|css|html)$/.test(path)) return [];
  const problems: string[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    const found = /(?:\/\/|\/\*|<!--)\s*(biome-ignore\S*|@ts-[a-z]+|v8 ignore \w+|oxlint-\S+|eslint-\S+)(.*)/.exec(
      line,
    );
    if (found === null) continue;
    const [, directive = '', rest = ''] = found;
    const reason = directive.startsWith('biome-ignore') ? (/^[^:]*:(.*)/.exec(rest)?.[1] ?? '') : rest;
    if (/^(?:@ts-ignore|@ts-nocheck|oxlint|eslint)/.test(directive))
      problems.push(`line ${index + 1}: no ${directive}`);
    else if (reason.replace(/[^\p{L}]/gu, '').length < 8)
      problems.push(`line ${index + 1}: ${directive} gives no reason`);
  }
  return problems;
};

// Put together from halves, so that this file does not hold the words itself.
const unfinished = new RegExp(`\\b(?:${['TO-DO', 'FIX-ME', 'XX-X', 'HA-CK'].join('|').replaceAll('-', '')})\\b`);

/** Nothing is left for later. */
export const unfinishedRule: FileRule = ({ text }) =>
  linesOf(text).flatMap((line, index) => (unfinished.test(line) ? [`line ${index + 1}: work left for later`] : []));

/** No test is skipped, focused, expected to fail or tried again. */
export const honestTestRule: FileRule = ({ path, text }) => {
  if (!(isTest(path) || path.endsWith('.config.ts'))) return [];
  const forms = [
    /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|only|todo|fixme|fails?)\b/g,
    /\bretr(?:y|ies):\s*(?!0\b)\S/g,
  ];
  return forms.flatMap((form) =>
    [...text.matchAll(form)].map((found) => `line ${lineAt(text, found.index)}: ${found[0]}`),
  );
};

/** The files that construct things, and so may hold them. */
const compositionRoot = /^src\/(?:main\/main\.ts|preload\/preload\.ts|renderer\/renderer\.tsx|peers\/[\w-]+\.ts)$/;

/** No state at module level: whoever needs some creates it and hands it on. */
export const moduleStateRule: FileRule = ({ path, text }) => {
  if (!(isCode(path) && isIn(path, 'src')) || isTest(path) || compositionRoot.test(path)) return [];
  return [...text.matchAll(/^(?:export )?let (\w+)/gm)].map(
    (found) => `line ${lineAt(text, found.index)}: ${found[1]} is state at module level`,
  );
};

/** Every decision in docs/adr has a number of its own, without gaps, and another page of docs links to it. */
export function decisionProblems(docs: readonly SourceFile[]): string[] {
  const decisions = docs
    .filter(({ path }) => /^docs\/adr\/\d/.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return decisions.flatMap(({ path }, index) => {
    const name = basename(path);
    const problems: string[] = [];
    if (!/^\d{4}-[a-z0-9-]+\.md$/.test(name)) problems.push(`${path}: is not named NNNN-some-words.md`);
    if (Number.parseInt(name, 10) !== index + 1) problems.push(`${path}: its number is not ${index + 1}`);
    const isLinked = docs.some((other) => other.path !== path && other.text.includes(name));
    if (!isLinked) problems.push(`${path}: no page of docs links to it`);
    return problems;
  });
}
