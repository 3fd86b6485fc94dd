import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDisposer } from '../src/shared/base/disposer.ts';
import { type Finding, listTscFiles, runBiome, runKnip, runTsc } from './support/checkers.ts';
import { controlPackage, controlTree } from './support/control-tree.ts';
import { decisionProblems } from './support/house-rules.ts';
import { codeLaws } from './support/planted-code.ts';
import { habitLaws } from './support/planted-habits.ts';
import { houseLaws } from './support/planted-house.ts';
import { importLaws } from './support/planted-imports.ts';
import { type PlantedLaw, plant } from './support/planted-law.ts';
import { knipLaws, typeLaws } from './support/planted-types.ts';
import { readRealTree } from './support/real-tree.ts';
import { createScratchTree, projectRoot } from './support/scratch-tree.ts';
import { forbiddenReaches } from './support/source-graph.ts';

const layers = ['shared', 'engine', 'peers', 'main', 'preload', 'renderer', 'tools'];
const biomeLaws = [...importLaws, ...codeLaws, ...habitLaws];
/** What must not be in the bundle of a page. */
const pageForbids = /^(?:zod|node:.*|nats|nkeys\.js)$|\/contract\/|\/payloads\.ts$/;
const disposer = createDisposer();
afterAll(() => disposer.dispose());

function scratchWith(laws: readonly PlantedLaw[]): string {
  const files = { ...controlTree, 'package.json': controlPackage(), ...plant(laws) };
  return disposer.add(createScratchTree(files)).root;
}

/** Each law behind its name, for titles. */
const named = <T extends PlantedLaw>(laws: readonly T[]): [string, T][] => laws.map((law) => [law.law, law]);

/** Where a law's rule fired in the file that breaks it. */
function found(findings: readonly Finding[], { path, rule, says = '' }: PlantedLaw): number[] {
  const hits = findings.filter((one) => one.path === path && one.rule === rule && one.message.includes(says));
  return hits.map(({ line }) => line);
}

function expectFound(findings: readonly Finding[], law: PlantedLaw): void {
  const lines = found(findings, law);
  expect(lines, `${law.rule} in ${law.path}`).not.toHaveLength(0);
  if (law.lines !== undefined) expect([...new Set(lines)].toSorted((a, b) => a - b)).toEqual(law.lines);
}

/** Findings in files that nothing was planted in. */
function strays(findings: readonly Finding[], laws: readonly PlantedLaw[]): Finding[] {
  const planted = new Set(laws.map(({ path }) => path));
  return findings.filter(({ path }) => !planted.has(path));
}

describe('biome finds', () => {
  let findings: readonly Finding[] = [];
  beforeAll(async () => {
    findings = await runBiome(scratchWith(biomeLaws));
  }, 60_000);

  test.each(named(biomeLaws))('%s', (_, law) => expectFound(findings, law));

  test('nothing in the files that keep the laws', () => {
    expect(strays(findings, biomeLaws)).toEqual([]);
  });
});

describe('tsc finds', () => {
  const findings = new Map<string, readonly Finding[]>();
  beforeAll(async () => {
    const root = scratchWith(typeLaws);
    for (const layer of layers) findings.set(layer, await runTsc(root, layer));
  }, 60_000);

  test.each(named(typeLaws))('%s', (_, law) => expectFound(findings.get(law.layer) ?? [], law));

  test('nothing in the files that keep the laws', () => {
    expect(strays([...findings.values()].flat(), typeLaws)).toEqual([]);
  });
});

describe('knip finds', () => {
  let findings: readonly Finding[] = [];
  beforeAll(async () => {
    findings = await runKnip(scratchWith(knipLaws));
  }, 60_000);

  test.each(named(knipLaws))('%s', (_, law) => expectFound(findings, law));

  test('nothing else', () => {
    const expected = knipLaws.flatMap((law) => found(findings, law).map(() => law.path));
    expect(findings.map(({ path }) => path).toSorted()).toEqual(expected.toSorted());
  });
});

describe('the house finds', () => {
  test.each(houseLaws.map((one) => [one.law, one] as const))('a breach of: %s', (_, { rule, broken, kept }) => {
    for (const file of broken) expect(rule(file), file.text).not.toEqual([]);
    for (const file of kept) expect(rule(file), file.text).toEqual([]);
  });

  test('what a page would pull in at run time through other files', () => {
    const files = [
      { path: 'src/renderer/a.ts', text: `import { b } from '../shared/b.ts';\nimport type { Z } from 'zod';\n` },
      { path: 'src/shared/b.ts', text: `export { c } from './c.ts';\nexport type { E } from './e.ts';\n` },
      { path: 'src/shared/c.ts', text: `import { type Z } from 'zod';\n` },
      { path: 'src/shared/e.ts', text: `import 'node:fs';\n` },
    ];
    expect(forbiddenReaches(files, 'src/renderer', pageForbids)).toEqual([
      'src/renderer/a.ts → src/shared/b.ts → src/shared/c.ts → zod',
    ]);
    expect(forbiddenReaches(files.slice(0, 2), 'src/renderer', pageForbids)).toEqual([]);
  });

  test('decisions without a number, or that no page links to', () => {
    const docs = ['docs/adr/0001-a.md', 'docs/adr/0003-b.md', 'docs/adr/0003-c.md'].map((path) => ({ path, text: '' }));
    expect(decisionProblems([...docs, { path: 'docs/adr/README.md', text: '0001-a.md 0003-b.md' }])).toEqual([
      'docs/adr/0003-b.md: its number is not 2',
      'docs/adr/0003-c.md: no page of docs links to it',
    ]);
  });
});

describe('the tree keeps the law:', () => {
  const files = readRealTree();

  test.each(houseLaws.map(({ law, rule }) => [law, rule] as const))('%s', (_, rule) => {
    expect(files.flatMap((file) => rule(file).map((problem) => `${file.path}: ${problem}`))).toEqual([]);
  });

  test.each(['src/renderer', 'src/preload'])(
    '%s pulls in no zod, no Node and no contract, through any file',
    (layer) => {
      expect(forbiddenReaches(files, layer, pageForbids)).toEqual([]);
    },
  );

  test('every decision has a number and a page that links to it', () => {
    expect(decisionProblems(files.filter(({ path }) => path.startsWith('docs/')))).toEqual([]);
  });

  test.each([
    ['shared', 'DOM and no Node', /\/lib\.dom|@types\/node\//],
    ['engine', 'DOM', /\/lib\.dom/],
    ['peers', 'DOM', /\/lib\.dom/],
    ['main', 'DOM', /\/lib\.dom/],
    ['renderer', 'Node', /@types\/node\//],
  ])('what src/%s compiles against has no %s', async (layer, _, forbidden) => {
    const read = await listTscFiles(projectRoot, layer);
    expect(read.some((path) => path.startsWith(`src/${layer}/`))).toBe(true);
    expect(read.filter((path) => forbidden.test(path))).toEqual([]);
  });
});
