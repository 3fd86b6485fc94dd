import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

/** Oldest runtime that we run on: Electron 33 = Node 20.18, Chromium 130 (docs/adr/0005-electron-runtime-fallback.md). */
const nodeTarget = 'node20.18';
const chromiumTarget = 'chrome130';

export default defineConfig({
  main: {
    build: {
      target: nodeTarget,
      outDir: 'out',
      emptyOutDir: false,
      externalizeDeps: true,
      rollupOptions: {
        // The app and the headless peers share their engine chunks: one build, two folders.
        input: {
          'main/main': 'src/main/main.ts',
          'peers/worker': 'src/peers/worker.ts',
          'peers/vak': 'src/peers/vak.ts',
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
