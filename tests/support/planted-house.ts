/**
 * Texts that break the laws which only the house's own checks know.
 * Law: each is refused by exactly the rule that it stands under.
 */
import {
  type FileRule,
  fileLengthRule,
  fileNameRule,
  headerRule,
  honestTestRule,
  moduleStateRule,
  type SourceFile,
  suppressionRule,
  typeNameRule,
  unfinishedRule,
} from './house-rules.ts';
import { spelled } from './planted-law.ts';
import { functionLengthRule } from './source-graph.ts';

/** A law of the house, texts that break it, and texts that come close and keep it. */
export interface HouseLaw {
  readonly law: string;
  readonly rule: FileRule;
  readonly broken: readonly SourceFile[];
  readonly kept: readonly SourceFile[];
}

const file = (path: string, text: string): SourceFile => ({ path, text });
const lines = (count: number, line: string): string => `${line}\n`.repeat(count);
export const houseLaws: readonly HouseLaw[] = [
  {
    law: 'every file of shared and engine begins with what it is and the law that it keeps',
    rule: headerRule,
    broken: [
      file('src/shared/a.ts', 'export const a = 1;\n'),
      file('src/engine/a.ts', '/** Something. */\nexport const a = 1;\n'),
      file('src/engine/a.ts', '// Law: none.\nexport const a = 1;\n'),
      file('src/engine/a.ts', `/**\n${lines(7, ' * Law: long.')} */\n`),
    ],
    kept: [
      file('src/engine/a.ts', '/**\n * A.\n * Law: b.\n */\n'),
      file('src/engine/a.test.ts', 'a();\n'),
      file('src/main/a.ts', 'a();\n'),
    ],
  },
  {
    law: 'no file is longer than 400 lines',
    rule: fileLengthRule,
    broken: [file('src/renderer/ui/a.css', lines(401, 'a'))],
    kept: [file('src/renderer/ui/a.css', lines(400, 'a'))],
  },
  {
    law: 'no function is longer than 50 lines of its own',
    rule: functionLengthRule,
    broken: [
      file('src/engine/a.ts', `export function a() {\n${lines(49, '  a();')}}\n`),
      file('src/renderer/a.tsx', `export const A = () => {\n${lines(49, '  <b />;')}};\n`),
      file('scripts/a.mjs', `const a = { b() {\n${lines(49, '  a.b();')}} };\n`),
    ],
    kept: [
      file('src/engine/a.ts', `function a() {\n${lines(48, '  a();')}}\n`),
      file('src/engine/a.ts', `function a() {\n${lines(3, `  const b = () => {\n${lines(30, '    a();')}  };`)}}\n`),
    ],
  },
  {
    law: 'no file is named for nothing',
    rule: fileNameRule,
    broken: ['utils.ts', 'types.ts', 'helpers.ts', 'index.ts', 'common.test.ts'].map((name) =>
      file(`src/engine/${name}`, ''),
    ),
    kept: [file('src/engine/type-of-subject.ts', ''), file('src/renderer/index.html', '')],
  },
  {
    law: 'types carry no I before and no Impl behind',
    rule: typeNameRule,
    broken: [file('src/engine/a.ts', 'export interface IBus {\n}\n'), file('src/engine/a.ts', 'class BusImpl {}\n')],
    kept: [file('src/engine/a.ts', 'export interface Item {\n}\ntype Implied = 1;\n')],
  },
  {
    law: 'no state at module level',
    rule: moduleStateRule,
    broken: [file('src/engine/a.ts', 'let count = 0;\n'), file('src/renderer/a.ts', 'export let count = 0;\n')],
    kept: [
      file('src/engine/a.ts', 'const a = 1;\nfunction b() {\n  let c = 0;\n}\n'),
      file('scripts/a.mjs', 'let a = 0;\n'),
    ],
  },
  {
    law: 'every suppression gives its reason',
    rule: suppressionRule,
    broken: [
      file('src/engine/a.ts', spelled('// biome-~ignore lint/a/b: x\n')),
      file('src/engine/a.ts', spelled('// @ts-~expect-error\n')),
      file('src/renderer/a.tsx', spelled('{/* biome-~ignore lint/a/b: no */}\n')),
      file('src/engine/a.ts', spelled('// @ts-~ignore because the types are wrong\n')),
    ],
    kept: [
      file('src/engine/a.ts', spelled('// biome-~ignore lint/a/b: the wire format names it so\n')),
      file('src/engine/a.ts', spelled('// @ts-~expect-error the types of the library lack it\n')),
    ],
  },
  {
    law: 'nothing is left for later',
    rule: unfinishedRule,
    broken: [file('docs/a.md', spelled('TO~DO: write this\n')), file('src/engine/a.ts', spelled('// FIX~ME later\n'))],
    kept: [file('docs/a.md', 'Todos are lists of things.\n')],
  },
  {
    law: 'no test is skipped, focused, expected to fail or tried again',
    rule: honestTestRule,
    broken: [
      'test.~skip(',
      'it.~only(',
      'describe.~todo(',
      'test.~skipIf(',
      'test.~fixme(',
      'test.concurrent.~fails(',
      're~tries: 2',
    ].map((text) => file('e2e/a.test.ts', `  ${spelled(text)}\n`)),
    kept: [file('vitest.config.ts', 'retry: 0,\n'), file('e2e/a.test.ts', 'test.each(all)\n')],
  },
];
