/**
 * THE canary: known secrets go through every flow of the app, and then none of them may be found anywhere but where it was
 * typed (protocol.md I3, quality.md §4). It grows with each flow.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { encodeNkeySeed } from '../src/engine/identity/nkey.ts';
import { findSecrets, type KnownSecret } from '../tests/support/secret-search.ts';
import {
  bytesOf,
  call,
  followTask,
  invoke,
  readBytes,
  readMessage,
  readSnapshot,
  runCommand,
} from './support/bridge.ts';
import { heapSnapshot, wholeStringsArgument } from './support/heap.ts';
import { createIpcRecorder } from './support/ipc-recorder.ts';
import { descendantsOf } from './support/processes.ts';
import { answerEntry, expectGate, expectWorkbench, openEntry, passGate, typeSecret } from './support/secret-entry.ts';
import { vak } from './support/set-up-profile.ts';
import { storedSecrets } from './support/stored-secrets.ts';
import { startClosed, test, type Workbench } from './support/workbench.ts';

const text = (name: string, secret: string): KnownSecret => ({ name, bytes: Buffer.from(secret) });
const words = (what: string): string => `${what} ${randomBytes(9).toString('base64url')} heron`;
const seed = (): string => Buffer.from(encodeNkeySeed(randomBytes(32)).reveal()).toString();
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Typed into the window that asks for secrets; only what that window says may hold them. */
const typed = {
  passphrase: words('first passphrase'),
  changed: words('second passphrase'),
  backup: words('backup passphrase'),
  wrong: words('wrong passphrase'),
  natsSeed: seed(),
  natsJwt: `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ canary: randomBytes(12).toString('hex') })}.${randomBytes(64).toString('base64url')}`,
  workspaceSecret: words('workspace secret'),
  refusedSeed: `${seed().slice(0, -6)}AAAAAA`,
};
/** Given to the app by its environment. */
const fromEnvironment = randomBytes(24).toString('base64url');
/** Put where none belongs: inputs of the page, arguments of `vak`, the settings file. Nothing may answer with it or keep it. */
const misplaced = { input: words('misplaced'), argument: seed(), settings: seed() };

const secretsOf = (named: Readonly<Record<string, string>>): readonly KnownSecret[] =>
  Object.entries(named).map(([name, secret]) => text(name, secret));

/** What is looked through at the end. */
interface Traces {
  readonly heaps: Record<string, string>;
  readonly outputs: Record<string, string | Uint8Array>;
}

async function typeInto(workbench: Workbench, open: () => Promise<unknown>, ...secrets: string[]): Promise<void> {
  const entry = await openEntry(workbench.app, open);
  const last = secrets.pop() ?? '';
  for (const refused of secrets) {
    await typeSecret(entry, refused);
    await expect(entry.getByTestId('entry-refusal')).not.toBeEmpty();
  }
  await answerEntry(entry, last);
}

/** Asks for the next secret in the same call: another window opens when the first has closed. */
async function typeTwice(workbench: Workbench, open: () => Promise<unknown>, first: string, second: string) {
  const entry = await openEntry(workbench.app, open);
  const next = await openEntry(workbench.app, () => answerEntry(entry, first));
  await answerEntry(next, second);
}

async function printEnvironments(page: Page, { outputs }: Traces): Promise<void> {
  await call(page, 'swarm.start', { workers: 2 });
  const script =
    'env; tr "\\0" "\\n" </proc/self/environ; tr "\\0" "\\n" </proc/$PPID/environ; tr "\\0" " " </proc/$PPID/cmdline; set';
  const task = await runCommand(page, 'sh', '-c', script);
  const { chunks } = await followTask(page, task, { keepsChunks: true });
  const printed = bytesOf(chunks.stdout).toString();
  expect(printed.match(/^PATH=/gm)?.length).toBeGreaterThanOrEqual(2);
  expect(printed).toContain('node.mojom.NodeService');
  outputs['what a command prints of environments'] = printed;
}

async function setSecrets(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await page.keyboard.press('Control+9');
  for (const [name, ...secrets] of [
    ['VAK_BUS_NATS_NKEY_SEED', typed.refusedSeed, typed.natsSeed],
    ['VAK_BUS_NATS_CREDENTIALS_JWT', typed.natsJwt],
  ] as const) {
    await typeInto(workbench, () => page.getByTestId(`secret-set-${name}`).click(), ...secrets);
    await expect(page.getByTestId(`secret-${name}`)).toContainText('in the key store');
  }
  await expect(page.getByTestId('secret-VAK_WORKSPACE_SECRET')).toContainText('from the environment');
  await changeWorkspaceSecrets(workbench);
}

/** One is typed, one is made, one is limited: running workers are given each set, and what they say is sealed under the newest. */
async function changeWorkspaceSecrets(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await page.getByTestId('workspace-secret-add').click();
  await page.getByTestId('add-secret-typed').check();
  await page.getByTestId('add-secret-id').fill('team');
  await typeInto(workbench, () => page.getByTestId('add-secret-submit').click(), typed.workspaceSecret);
  await expect(page.getByTestId('workspace-secret-team')).toHaveAttribute('data-sealing', 'true');
  expect(await call(page, 'settings.addSecret', { id: 'made', from: 'random' })).toEqual({ id: 'made' });
  await call(page, 'settings.setSecretUse', { id: 'made', use: 'open-only', untilMs: null });
  await call(page, 'settings.revokeSecret', { id: 's1', confirmedId: 's1' });
}

async function changeAndBackUp(workbench: Workbench, backupFile: string): Promise<void> {
  const { app, page } = workbench;
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [filePath] });
  }, backupFile);
  await page.keyboard.press('Control+8');
  await typeInto(workbench, () => page.getByTestId('action-identity.changePassphrase').click(), typed.changed);
  await typeInto(workbench, () => page.getByTestId('action-identity.backup').click(), typed.backup);
  await expect.poll(() => existsSync(backupFile)).toBe(true);
}

async function lockAndUnlock(workbench: Workbench, { heaps }: Traces): Promise<void> {
  const { page } = workbench;
  await page.keyboard.press('Control+Shift+L');
  await expectGate(page, 'lock');
  heaps['heap while locked'] = await heapSnapshot(page);
  await typeInto(
    workbench,
    () => page.getByTestId('gate-unlock').click(),
    typed.wrong,
    typed.passphrase,
    typed.changed,
  );
  await expectWorkbench(page);
}

async function restore(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  await page.keyboard.press('Control+8');
  await page.getByTestId('action-identity.restore').click();
  await page.getByRole('alertdialog').getByRole('textbox').fill('operator');
  await typeTwice(
    workbench,
    () => page.getByRole('button', { name: 'Replace', exact: true }).click(),
    typed.backup,
    typed.changed,
  );
  await expect(page.getByText('The key store is the backup’s now')).toBeVisible();
}

/** Two halves of a word that only a command's output has whole: sealed on the bus, and shown to the window. */
const halves = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')] as const;

/** Messages of every kind are read, opened and shown page by page; gives the key ids that sealed them. */
async function openMessages({ page, profile }: Workbench, { outputs }: Traces): Promise<readonly string[]> {
  await followTask(page, await runCommand(page, 'sh', '-c', `printf "%s%s" ${halves[0]} ${halves[1]}`));
  for (const tampering of ['ciphertext', 'metadata', 'signature', 'unsigned', 'replay', 'wrong-sender'])
    await call(page, 'developer.tamper', { tampering });
  await page.keyboard.press('Control+2');
  await page.getByTestId('pause-button').click();
  for (const row of [
    page.getByTestId('live-row').last(),
    page.getByTestId('live-row').filter({ hasText: halves[0] }).last(),
  ]) {
    await row.click();
    for (const tab of ['Overview', 'Payload', 'Encryption', 'Chain', 'Signature', 'Trace', 'Raw'])
      await page.getByRole('tab', { name: tab, exact: true }).click();
  }
  await page.getByTestId('pause-button').click();
  const { newestSeq } = await readSnapshot(page, 'streams.status');
  const keyIds = new Set<string>();
  const raw: Buffer[] = [];
  let opened: Buffer | undefined;
  for (let seq = 1; seq <= newestSeq; seq++) {
    const { trust } = await readMessage(page, seq);
    const bytes = await readBytes(page, seq);
    raw.push(bytes, Buffer.from('\n'));
    if (trust.seal.kind !== 'sealed') continue;
    keyIds.add(trust.seal.keyId);
    if (trust.marks.seal === 'opens') opened = bytes;
  }
  outputs['messages on the bus'] = Buffer.concat(raw);
  for (const args of [
    ['envelope', 'open'],
    ['envelope', 'verify'],
  ] as const) {
    const { stdout, stderr } = vak(profile, args, { passphrase: typed.changed, input: opened ?? Buffer.alloc(0) });
    outputs[`vak ${args.join(' ')}`] = `${stdout}\n${stderr}`;
  }
  expect(outputs['vak envelope open']).toContain('"payload"');
  return [...keyIds];
}

/** The keys that seal under those ids (E6), from the secrets that the key store holds. */
function sealingKeys(keyIds: readonly string[], stored: readonly KnownSecret[]): readonly KnownSecret[] {
  return keyIds.flatMap((keyId) => {
    const secret = stored.find(({ name }) => name === `secret ${keyId.split('.')[0]} of default`);
    if (secret === undefined) throw new Error(`no secret is stored for ${keyId}`);
    const info = `vak-bus-aes-256-gcm-${keyId}`;
    const bytes = new Uint8Array(hkdfSync('sha256', secret.bytes, 'vak-bus-hkdf-salt-v1', info, 32));
    return [{ name: `key of ${keyId}`, bytes }];
  });
}

/** Secrets where none belongs: every answer must do without them. */
async function provoke({ page, profile }: Workbench): Promise<void> {
  const { input } = misplaced;
  const address = `nats://user:${input.replaceAll(' ', '_')}@127.0.0.1`;
  for (const [method, given] of [
    ['settings.set', { key: 'natsUrl', value: address }],
    ['settings.set', { key: 'look.theme', value: input }],
    ['settings.set', { key: 'VAK_BUS_NATS_NKEY_SEED', value: input }],
    ['settings.set', { key: misplaced.argument, value: true }],
    ['settings.setSecret', { name: input }],
    ['settings.deleteSecret', { name: input }],
    ['identity.setUp', { peer: input, displayName: input }],
    ['identity.startAnew', { confirmation: input, peer: 'a', displayName: 'a' }],
    ['identity.unlock', { passphrase: input, [input]: input }],
    ['swarm.cancel', { taskId: input }],
    ['streams.read', { seq: input }],
    [input, { [input]: input }],
  ] as const) {
    const result = await invoke(page, method, given);
    for (const secret of [input, misplaced.argument]) expect(JSON.stringify(result), method).not.toContain(secret);
  }
  const file = join(profile, 'settings.json');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const spoilt = { ...JSON.parse(before), VAK_BUS_NATS_NKEY_SEED: misplaced.settings };
  writeFileSync(file, JSON.stringify(spoilt));
  await page.keyboard.press('Control+9');
  await expect(page.getByTestId('settings-problems')).toContainText('VAK_BUS_NATS_NKEY_SEED');
  writeFileSync(file, before);
  await expect(page.getByTestId('settings-problems')).toBeHidden();
}

function runPrograms(profile: string, { outputs }: Traces): void {
  const options = { passphrase: typed.changed };
  for (const [code, args, more] of [
    [0, ['id', 'show', '--identity', 'operator'], {}],
    [0, ['grant', 'ls', '--json'], {}],
    [0, ['config', 'bus', 'get', '--json'], { env: { VAK_WORKSPACE_SECRET: fromEnvironment } }],
    [1, ['id', 'show', '--identity', 'operator'], { passphrase: typed.wrong }],
    [2, ['config', 'bus', 'set', 'VAK_BUS_NATS_NKEY_SEED', misplaced.argument], {}],
    [2, ['config', 'set', 'workspaceSecretEnv', misplaced.argument], {}],
    [2, ['id', 'backup', misplaced.argument, misplaced.argument], {}],
    [2, ['id', 'show', `--${misplaced.argument}`], {}],
  ] as const) {
    const ran = vak(profile, args, { ...options, ...more });
    const name = `vak ${args.slice(0, 2).join(' ')} (${code})`;
    expect(ran.code, `${name}: ${ran.stderr}`).toBe(code);
    outputs[`${name} ${Object.keys(outputs).length}`] = `${ran.stdout}\n${ran.stderr}`;
  }
}

/** Environment and command line of everything that the app has started. */
async function describeChildren({ app, page, left, rememberSessions }: Workbench): Promise<string> {
  await rememberSessions();
  const task = await runCommand(page, 'sh', '-c', 'echo begun; exec sleep 600');
  await followTask(page, task, { isFirstEnough: true });
  const own = app.process().pid;
  const read = () => [...descendantsOf(own ?? 0), ...left().filter(({ pid }) => pid !== own)];
  for (const kind of ['--type=zygote', '--utility-sub-type=node.mojom.NodeService', 'vak-guardian', 'sleep 600'])
    await expect.poll(() => read().filter(({ command }) => command.includes(kind)).length, kind).toBeGreaterThan(0);
  return read()
    .map(({ command, environment }) => [command, ...environment].join('\n'))
    .join('\n\n');
}

async function visitViews(page: Page): Promise<void> {
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    await page.keyboard.press(`Control+${number}`);
    await expect(page.getByRole('heading', { level: 1 }).filter({ visible: true })).toHaveCount(1);
  }
}

test('I3 the canary: no secret is found in files, logs, output, IPC, children or the heap of the window', async ({
  freshProfile,
}) => {
  test.setTimeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'vak-e2e-canary-'));
  const backups = join(folder, 'backups');
  mkdirSync(backups);
  const recorder = createIpcRecorder(join(folder, 'ipc'));
  const traces: Traces = { heaps: {}, outputs: {} };
  let keyIds: readonly string[] = [];
  const env = { VAK_WORKSPACE_SECRET: fromEnvironment };
  const start = { before: recorder.args, after: [wholeStringsArgument] };
  try {
    const first = await startClosed(freshProfile, { ...start, env });
    try {
      await expectGate(first.page, 'first-start');
      await passGate(first.app, first.page, typed.passphrase);
      await printEnvironments(first.page, traces);
      await setSecrets(first);
      await changeAndBackUp(first, join(backups, 'vak.backup'));
      await lockAndUnlock(first, traces);
      await restore(first);
      keyIds = await openMessages(first, traces);
      await visitViews(first.page);
      traces.heaps['heap of the open workbench'] = await heapSnapshot(first.page);
      traces.outputs['children of the app'] = await describeChildren(first);
      await provoke(first);
      runPrograms(freshProfile, traces);
    } finally {
      await first.end();
    }
    const second = await startClosed(freshProfile, start);
    try {
      await passGate(second.app, second.page, typed.changed);
      expect((await readSnapshot(second.page, 'identity.self'))?.peer).toBe('operator');
      traces.heaps['heap of the second start'] = await heapSnapshot(second.page);
    } finally {
      await second.end();
    }
    Object.assign(traces.outputs, { 'output of the app': first.printed(), 'of its second start': second.printed() });
    const stored = await storedSecrets(freshProfile, typed.changed);
    expect(stored.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['seed of operator as text', 'root seed of default as bytes', 'box key 0 of operator']),
    );
    expect(keyIds.length).toBeGreaterThanOrEqual(3);
    const keys = sealingKeys(keyIds, stored);
    const secret = [...secretsOf(typed), text('from the environment', fromEnvironment), ...stored, ...keys];
    const told = {
      'said to the window': recorder.read('workbench-told'),
      'said to the entry window': recorder.read('entry-told'),
    };
    const everywhere = { texts: { ...traces.outputs, ...told }, folders: [freshProfile, backups] };
    expect(findSecrets(everywhere, [...secret, ...secretsOf(misplaced)])).toEqual([]);
    // What a command printed is whole in no message on the bus, and in what was opened of it.
    const word = text('what a command printed', halves.join(''));
    const said = { bus: traces.outputs['messages on the bus'] ?? '', window: recorder.read('workbench-told') };
    expect(findSecrets({ texts: said }, [word])).toEqual(['window: what a command printed']);
    const byPage = { texts: { ...traces.heaps, 'said by the window': recorder.read('workbench-said') } };
    expect(findSecrets(byPage, secret)).toEqual([]);

    // The search can find: what was typed stands in what the entry window said, and nothing else of it.
    const submitted = findSecrets({ texts: { entry: recorder.read('entry-said') } }, secret);
    expect(submitted.filter((hit) => Object.keys(typed).some((name) => hit === `entry: ${name}`)).sort()).toEqual(
      Object.keys(typed)
        .map((name) => `entry: ${name}`)
        .sort(),
    );
    expect(
      findSecrets(
        { texts: { entry: recorder.read('entry-said') } },
        stored.filter(({ name }) => !name.startsWith('VAK_') && name !== 'secret team of default'),
      ),
    ).toEqual([]);
    // Each place holds what it should, so that it was looked through for what it should not.
    for (const [name, heap] of Object.entries(traces.heaps)) expect(heap, name).toContain('Vak Workbench');
    expect(findSecrets({ texts: told }, [text('the peer', 'operator')])).toEqual(['said to the window: the peer']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
