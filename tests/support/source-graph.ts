/**
 * Laws that need the sources parsed: how long functions are, and what the bundle of a page would pull in.
 * Law: the parser is the bundler's own, so what counts as a value import here is one in the build.
 */
import { posix } from 'node:path';
import { parseSync, Visitor } from 'vite';
import { type FileRule, isCode, isIn, isTest, lineAt, type SourceFile } from './house-rules.ts';

const maxFunctionLines = 50;

/** No function is longer than 50 lines of its own; what it nests is measured by itself, so a factory is judged by its parts. */
export const functionLengthRule: FileRule = ({ path, text }) => {
  if (!(isCode(path) && isIn(path, 'src', 'scripts')) || isTest(path)) return [];
  const problems: string[] = [];
  const nestedLines: number[] = [];
  const enter = (): void => {
    nestedLines.push(0);
  };
  const leave = (node: { readonly start: number; readonly end: number }): void => {
    const lines = text.slice(node.start, node.end).split('\n').length;
    const own = lines - (nestedLines.pop() ?? 0);
    const outer = nestedLines.pop();
    if (outer !== undefined) nestedLines.push(outer + lines - 1);
    if (own > maxFunctionLines)
      problems.push(`line ${lineAt(text, node.start)}: a function of ${own} lines of its own`);
  };
  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
  }).visit(parseSync(path, text).program);
  return problems;
};

/** What a file needs when it runs: the sources of its imports and re-exports that are not `import type`. */
function valueSources({ path, text }: SourceFile): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const isTypeOnly = (start: number): boolean => /^(?:import|export)\s+type\s/.test(text.slice(start, start + 20));
  const imported = staticImports.filter(({ start }) => !isTypeOnly(start)).map((found) => found.moduleRequest.value);
  const exported = staticExports
    .filter(({ start }) => !isTypeOnly(start))
    .flatMap((found) => found.entries.map((entry) => entry.moduleRequest?.value));
  const called = dynamicImports.map(({ moduleRequest }) => text.slice(moduleRequest.start + 1, moduleRequest.end - 1));
  return [...imported, ...exported, ...called].filter((source) => source !== undefined);
}

/** Every way by which a layer's code would pull in a forbidden module at run time, through however many files. */
export function forbiddenReaches(files: readonly SourceFile[], layer: string, forbidden: RegExp): string[] {
  const byPath = new Map(files.filter(({ path }) => isCode(path)).map((file) => [file.path, file]));
  const waiting = [...byPath.keys()].filter((path) => isIn(path, layer) && !isTest(path)).map((path) => [path]);
  const seen = new Set<string>();
  const problems: string[] = [];
  for (let way = waiting.shift(); way !== undefined; way = waiting.shift()) {
    const path = way.at(-1) ?? '';
    const file = byPath.get(path);
    if (file === undefined || seen.has(path)) continue;
    seen.add(path);
    for (const source of valueSources(file)) {
      if (forbidden.test(source)) problems.push([...way, source].join(' → '));
      else if (source.startsWith('.')) waiting.push([...way, posix.join(posix.dirname(path), source)]);
    }
  }
  return problems;
}
