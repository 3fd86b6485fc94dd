/**
 * Violations inside files: ambient time and randomness, raw IPC, names, shape, tests, accessibility.
 * Law: one file breaks one law.
 */
import { type PlantedLaw, plantLines, plantRule } from './planted-law.ts';

const ambientGlobals = [
  'setTimeout(run, 1);',
  'setInterval(run, 1);',
  'setImmediate(run);',
  'performance.now();',
  'crypto.subtle;',
];
const ambientProperties = [
  'Date.now();',
  'Math.random();',
  'crypto.randomUUID();',
  'crypto.getRandomValues(new Uint8Array(1));',
  'process.hrtime();',
  'process.nextTick(run);',
  'AbortSignal.timeout(1);',
  'nodeCrypto.randomBytes(8);',
  'globalThis.crypto;',
  'globalThis.performance;',
  'globalThis.setImmediate(run);',
  'globalThis.setInterval(run, 1);',
  'globalThis.setTimeout(run, 1);',
];
const noAmbient = { rule: 'plugin', says: 'no-ambient: ' };

const ambient: PlantedLaw[] = ['src/engine', 'src/engine/work/local', 'src/shared/protocol'].flatMap((folder) => [
  plantLines(
    `${folder}: no ambient timer`,
    `${folder}/ambient-globals.ts`,
    { rule: 'lint/style/noRestrictedGlobals' },
    ambientGlobals,
  ),
  plantLines(
    `${folder}: no ambient time or randomness`,
    `${folder}/ambient-properties.ts`,
    { rule: 'lint/nursery/noJsRestrictedProperties' },
    ambientProperties,
  ),
  plantLines(`${folder}: no ambient time in new Date()`, `${folder}/ambient-date.ts`, noAmbient, [
    'export const now = new Date();',
    'export const text = Date();',
  ]),
  plantLines(`${folder}: no ambient source under an imported name`, `${folder}/ambient-imports.ts`, noAmbient, [
    `import { setTimeout } from 'node:timers';`,
    `import { setTimeout as pause } from 'node:timers/promises';`,
    `import { createHash, randomBytes } from 'node:crypto';`,
    `import { generateKeyPairSync } from 'node:crypto';`,
    `import { performance } from 'node:perf_hooks';`,
    `import { randomBytes as draw } from '@noble/hashes/utils.js';`,
    `import { env } from 'node:process';`,
  ]),
  plantLines(
    `${folder}: no ambient environment`,
    `${folder}/ambient-environment.ts`,
    { rule: 'lint/style/noProcessEnv' },
    [`export const home = process.env['HOME'];`],
  ),
]);

const noRawIpc = { rule: 'plugin', says: 'no-raw-ipc: ' };

const ipc: PlantedLaw[] = ['src/main', 'src/main/window', 'src/renderer', 'src/engine'].map((folder) => ({
  ...plantLines(`raw ipc: none in ${folder}`, `${folder}/raw-ipc.ts`, noRawIpc, [
    `import { ipcMain } from 'electron';`,
    `import { ipcRenderer as raw } from 'electron';`,
    `import * as electron from 'electron';`,
    `export const all = [ipcMain, raw];`,
    'electron.ipcMain.handle();',
    'electron.ipcRenderer.send();',
  ]),
  lines: [1, 2, 4, 5, 6],
}));

// Lies over the control's own composition root.
const ipcInRoot = plantLines('raw ipc: none called in the composition root', 'src/main/main.ts', noRawIpc, [
  `import { ipcMain } from 'electron';`,
  'ipcMain.handle();',
  'run(ipcMain);',
]);

const repeated = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

const tangled = `export function tangled(a: number, b: number): number {
  for (let i = 0; i < a; i++) {
    if (i > b) {
      for (let j = 0; j < b; j++) {
        if (j > i && i > 1) {
          if (j % 2 === 0 || i % 2 === 0) return i;
          while (j < a) j++;
        }
      }
    }
  }
  return a > b ? a : b;
}`;

const shape: PlantedLaw[] = [
  plantRule('no default export', 'src/engine/default-export.ts', 'lint/style/noDefaultExport', 'export default 1;'),
  plantRule(
    'no barrel',
    'src/engine/ports/all.ts',
    'lint/performance/noBarrelFile',
    `export { clock } from './clock.ts';`,
  ),
  plantRule(
    'no re-export of everything',
    'src/engine/ports/every.ts',
    'lint/performance/noReExportAll',
    `export * from './clock.ts';`,
  ),
  plantRule(
    'file names are kebab-case',
    'src/engine/BadName.ts',
    'lint/style/useFilenamingConvention',
    'export const a = 1;',
  ),
  plantRule('no any', 'src/engine/any.ts', 'lint/suspicious/noExplicitAny', 'export const a = (b: any): unknown => b;'),
  plantRule(
    'no non-null assertion',
    'src/engine/bang.ts',
    'lint/style/noNonNullAssertion',
    'export const a = (b?: string): string => b!;',
  ),
  plantRule(
    'types are imported as types',
    'src/peers/value-type.ts',
    'lint/style/useImportType',
    `import { Stats } from 'node:fs';\n\nexport type A = Stats;`,
  ),
  plantRule(
    'no unused import',
    'src/peers/unused-import.ts',
    'lint/correctness/noUnusedImports',
    `import { sep } from 'node:path';`,
  ),
  plantRule('no unused variable', 'src/peers/unused-variable.ts', 'lint/correctness/noUnusedVariables', 'const a = 1;'),
  plantRule('no console in src', 'src/peers/console.ts', 'lint/suspicious/noConsole', `console.log('x');`),
  plantRule('no namespace', 'src/engine/namespace.ts', 'lint/style/noNamespace', 'export namespace a {}'),
  plantRule(
    'at most three parameters',
    'src/engine/parameters.ts',
    'lint/complexity/useMaxParams',
    'export const f = (a: 1, b: 1, c: 1, d: 1) => a + b + c + d;',
  ),
  plantRule('no tangled function', 'src/engine/tangled.ts', 'lint/complexity/noExcessiveCognitiveComplexity', tangled),
  plantRule(
    'no file over 400 lines',
    'src/engine/long-file.ts',
    'lint/style/noExcessiveLinesPerFile',
    repeated(401, (i) => `export const a${i} = ${i};`),
  ),
  plantRule(
    'no function over 200 lines with all that it nests',
    'src/engine/long-function.ts',
    'lint/complexity/noExcessiveLinesPerFunction',
    `export function f(): void {\n${repeated(201, () => '  f();')}\n}`,
  ),
  plantRule(
    'no promise is left alone',
    'src/engine/floating.ts',
    'lint/nursery/noFloatingPromises',
    'async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}',
  ),
  plantRule(
    'a switch names every case of its union',
    'src/engine/switch.ts',
    'lint/nursery/useExhaustiveSwitchCases',
    `export function f(kind: 'a' | 'b'): void {\n  switch (kind) {\n    case 'a':\n      f('b');\n  }\n}`,
  ),
  plantRule(
    'imports name the file with its extension',
    'src/engine/extension.ts',
    'lint/correctness/useImportExtensions',
    `import { clock } from './ports/clock';\n\nexport const a = clock;`,
  ),
  plantRule(
    'the engine ends no process of its own',
    'src/engine/exit.ts',
    'lint/nursery/noProcessExit',
    'export const end = () => process.exit(1);',
  ),
  plantLines(
    'the preload uses no Node global',
    'src/preload/node-globals.ts',
    { rule: 'lint/style/noRestrictedGlobals' },
    [
      `Buffer.from('x');`,
      'process.pid;',
      `require('x');`,
      'setImmediate(run);',
      'global.x;',
      'run(__dirname);',
      'run(__filename);',
    ],
  ),
  plantRule(
    'the page reads no environment',
    'src/renderer/environment.ts',
    'lint/style/noProcessEnv',
    'export const a = process.env;',
  ),
  plantRule(
    'controls are real ones',
    'src/renderer/ui/fake-button.tsx',
    'lint/a11y/noStaticElementInteractions',
    'export const FakeButton = () => <div onClick={() => undefined}>x</div>;',
  ),
  plantRule(
    'buttons say what they do to a form',
    'src/renderer/ui/bare-button.tsx',
    'lint/a11y/useButtonType',
    'export const BareButton = () => <button>x</button>;',
  ),
  plantRule(
    'hooks run on every render',
    'src/renderer/ui/late-hook.tsx',
    'lint/correctness/useHookAtTopLevel',
    `import { useState } from 'react';\n\nexport function LateHook({ is }: { readonly is: boolean }) {\n  if (is) useState(1);\n  return null;\n}`,
  ),
  plantRule(
    'no focused test',
    'src/engine/focused.test.ts',
    'lint/suspicious/noFocusedTests',
    `import { test } from 'vitest';\n\ntest.only('x', () => {});`,
  ),
  plantRule(
    'no skipped test',
    'src/engine/skipped.test.ts',
    'lint/suspicious/noSkippedTests',
    `import { test } from 'vitest';\n\ntest.skip('x', () => {});`,
  ),
  plantRule(
    'no sleeping in end-to-end tests',
    'e2e/sleep.test.ts',
    'lint/suspicious/noPlaywrightWaitForTimeout',
    `import { test } from '@playwright/test';\n\ntest('x', async ({ page }) => {\n  await page.waitForTimeout(100);\n});`,
  ),
  plantRule(
    'a suppression names its reason',
    'src/engine/silent.ts',
    'suppressions/parse',
    '// biome-ignore lint/suspicious/noExplicitAny\nexport const a = (b: any): unknown => b;',
  ),
  plantRule(
    'a suppression suppresses something',
    'src/engine/idle.ts',
    'suppressions/unused',
    '// biome-ignore lint/suspicious/noExplicitAny: it was needed once\nexport const a = 1;',
  ),
  plantRule('sources are formatted', 'src/engine/format.ts', 'format', 'export const a = "x"'),
  plantRule(
    'imports are sorted',
    'src/peers/unsorted.ts',
    'assist/source/organizeImports',
    `import { sep } from 'node:path';\nimport { EOL } from 'node:os';\n\nexport const a = sep + EOL;`,
  ),
  plantRule('style sheets are formatted', 'src/renderer/ui/format.css', 'format', '.a{color:red}'),
  plantRule(
    'style sheets are checked',
    'src/renderer/ui/wrong.css',
    'lint/correctness/noUnknownProperty',
    '.a {\n  colour: red;\n}',
  ),
  {
    ...plantRule(
      'no module mock',
      'src/engine/mock.test.ts',
      'plugin',
      `import { vi } from 'vitest';\n\nvi.mock('./engine.ts');`,
    ),
    says: 'no-module-mock: ',
  },
];

/** What `biome check` must find inside files. */
export const codeLaws: readonly PlantedLaw[] = [...ambient, ...ipc, { ...ipcInRoot, lines: [2] }, ...shape];
