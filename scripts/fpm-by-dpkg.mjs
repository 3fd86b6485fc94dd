#!/usr/bin/env node
// Answers electron-builder's call of `fpm -s dir -t deb` with dpkg-deb, where fpm is not to be had: an offline test of the
// .deb (docs/packaging.md). electron-builder starts it by CUSTOM_FPM_PATH. An option that it does not know is an error.
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './child-process.mjs';
import { filesBelow, folderBytes, isStartedScript } from './files.mjs';

const text = { type: 'string' };
const options = {
  ...{ force: { type: 'boolean' }, s: { ...text, short: 's' }, t: { ...text, short: 't' } },
  ...{ d: { ...text, short: 'd', multiple: true }, 'deb-recommends': { ...text, multiple: true } },
  ...{ 'deb-compression': text, 'deb-priority': text, category: text },
  ...{ architecture: text, 'after-install': text, 'after-remove': text, description: text, version: text },
  ...{ package: text, name: text, maintainer: text, vendor: text, url: text, license: text },
};

/** What is asked for: fields of the control file in its order, files to pack as `[from, to]`, scripts, and the package to write. */
export function readFpmArgs(args) {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.s !== 'dir' || values.t !== 'deb')
    throw new Error(`makes a deb of files, not a ${values.t} of ${values.s}`);
  const fields = {
    Package: values.name,
    Version: values.version,
    License: values.license,
    Vendor: values.vendor,
    Architecture: values.architecture,
    Maintainer: values.maintainer,
    Depends: values.d?.join(', '),
    Recommends: values['deb-recommends']?.join(', '),
    Section: values.category ?? 'default',
    Priority: values['deb-priority'],
    Homepage: values.url,
    Description: values.description,
  };
  const files = positionals.map((mapping) => {
    const at = mapping.lastIndexOf('=');
    return [mapping.slice(0, at), mapping.slice(at + 1)];
  });
  return {
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value)),
    files,
    scripts: { postinst: values['after-install'], postrm: values['after-remove'] },
    compression: values['deb-compression'],
    target: values.package,
  };
}

/** The text of a control file: further lines of a value are indented, empty ones are a dot. */
export function controlFile(fields) {
  const lines = Object.entries(fields).map(([name, value]) => {
    const [first, ...rest] = value.split('\n').map((line) => line.trim());
    return [`${name}: ${first}`, ...rest.map((line) => ` ${line === '' ? '.' : line}`)].join('\n');
  });
  return `${lines.join('\n')}\n`;
}

/** Nobody but root writes to what is installed, and everybody may read it, whatever the files' modes were here. */
async function setModes(folder) {
  for (const file of await filesBelow(folder)) {
    const { mode } = await lstat(file);
    await chmod(file, mode & 0o111 ? 0o755 : 0o644);
  }
}

async function makePackage({ fields, files, scripts, compression, target }) {
  const folder = await mkdtemp(join(tmpdir(), 'vak-deb-'));
  try {
    await chmod(folder, 0o755);
    for (const [from, to] of files) await cp(from, join(folder, to), { recursive: true });
    await setModes(folder);
    const size = String(Math.ceil((await folderBytes(folder)) / 1024));
    await mkdir(join(folder, 'DEBIAN'));
    await writeFile(join(folder, 'DEBIAN', 'control'), controlFile({ ...fields, 'Installed-Size': size }));
    for (const [name, file] of Object.entries(scripts)) {
      if (file) await writeFile(join(folder, 'DEBIAN', name), await readFile(file), { mode: 0o755 });
    }
    const { code, lines } = await run('dpkg-deb', [
      '--root-owner-group',
      `-Z${compression}`,
      '--build',
      folder,
      target,
    ]);
    if (code !== 0) throw new Error(`dpkg-deb ended with code ${code}:\n${lines.join('\n')}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (isStartedScript(import.meta.url)) await makePackage(readFpmArgs(process.argv.slice(2)));
