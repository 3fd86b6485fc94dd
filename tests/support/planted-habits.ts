/**
 * One violation of each habit that biome.json asks for beyond Biome's own recommendation.
 * Law: a rule that stands in biome.json stands here, so that a rule which was renamed or lost is missed at once.
 */
import { type PlantedLaw, plantRule, spelled } from './planted-law.ts';

/** Rule of Biome → the plainest code that breaks it. */
const habits: Readonly<Record<string, string>> = {
  'correctness/noUnusedFunctionParameters': 'export const f = (a: number): number => 1;',
  'nursery/noImpliedEval': `export const f = (): unknown => new Function('return 1');`,
  'nursery/noMisusedPromises': 'export const f = (a: Promise<boolean>): number => (a ? 1 : 2);',
  'nursery/noMissingThrow': `export function f(): void {\n  new Error('x');\n}`,
  'nursery/noSelfImport': `import { a as b } from './no-self-import.ts';\n\nexport const a: unknown = b;`,
  'nursery/noTripleSlashReference': `/// <reference path="./no-enum.ts" />\nexport const a = 1;`,
  'nursery/useAwaitThenable': 'export const f = async (): Promise<number> => await 1;',
  'style/noCommonJs': `module.exports = 1;`,
  'style/noEnum': 'export enum A {\n  B = 1,\n}',
  'style/noParameterAssign': 'export function f(a: number): number {\n  a = 2;\n  return a;\n}',
  'style/noUselessElse':
    'export function f(a: number): number {\n  if (a > 1) {\n    return 1;\n  } else {\n    return 2;\n  }\n}',
  'style/useAsConstAssertion': `export const a: 'x' = 'x';`,
  'style/useCollapsedElseIf':
    'export function f(a: number): void {\n  if (a > 1) {\n    f(1);\n  } else {\n    if (a > 0) {\n      f(0);\n    }\n  }\n}',
  'style/useConsistentArrayType': 'export const a: Array<number> = [];',
  'style/useConst': 'export function f(): number {\n  let a = 1;\n  return a;\n}',
  'style/useExportType': 'interface A {\n  readonly a: string;\n}\nexport { A };',
  'style/useSingleVarDeclarator':
    'export function f(a: number): number {\n  const b = a,\n    c = a;\n  return b + c;\n}',
  'style/useThrowNewError': `export function f(): void {\n  throw Error('x');\n}`,
  'style/useThrowOnlyError': `export function f(): void {\n  throw 'x';\n}`,
  'suspicious/noTsIgnore': spelled('// @ts-~ignore: why not\nexport const a: string = 1;'),
  'suspicious/useErrorMessage': 'export const f = (): Error => new Error();',
};

const inComponents: Readonly<Record<string, string>> = {
  'correctness/noNestedComponentDefinitions':
    'export function A() {\n  function B() {\n    return <p>x</p>;\n  }\n  return <B />;\n}',
  'correctness/useExhaustiveDependencies': `import { useEffect } from 'react';\n\nexport function A({ run }: { readonly run: () => void }) {\n  useEffect(() => run(), []);\n  return null;\n}`,
  'correctness/useJsxKeyInIterable': 'export const A = () => [1, 2].map((n) => <p>{n}</p>);',
};

const inTests: Readonly<Record<string, string>> = {
  'suspicious/noIdenticalTestTitle': `import { test } from 'vitest';\n\ntest('a', () => {});\ntest('a', () => {});`,
};

function plantHabits(all: Readonly<Record<string, string>>, folder: string, ending: string): PlantedLaw[] {
  return Object.entries(all).map(([rule, source]) => {
    const name = (rule.split('/')[1] ?? rule).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return plantRule(`habit: ${rule}`, `${folder}/${name}${ending}`, `lint/${rule}`, source);
  });
}

/** What `biome check` must find of bad habits. */
export const habitLaws: readonly PlantedLaw[] = [
  ...plantHabits(habits, 'src/engine/habits', '.ts'),
  ...plantHabits(inComponents, 'src/renderer/ui/habits', '.tsx'),
  ...plantHabits(inTests, 'src/engine/habits', '.test.ts'),
];
