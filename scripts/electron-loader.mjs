// Runs inside the stand-in Electron, which has no default app: loads the app whose path is given on the command line,
// as `electron <path>` does. Set-up copies it to resources/app of that runtime. It never ships.
import { readFileSync } from 'node:fs';
import { Module } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

/** The app's path (the first argument that is no option) and the modules to load before it (`-r`, as Playwright gives). */
function readCommandLine(args) {
  const modules = [];
  for (let index = 0; index < args.length; index += 1) {
    if (args[index] === '-r' || args[index] === '--require') {
      index += 1;
      modules.push(args[index]);
    } else if (!args[index].startsWith('-')) {
      return { appPath: resolve(args[index]), modules };
    }
  }
  return { appPath: undefined, modules };
}

async function load({ appPath, modules }) {
  if (!appPath) throw new Error('no app path on the command line: electron <path of the app> [arguments]');
  Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true });
  if (modules.length > 0) Module._preloadModules(modules);
  const description = JSON.parse(readFileSync(resolve(appPath, 'package.json'), 'utf8'));
  if (description.version) app.setVersion(description.version);
  app.name = description.productName ?? description.name ?? app.name;
  app.setDesktopName(description.desktopName ?? `${app.name}.desktop`);
  app.setAppPath(appPath);
  await import(pathToFileURL(resolve(appPath, description.main ?? 'index.js')).href);
}

try {
  await load(readCommandLine(process.argv.slice(1)));
} catch (error) {
  console.error('the app threw an error while it was loaded');
  console.error(error?.stack ?? error);
  app.exit(1);
}
