/**
 * Violations that only the compiler or knip can see.
 * Law: each stands in the layer whose configuration must refuse it.
 */
import { controlPackage } from './control-tree.ts';
import { type PlantedLaw, slug } from './planted-law.ts';

/** A violation that one layer's compilation must find. */
export interface PlantedType extends PlantedLaw {
  readonly layer: string;
}

function plantType(layer: string, law: string, rule: string, source: string): PlantedType {
  const folder = layer === 'tools' ? 'tests' : `src/${layer}`;
  return { layer, law: `${folder}: ${law}`, path: `${folder}/${slug(law)}.ts`, rule, source: `${source}\n` };
}

const noDom = (layer: string): PlantedType => plantType(layer, 'no DOM', 'TS2584', 'export const a = document.title;');
const noDomType = (layer: string): PlantedType =>
  plantType(layer, 'no DOM types', 'TS2304', 'export type A = HTMLElement;');
const noNode = (layer: string): PlantedType =>
  plantType(layer, 'no Node globals', 'TS2591', 'export const a = process.pid;');
const noNodeModule = (layer: string): PlantedType =>
  plantType(layer, 'no Node modules', 'TS2591', `import { sep } from 'node:path';\n\nexport const a = sep;`);

/** What `tsc -p tsconfig.<layer>.json` must find. */
export const typeLaws: readonly PlantedType[] = [
  ...['shared', 'engine', 'peers', 'main'].flatMap((layer) => [noDom(layer), noDomType(layer)]),
  ...['shared', 'renderer'].flatMap((layer) => [noNode(layer), noNodeModule(layer)]),
  plantType('shared', 'no timers', 'TS2304', 'export const a = () => setTimeout(a, 1);'),
  ...['shared', 'engine', 'peers', 'main', 'preload', 'renderer', 'tools'].flatMap((layer) => [
    plantType(layer, 'strict', 'TS7006', 'export const f = (a) => String(a);'),
    plantType(layer, 'an index may miss', 'TS2322', 'export const f = (all: string[]): string => all[0];'),
    plantType(layer, 'absent is not undefined', 'TS2375', 'export const a: { b?: string } = { b: undefined };'),
    plantType(layer, 'only syntax that can be erased', 'TS1294', 'export enum A {\n  B = 1,\n}'),
    plantType(
      layer,
      'an override says so',
      'TS4114',
      'class A {\n  a(): void {}\n}\nexport class B extends A {\n  a(): void {}\n}',
    ),
    plantType(
      layer,
      'index signatures are read by index',
      'TS4111',
      'export const f = (all: Record<string, string>) => all.b;',
    ),
  ]),
  plantType(
    'engine',
    'types are imported as types',
    'TS1484',
    `import { PathLike } from 'node:fs';\n\nexport type A = PathLike;`,
  ),
];

/** What `knip` must find. */
export const knipLaws: readonly PlantedLaw[] = [
  { law: 'no unused file', path: 'src/engine/left-over.ts', source: 'export const a = 1;\n', rule: 'files' },
  {
    law: 'no unused export',
    path: 'src/engine/half-used.ts',
    source: 'export const used = 1;\nexport const leftOver = 2;\n',
    rule: 'exports',
    says: 'leftOver',
  },
  {
    law: 'no unused exported type',
    path: 'src/shared/half-typed.ts',
    source:
      'export interface Used {\n  readonly a: string;\n}\nexport interface LeftOver {\n  readonly b: string;\n}\n',
    rule: 'types',
    says: 'LeftOver',
  },
  {
    law: 'no undeclared dependency',
    path: 'src/peers/undeclared.ts',
    source: `import { parse } from 'semver';
import { used } from '../engine/half-used.ts';
import type { Used } from '../shared/half-typed.ts';

export const a = (b: Used): unknown => parse(b.a + used);
`,
    rule: 'unlisted',
    says: 'semver',
  },
  {
    law: 'no unused dependency',
    path: 'package.json',
    source: controlPackage({ 'left-pad': '1.0.0' }),
    rule: 'dependencies',
    says: 'left-pad',
  },
];
