/**
 * A small workbench that keeps every law and uses everything that each layer may use.
 * Law: no checker finds anything here, so that what it finds beside it was planted.
 */
import type { Tree } from './scratch-tree.ts';

const stub = (name: string, entry: string): Tree => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({
    name,
    version: '1.0.0',
    type: 'module',
    exports: { [entry]: './entry.d.ts' },
  }),
  [`node_modules/${name}/entry.d.ts`]: 'export declare const entry: string;\n',
});

/** Stand for the packages that only one layer may use, whether the real ones are installed or not. */
const stubs: Tree = {
  ...stub('nats', '.'),
  ...stub('nkeys.js', '.'),
  ...stub('@noble/hashes', './sha2.js'),
  ...stub('classic-level', '.'),
  ...stub('lossless-json', '.'),
  ...stub('hdr-histogram-js', '.'),
};

const dependencies = {
  '@noble/hashes': '1.0.0',
  'classic-level': '1.0.0',
  'hdr-histogram-js': '1.0.0',
  'lossless-json': '1.0.0',
  nats: '1.0.0',
  'nkeys.js': '1.0.0',
  react: '1.0.0',
  'react-dom': '1.0.0',
  zod: '1.0.0',
};

const devDependencies = {
  '@biomejs/biome': '1.0.0',
  '@types/node': '1.0.0',
  '@types/react': '1.0.0',
  '@types/react-dom': '1.0.0',
  '@vitejs/plugin-react': '1.0.0',
  '@vitest/coverage-v8': '1.0.0',
  electron: '1.0.0',
  'electron-vite': '1.0.0',
  knip: '1.0.0',
  typescript: '1.0.0',
  vite: '1.0.0',
  vitest: '1.0.0',
};

/** The package file, with packages that nothing uses added on demand. */
export function controlPackage(unused: Readonly<Record<string, string>> = {}): string {
  const scripts = { check: 'biome check . && knip && tsc -p tsconfig.shared.json', test: 'vitest run' };
  const all = { name: 'scratch', version: '1.0.0', private: true, type: 'module', main: 'out/main/main.js', scripts };
  return `${JSON.stringify({ ...all, dependencies: { ...dependencies, ...unused }, devDependencies }, null, 2)}\n`;
}

/** A file that imports each of `specifiers`, given in the order that the house sorts them. */
function using(head: string, name: string, specifiers: readonly string[]): string {
  const imports = specifiers.map((specifier, index) => `import * as m${index} from '${specifier}';\n`);
  return `${head}${imports.join('')}\nexport const ${name} = [${specifiers.map((_, index) => `m${index}`).join(', ')}].length;\n`;
}

const sharedText = 'shared/base/text.ts';

const shared: Tree = {
  'src/shared/base/text.ts': `/** Text. Law: total. */
export function shout(text: string): string {
  return text.toUpperCase();
}
`,
  'src/shared/protocol/payloads.ts': `/** Payloads. Law: checked. */
import { z } from 'zod';
import { shout } from '../base/text.ts';

export const payload = z.string().transform(shout);
export type Payload = z.infer<typeof payload>;
`,
  'src/shared/contract/app-contract.ts': `/** Contract. Law: closed. */
import type { Payload } from '../protocol/payloads.ts';

export interface AppContract {
  readonly payload: Payload;
}

export const contractName = 'app';
`,
};

/** Tests may be long, and spell out what code would have to take apart. */
const longTest = `import { expect, test } from 'vitest';

function sum(a: number, b: number, c: number, d: number): number {
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      for (let k = 0; k < c; k++) {
        for (let l = 0; l < d; l++) {
          if (i + j + k + l > 100) return i;
          if (i > j) return j;
        }
      }
    }
  }
  return a;
}

test('sums', () => {
${'  expect(sum(1, 1, 1, 1)).toBe(1);\n'.repeat(210)}});
`;

const engine: Tree = {
  'src/engine/long.test.ts': longTest,
  'src/engine/ports/clock.ts': `/** Time. Law: the only place that reads it. */
import { randomBytes } from 'node:crypto';

export const clock = {
  now: () => Date.now() + performance.now() + Math.random(),
  date: () => new Date(),
  token: () => randomBytes(8),
  later: (run: () => void) => setTimeout(run, 5),
};
`,
  'src/engine/engine.ts': `/** Engine. Law: composition only. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { entry as sha } from '@noble/hashes/sha2.js';
import { entry as level } from 'classic-level';
import { entry as histogram } from 'hdr-histogram-js';
import { entry as json } from 'lossless-json';
import { z } from 'zod';
import { shout } from '../shared/base/text.ts';
import { payload } from '../shared/protocol/payloads.ts';
import { natsName } from './bus/nats/nats-bus.ts';
import { keyName } from './identity/key-store.ts';
import { clock } from './ports/clock.ts';

export async function describeEngine(path: string): Promise<string> {
  const hash = createHash('sha256').update(clock.token()).digest('hex');
  const at = new Date(clock.now()).toISOString();
  const names = [sha, level, histogram, json, natsName, keyName, hash, at, process.platform, payload.parse('x'), z];
  return shout(\`\${names.join()}\${await readFile(path, 'utf8')}\`);
}
`,
  'src/engine/bus/nats/nats-bus.ts': using('/** Bus. Law: nats stays here. */\n', 'natsName', [
    'node:fs/promises',
    'node:os',
    '@noble/hashes/sha2.js',
    'lossless-json',
    'nats',
    'nkeys.js',
    'zod',
    `../../../${sharedText}`,
    './nats-name.ts',
  ]),
  'src/engine/bus/nats/nats-name.ts': `/** Name. Law: short. */\nexport const shortName = 'nats';\n`,
  'src/engine/identity/key-store.ts': using('/** Keys. Law: nkeys.js stays here. */\n', 'keyName', [
    'node:fs/promises',
    'node:os',
    '@noble/hashes/sha2.js',
    'classic-level',
    'lossless-json',
    'nkeys.js',
    'zod',
    `../../${sharedText}`,
    './key-name.ts',
  ]),
  'src/engine/identity/key-name.ts': `/** Name. Law: short. */\nexport const shortName = 'key';\n`,
  'src/engine/engine.test.ts': `import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeEngine } from './engine.ts';

test('tells what it is', async () => {
  await pause(Date.now() % 2);
  await expect(describeEngine(randomUUID())).rejects.toThrow();
});
`,
};

const programs: Tree = {
  'src/peers/worker.ts': `import { describeEngine } from '../engine/engine.ts';
import { shout } from '../shared/base/text.ts';
import { workerUses } from './worker-config.ts';

process.stdout.write(\`\${workerUses}\`);
process.stdout.write(shout(await describeEngine(process.env['VAK_FILE'] ?? 'none')));
`,
  'src/peers/worker-config.ts': using('', 'workerUses', ['node:fs/promises', 'node:os', 'zod', `../${sharedText}`]),
  'src/main/app-paths.ts': using('', 'pathUses', [
    'node:fs/promises',
    'node:os',
    'electron',
    'electron/main',
    'zod',
    `../${sharedText}`,
  ]),
  'src/main/bridge/server.ts': `import { type IpcMain, type IpcMainInvokeEvent, ipcMain } from 'electron';
import { contractName } from '../../shared/contract/app-contract.ts';

export function serve(ipc: IpcMain, answer: (event: IpcMainInvokeEvent) => string): void {
  ipc.handle(contractName, answer);
  ipcMain.removeHandler('none');
}
`,
  'src/main/main.ts': `import { join } from 'node:path';
import { app, ipcMain } from 'electron';
import { describeEngine } from '../engine/engine.ts';
import { shout } from '../shared/base/text.ts';
import { pathUses } from './app-paths.ts';
import { serve } from './bridge/server.ts';

await app.whenReady();
const text = await describeEngine(join(app.getAppPath(), 'package.json'));
serve(ipcMain, () => shout(text + pathUses));
`,
  'src/preload/preload.ts': `import { contextBridge, ipcRenderer } from 'electron';
import type { AppContract } from '../shared/contract/app-contract.ts';

contextBridge.exposeInMainWorld('vak', (): Promise<AppContract> => ipcRenderer.invoke('app'));
`,
};

const renderer: Tree = {
  'src/renderer/index.html': `<!doctype html>
<html lang="en">
  <body>
    <div id="root"></div>
    <script type="module" src="./renderer.tsx"></script>
  </body>
</html>
`,
  'src/renderer/renderer.tsx': `import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './ui/base.css';

const place = document.getElementById('root');
if (place !== null) createRoot(place).render(<App />);
`,
  'src/renderer/app.tsx': `import { AlphaView } from './features/alpha/alpha-view.tsx';
import { BetaView } from './features/beta/beta-view.tsx';

export function App() {
  return (
    <main>
      <AlphaView contract={{ payload: 'x' }} />
      <BetaView />
    </main>
  );
}
`,
  'src/renderer/contract.test.ts': `import { expect, test } from 'vitest';
import { contractName } from '../shared/contract/app-contract.ts';

test('has a name', () => expect(contractName).toBe('app'));
`,
  'src/renderer/features/alpha/alpha-view.tsx': `import { useState } from 'react';
import { shout } from '../../../shared/base/text.ts';
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { Payload } from '../../../shared/protocol/payloads.ts';
import { TextButton } from '../../ui/text-button.tsx';
import { AlphaRow } from './rows/alpha-row.tsx';

export function AlphaView({ contract }: { readonly contract: AppContract }) {
  const [text, setText] = useState<Payload>(contract.payload);
  return (
    <section>
      <AlphaRow text={text} />
      <TextButton label="Louder" onPress={() => setText(shout(text))} />
    </section>
  );
}
`,
  'src/renderer/features/alpha/rows/alpha-row.tsx': `import { TextButton } from '../../../ui/text-button.tsx';

export function AlphaRow({ text }: { readonly text: string }) {
  return <TextButton label={text} onPress={() => undefined} />;
}
`,
  'src/renderer/features/beta/beta-view.tsx': `export function BetaView() {
  return <p>Beta</p>;
}
`,
  'src/renderer/ui/text-button.tsx': `export function TextButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  return (
    <button type="button" onClick={onPress}>
      {label}
    </button>
  );
}
`,
  'src/renderer/ui/base.css': `.button {
  color: var(--ink);
}
`,
};

/** What the configuration of vitest names. */
const support: Tree = {
  'tests/support/cheap-passphrase-cost.ts':
    'export const cheapPassphrases = (root: string) => ({ find: /x/, replacement: root });\n',
  'tests/support/test-run-folder.ts': 'export const setup = (): void => undefined;\n',
};

/** The sources and stubs, without the package file. */
export const controlTree: Tree = { ...stubs, ...shared, ...engine, ...programs, ...renderer, ...support };
