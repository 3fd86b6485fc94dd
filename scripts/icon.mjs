// `node scripts/icon.mjs`: draws build/icon.svg in every size that packages and the window want, with the Electron of set-up.
// The pictures are committed; this is run again when the drawing has changed.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isStartedScript, ownProjectRoot, placeFile } from './files.mjs';
import { electronEnv, needsVirtualDisplay, rootSandbox, runInForeground } from './foreground.mjs';
import { runMain, say } from './report.mjs';
import { setUp } from './set-up.mjs';

/** Each picture and its width and height in pixels; build/icons holds what Linux shows, icon.png is what macOS converts. */
export const iconSizes = Object.freeze({
  ...Object.fromEntries([16, 24, 32, 48, 64, 128, 256, 512].map((size) => [`build/icons/${size}x${size}.png`, size])),
  'build/icon.png': 1024,
  // The window's own, beside its pages.
  'src/renderer/public/icon.png': 256,
});

/** Starts an app that is nothing but an empty page. */
async function openBlankPage({ executable, origin }, folder) {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'icon', main: 'main.cjs' }));
  const main = "const { app, BrowserWindow } = require('electron');";
  const open = "app.whenReady().then(() => new BrowserWindow({ show: false }).loadURL('about:blank'));";
  await writeFile(join(folder, 'main.cjs'), `${main}\n${open}\n`);
  // Named to Playwright directly, it would leave out its loader and race with the app.
  if (origin === 'fallback') process.env.ELECTRON_OVERRIDE_DIST_PATH = dirname(executable);
  const { _electron } = await import('playwright');
  const sandbox = rootSandbox();
  const args = [...(sandbox?.args ?? []), folder, `--user-data-dir=${join(folder, 'profile')}`];
  return await _electron.launch({ args, env: electronEnv(process.env, sandbox?.env) });
}

/** The drawing as a PNG file of that size. */
async function draw(page, svg, size) {
  const url = await page.evaluate(
    async ({ source, edge }) => {
      const image = new Image(edge, edge);
      image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: edge, height: edge });
      canvas.getContext('2d').drawImage(image, 0, 0, edge, edge);
      return canvas.toDataURL('image/png');
    },
    // Without a size of its own the drawing would be made at a small one, and then enlarged.
    { source: svg.replace('<svg ', `<svg width="${size}" height="${size}" `), edge: size },
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

async function drawAll() {
  const { electron } = await setUp({ need: 'runtime' });
  const svg = await readFile(join(ownProjectRoot, 'build', 'icon.svg'), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'vak-icon-'));
  try {
    const app = await openBlankPage(electron, folder);
    try {
      const page = await app.firstWindow();
      for (const [file, size] of Object.entries(iconSizes)) {
        await placeFile(join(ownProjectRoot, file), await draw(page, svg, size));
        say('icon', file);
      }
    } finally {
      await app.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (isStartedScript(import.meta.url)) {
  await runMain(async () => {
    if (!needsVirtualDisplay()) return await drawAll();
    await setUp({ need: 'start' });
    const [command, script] = process.argv;
    return await runInForeground({ command, args: [script], cwd: ownProjectRoot, isVirtual: true });
  });
}
