/** docs/nats.md as it stands: its configurations run real servers, and its commands do there what the page says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { json, jsonLines, prepareVak, type Ran, type Self } from '../../../tests/support/vak-program.ts';

const program = prepareVak();
const { vak, newSelf } = program;
const page = readFileSync(fileURLToPath(new URL('../../../docs/nats.md', import.meta.url)), 'utf8');
const blocks = (kind: string): readonly string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${kind}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block);
const [begin = '', use = '', copies = ''] = blocks('sh');
const [alone = '', cluster = ''] = blocks('conf');
const slow = { timeout: 120_000 };
const isEndurance = process.env['VAK_ENDURANCE'] !== undefined;

let running: ChildProcess[] = [];
afterEach(async () => {
  const ended = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
  running = [];
});

/** Runs a block of the page in the test's folder. */
function run(block: string, variables: Record<string, string>): Promise<Ran> {
  const call = `'${process.execPath}' '${program.programs.vak}' --profile '${program.profile}' "$@"`;
  const commands = `set -e\ncd '${program.folder}'\nvak() { ${call}; }\n${block}`;
  return program.start('/bin/sh', ['-c', commands], { environment: { HOME: program.folder, ...variables } });
}

async function freePorts(count: number): Promise<readonly number[]> {
  const probes = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  return probes.map((probe) => {
    const address = probe.address();
    probe.close();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
}

/** A configuration of the page for a server of this machine: names, ports and folders are other ones, and nothing else is. */
function configure(name: string, text: string, ports: { readonly client: number; readonly route?: number }): string {
  const folder = join(program.folder, name);
  mkdirSync(folder);
  copyFileSync(join(program.folder, 'access.conf'), join(folder, 'access.conf'));
  const own = text
    .replace('server_name: one', `server_name: ${name}`)
    .replace('"0.0.0.0:4222"', `"127.0.0.1:${ports.client}"`)
    .replace('"0.0.0.0:6222"', `"127.0.0.1:${ports.route}"`)
    .replace('/var/lib/nats', join(folder, 'store'));
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, own);
  return file;
}

function serve(file: string): void {
  running.push(spawn('nats-server', ['-c', file], { stdio: 'ignore' }));
}

/** The profile of the page's first block, whose grants the servers will know. */
async function beginProfile(): Promise<void> {
  const root = await newSelf();
  program.switchProfile('second');
  const ada = json<Self>((await vak(['id', 'new', '--root', root.rootPublic, '--identity', 'ada', '--json'])).stdout);
  program.switchProfile('profile');
  const ran = await run(begin.replace('vak id new\n', ''), { SIGN: ada.sign });
  expect(ran.code, ran.stderr).toBe(0);
}

async function whenReady(work: () => Promise<Ran>): Promise<Ran> {
  for (let tries = 0; ; tries++) {
    const ran = await work();
    if (ran.code === 0 || tries === 60) return ran;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

test(
  'A4 docs/nats.md: one server with the exported access is provisioned, used, and judged by vak doctor',
  slow,
  async () => {
    await beginProfile();
    const [client = 0] = await freePorts(1);
    serve(configure('one', alone, { client }));
    const url = `nats://127.0.0.1:${client}`;
    await whenReady(() => vak(['stream', 'ls', '--nats-url', url]));
    const ran = await run(use, { NATS_URL: url });
    // The page's last command finds what is weak on this machine: a server without TLS is none on a loopback address, a key store without a backup is.
    expect(ran.stdout).toMatch(/^created +stream +VAK_WORK_default$/m);
    expect(ran.stdout).toContain('default');
    const again = jsonLines<{ outcome: string }>((await vak(['provision', '--json'])).stdout);
    expect(again.length).toBeGreaterThan(12);
    expect(again.filter(({ outcome }) => outcome !== 'unchanged')).toEqual([]);
  },
);

test('A4 docs/nats.md: three servers keep three copies, and one may be lost', slow, async () => {
  await beginProfile();
  const names = ['one', 'two', 'three'];
  const [clients, routes] = [await freePorts(3), await freePorts(3)];
  const joined = names.reduce(
    (text, name, at) => text.replace(`${name}.example:6222`, `127.0.0.1:${routes[at]}`),
    cluster,
  );
  const files = names.map((name, at) =>
    configure(name, alone + joined, { client: clients[at] ?? 0, route: routes[at] ?? 0 }),
  );
  for (const file of files) expect(await program.start('nats-server', ['-t', '-c', file])).toMatchObject({ code: 0 });
  // Three servers and what is asked of them take half a minute; nats-cluster.test.ts has the engine's part of it.
  if (!isEndurance) return;
  for (const file of files) serve(file);
  const url = `nats://127.0.0.1:${clients[0]}`;
  await vak(['context', 'add', 'prod', '--url', url]);
  await vak(['context', 'use', 'prod']);
  const made = await whenReady(() => run(copies, {}));
  expect(made.stdout, made.stderr).toMatch(/VAK_WORK_default$/m);
  const audit = ['stream', 'view', 'audit', '--nats-url', `nats://127.0.0.1:${clients[2]}`];
  running.shift()?.kill('SIGKILL');
  const seen = await whenReady(() => vak(audit));
  expect(seen.code, seen.stderr).toBe(0);
});
