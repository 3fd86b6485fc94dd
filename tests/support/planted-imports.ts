/**
 * Violations of what a folder may import: layers, types only, features, cycles.
 * Law: every row of the table in docs/architecture.md §1 stands here, in each way that an import can be written.
 */
import { dirname, posix } from 'node:path';
import { type PlantedLaw, plantLines, slug } from './planted-law.ts';

type Walls = Readonly<Record<string, readonly string[]>>;

const entries: Readonly<Record<string, string>> = {
  engine: 'src/engine/engine.ts',
  peers: 'src/peers/worker.ts',
  main: 'src/main/main.ts',
  preload: 'src/preload/preload.ts',
  renderer: 'src/renderer/app.tsx',
  'the contract': 'src/shared/contract/app-contract.ts',
  'the payload schemas': 'src/shared/protocol/payloads.ts',
  'shared values': 'src/shared/base/text.ts',
};

function specifierOf(from: string, target: string): string {
  const entry = entries[target];
  if (entry === undefined) return target;
  const way = posix.relative(dirname(from), entry);
  return way.startsWith('.') ? way : `./${way}`;
}

/** Imports a module in each way that there is: as a type, as a value, by re-export, by call. */
function reach(specifier: string): string {
  return `import type { A } from '${specifier}';
import { b } from '${specifier}';
export { c } from '${specifier}';
export const d = (): Promise<A> => import('${specifier}').then(b);
`;
}

/** Folder → what it never imports, not even as a type. */
const walls: Walls = {
  'src/shared': [
    'electron',
    'node:fs',
    'react',
    'nats',
    '@noble/hashes/sha2.js',
    'engine',
    'peers',
    'main',
    'preload',
    'renderer',
  ],
  'src/engine': ['electron', 'react', 'nats', 'nkeys.js', 'peers', 'main', 'preload', 'renderer'],
  'src/engine/bus/nats': ['electron', 'react', 'peers', 'main', 'preload', 'renderer'],
  'src/engine/identity': ['electron', 'react', 'nats', 'peers', 'main', 'preload', 'renderer'],
  'src/engine/work/local': ['electron', 'nats', 'nkeys.js', 'peers', 'main', 'preload', 'renderer'],
  'src/peers': ['electron', 'react', 'nats', 'main', 'preload', 'renderer'],
  'src/main': ['react', 'nats', 'peers', 'preload', 'renderer'],
  'src/main/bridge': ['react', 'nats', 'peers', 'preload', 'renderer'],
  'src/preload': ['node:fs', 'react', 'zod', 'engine', 'peers', 'main', 'renderer'],
  'src/renderer': ['electron', 'node:fs', 'nats', 'engine', 'peers', 'main', 'preload'],
  'src/renderer/features/alpha': ['electron', 'node:fs', 'nats', 'engine', 'peers', 'main', 'preload'],
};

const testWalls: Walls = {
  'src/shared': ['electron', 'electron/main', 'main', 'preload', 'renderer'],
  'src/engine': ['electron', 'main', 'preload', 'renderer'],
  'src/peers': ['electron', 'main', 'preload', 'renderer'],
  'src/main': ['preload', 'renderer'],
  'src/renderer': ['electron', 'electron/renderer', 'engine', 'peers', 'main'],
};

function plantWalls(all: Walls, ending: string, who: (folder: string) => string): PlantedLaw[] {
  return Object.entries(all).flatMap(([folder, targets]) =>
    targets.map((target) => {
      const path = `${folder}/wall-to-${slug(target)}${ending}`;
      const source = reach(specifierOf(path, target));
      const rule = 'lint/style/noRestrictedImports';
      return { law: `${who(folder)} import no ${target}`, path, source, rule, says: 'layer: ', lines: [1, 2, 3, 4] };
    }),
  );
}

function plantTypesOnly(folder: string, target: string, says: string): PlantedLaw {
  const path = `${folder}/value-of-${slug(target)}.ts`;
  const specifier = specifierOf(path, target);
  const source = `import '${specifier}';
import { type B } from '${specifier}';
import { c, type D } from '${specifier}';
import e from '${specifier}';
import * as f from '${specifier}';
export { type G } from '${specifier}';
export const h = (): Promise<B | D> => import('${specifier}').then(c, e, f);
`;
  const law = `${folder} imports ${target} by import type only`;
  return { law, path, source, rule: 'plugin', says, lines: [1, 2, 3, 4, 5, 6, 7] };
}

const featureWalls = { rule: 'plugin', says: 'feature-walls: ' };
const beta = 'beta/beta-view.tsx';

/** What `biome check` must find among imports. */
export const importLaws: readonly PlantedLaw[] = [
  ...plantWalls(walls, '.ts', (folder) => `files of ${folder}`),
  ...plantWalls(testWalls, '.test.ts', (folder) => `tests of ${folder}`),
  ...plantWalls({ 'src/engine': ['electron', 'main'] }, '-laws.ts', () => 'suites of laws in src/engine'),
  plantTypesOnly('src/renderer', 'the contract', 'types-only: '),
  plantTypesOnly('src/renderer/features/alpha', 'the contract', 'types-only: '),
  plantTypesOnly('src/renderer', 'the payload schemas', 'types-only: '),
  plantTypesOnly('src/renderer', 'zod', 'types-only: '),
  plantTypesOnly('src/preload', 'the contract', 'preload-types-only: '),
  plantTypesOnly('src/preload', 'shared values', 'preload-types-only: '),
  plantLines('a feature imports no other feature', 'src/renderer/features/alpha/wall.ts', featureWalls, [
    `import { BetaView } from '../${beta}';`,
    `import type { B } from '../${beta}';`,
    `import { BetaView as C } from '../../features/${beta}';`,
    `export { BetaView } from '../${beta}';`,
    `export const load = (): Promise<B> => import('../${beta}').then(BetaView, C);`,
  ]),
  plantLines(
    'a feature imports no other feature from its folders',
    'src/renderer/features/alpha/rows/wall.ts',
    featureWalls,
    [`import { BetaView } from '../../${beta}';`, `export const load = () => import('../../${beta}').then(BetaView);`],
  ),
  plantLines(
    'a feature imports no other feature from deep inside',
    'src/renderer/features/alpha/rows/cells/wall.ts',
    featureWalls,
    [`export { BetaView } from '../../../${beta}';`],
  ),
  plantLines(
    'what a file depends on stands in its import statements',
    'src/engine/inline-import.ts',
    { rule: 'plugin', says: 'no-import-type-expression: ' },
    [`export type App = import('electron').App;`],
  ),
  {
    law: 'no import cycle',
    path: 'src/engine/cycle-a.ts',
    source: `import { b } from './cycle-b.ts';\n\nexport const a = (): number => b();\n`,
    rule: 'lint/suspicious/noImportCycles',
  },
  {
    law: 'no import cycle of types either',
    path: 'src/engine/cycle-b.ts',
    source: `import type { a } from './cycle-a.ts';\n\nexport const b = (run?: typeof a): number => run?.() ?? 1;\n`,
    rule: 'lint/suspicious/noImportCycles',
  },
  {
    law: 'Node modules are imported as node:',
    path: 'src/main/bare-builtin.ts',
    source: `import { sep } from 'path';\n\nexport const separator = sep;\n`,
    rule: 'lint/style/useNodejsImportProtocol',
  },
];
