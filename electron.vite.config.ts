import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';

/** Oldest runtime that we run on: Electron 33 = Node 20.18, Chromium 130 (docs/adr/0005-electron-runtime-fallback.md). */
const nodeTarget = 'node20.18';
const chromiumTarget = 'chrome130';

/** Files of types alone, which are the library's types as they stand: they import nothing but each other. */
const libraryTypes = ['src/peers/library/queue-api.ts', 'src/peers/library/library-api.ts'];

/** Puts the types of the library beside it, in one file. What a part does not export stays its own. */
const libraryTypesPlugin: Plugin = {
  name: 'library-types',
  async generateBundle() {
    const parts = await Promise.all(libraryTypes.map((path) => readFile(path, 'utf8')));
    const own = parts.map((text) =>
      text.replaceAll(/^(?:import|export) type \{[^}]*\} from '\.\/[\w-]+\.ts';\n+/gm, ''),
    );
    const source = `${own.join('\n')}\nexport {};\n`;
    this.emitFile({ type: 'asset', fileName: 'peers/library.d.ts', source });
  },
};

/**
 * Packages that are built into the programs: to find and load their many files takes longer than most commands do. What has native
 * parts stays outside.
 */
const { builtIntoPrograms } = JSON.parse(await readFile('package.json', 'utf8')) as { builtIntoPrograms: string[] };

export default defineConfig({
  main: {
    plugins: [libraryTypesPlugin],
    build: {
      target: nodeTarget,
      outDir: 'out',
      emptyOutDir: false,
      externalizeDeps: { exclude: builtIntoPrograms },
      rollupOptions: {
        // The app and the headless peers share their engine chunks: one build, two folders.
        input: {
          'main/main': 'src/main/main.ts',
          'peers/worker': 'src/peers/worker.ts',
          'peers/vak': 'src/peers/vak.ts',
          'peers/library': 'src/peers/library.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      target: nodeTarget,
      outDir: 'out/preload',
      // A sandboxed preload script can require no chunk: each is whole in itself.
      isolatedEntries: true,
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: 'src/preload/preload.ts', 'secret-entry': 'src/preload/secret-entry.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react()],
    build: {
      target: chromiumTarget,
      outDir: 'out/renderer',
      // Loaded whole at each start: 40 % of the bytes, and what they say is in the sources.
      minify: true,
      chunkSizeWarningLimit: 2_000,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: {
          index: resolve('src/renderer/index.html'),
          secretEntry: resolve('src/renderer/secret-entry.html'),
        },
      },
    },
  },
});
