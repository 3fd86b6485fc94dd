import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Listener, prepareServer, startUntil } from '../../../tests/support/vak-bus.ts';
import {
  json,
  jsonLines,
  prepareVak,
  type Ran,
  type RunOptions,
  type Self,
} from '../../../tests/support/vak-program.ts';

const program = prepareVak({ isSelfShared: true });
const bus = prepareServer();
const patience = { timeout: 60_000, interval: 50 };
let running: Listener[] = [];

afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
});

interface Item {
  readonly kind: string;
  readonly event?: string;
  readonly peer?: string;
  readonly text?: string | null;
  readonly messageId?: string;
  readonly epoch: number;
  readonly senderKind?: string;
  readonly attachment?: { readonly name: string };
  readonly unopened?: { readonly cause: string };
}

/** One machine: `vak` in a profile of its own. */
function machine(name: string) {
  const on = <T>(work: () => T): T => {
    program.switchProfile(name);
    return work();
  };
  const vak = (args: readonly string[], options?: RunOptions): Promise<Ran> =>
    on(() => program.vak([...args, ...bus.url()], options));
  return {
    name,
    vak,
    self: (): Promise<Self> => on(() => program.newSelf()),
    /** Runs it, and gives its lines of JSON; it must be done. */
    async run<T>(...args: string[]): Promise<T[]> {
      const { code, stdout, stderr } = await vak([...args, '--json']);
      expect([code, args, stderr]).toEqual([0, args, stderr]);
      return stdout === '' ? [] : jsonLines<T>(stdout);
    },
    /** Says lines in the room, or does what they say. */
    async chat(...lines: string[]): Promise<void> {
      const ran = await vak(['chat', 'Night', '--history', '0'], { stdin: lines.map((line) => `${line}\n`).join('') });
      expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, expect.not.stringContaining('! '), ran.stderr]);
    },
    async start(text: RegExp, ...args: string[]): Promise<Listener> {
      const started = await on(() => startUntil(program, [...args, ...bus.url()], { text }));
      running.push(started);
      return started;
    },
  };
}

type Machine = ReturnType<typeof machine>;

const itemsOf = (listener: Listener): Item[] =>
  listener.stdout().trimEnd() === '' ? [] : jsonLines<Item>(listener.stdout());
const said = (items: readonly Item[]): (string | null | undefined)[] =>
  items.filter(({ kind }) => kind === 'message').map(({ text, unopened }) => unopened?.cause ?? text);

async function tailOf(one: Machine, ...more: string[]): Promise<Item[]> {
  return await one.run<Item>('room', 'tail', 'Night', '--no-follow', '--history', '50', ...more);
}

/** Ends it as a service manager does. */
async function stop(service: Listener): Promise<Ran> {
  service.child.kill('SIGTERM');
  return await service.ended;
}

/** Brings bob into the workspace: what is refused says what to run where the root is. */
async function admitBob(ada: Machine, bob: Machine, rootPublic: string): Promise<void> {
  expect((await bob.vak(['id', 'new', '--identity', 'bob', '--root', rootPublic])).code).toBe(0);
  const refused = await bob.vak(['room', 'ls']);
  const line = /where the root is: vak (grant add bob --sign U\w+ --role human);/.exec(refused.stderr)?.[1];
  expect([refused.code, refused.stdout, line], refused.stderr).toEqual([1, '', expect.any(String)]);
  expect((await ada.vak(line?.split(' ') ?? [])).code).toBe(0);
  expect(await bob.run('room', 'ls')).toEqual([]);
}

test('R4 R6 R70 R72 vak: two profiles and a bot hold a conversation; who is kicked reads nothing after it, and a third from its epoch on', async () => {
  const [ada, bob] = [machine('ada'), machine('bob')];
  const { rootPublic } = await ada.self();
  await bus.provision();
  await ada.start(/"started"/, 'membershipd');
  await admitBob(ada, bob, rootPublic);

  await ada.run('room', 'create', 'Night shift', '--topic', 'who is up');
  const echo = `jq -r '"\\(.from) said: \\(.text | sub("@echo "; ""))"'`;
  const bot = await ada.start(/"started"/, 'chat', '--bot', '--exec', echo, '--identity', 'echo', '--agent');
  await ada.run('room', 'invite', 'Night', 'bob');
  // It takes the operator's invitation by itself.
  await ada.run('room', 'invite', 'Night', 'echo');
  await bot.says(/"joined"/);
  expect(await bob.run('room', 'ls')).toMatchObject([
    { name: 'Night shift', standing: 'invited', invitedBy: 'operator' },
  ]);
  await bob.run('room', 'join', 'Night');

  const listener = await bob.start(/listening to Night shift/, 'room', 'tail', 'Night', '--history', '0', '--json');
  writeFileSync(join(program.folder, 'notes.txt'), 'what changed');
  await ada.run('room', 'send-file', 'Night', join(program.folder, 'notes.txt'), '--text', 'see');
  const chat = await bob.vak(['chat', 'Night'], { stdin: 'hello\n@echo are you there?\n/invite nobody\n/who\n' });
  expect([chat.code, chat.stdout]).toEqual([
    1,
    expect.stringMatching(/! PEER: no card of nobody[\s\S]*echo {2}member/),
  ]);
  await expect
    .poll(() => said(itemsOf(listener)), patience)
    .toEqual(['see', 'hello', '@echo are you there?', 'bob said: are you there?']);
  const [file] = itemsOf(listener).filter(({ attachment }) => attachment?.name === 'notes.txt');
  const got = await bob.vak(['room', 'get-file', 'Night', file?.messageId ?? '', '--out', '-']);
  expect([got.code, got.stdout]).toEqual([0, 'what changed']);
  expect(itemsOf(listener).find(({ peer }) => peer === 'echo')).toMatchObject({ senderKind: 'bot', isAgent: true });

  await ada.chat('/kick bob lost its key', 'canary: not for bob');
  // All that it is given is that something was said, and why it cannot read it.
  await expect.poll(() => said(itemsOf(listener)).slice(4), patience).toEqual(['no-key']);
  expect(itemsOf(listener).some(({ event }) => event === 'kicked')).toBe(true);
  expect(await bob.vak(['room', 'send', 'Night', 'still here'])).toMatchObject({ code: 1, stdout: '' });
  const after = await tailOf(bob);
  expect(said(after).slice(4)).toEqual([expect.stringMatching(/^(no-key|withheld)$/)]);
  expect(`${listener.stdout()}${JSON.stringify(after)}`).not.toContain('not for bob');

  // An identity is made at its first use, with the role of a person.
  await ada.run('room', 'ls', '--identity', 'cleo');
  await ada.chat('/invite cleo');
  await ada.run('room', 'join', 'Night', '--identity', 'cleo');
  await ada.chat('welcome cleo');
  await ada.run('room', 'send', 'Night', 'thanks', '--identity', 'cleo');
  expect(said(await tailOf(ada, '--identity', 'cleo'))).toEqual(['welcome cleo', 'thanks']);
  expect(said(await tailOf(ada)).slice(4)).toEqual(['canary: not for bob', 'welcome cleo', 'thanks']);
  const log = await ada.run<{ type: string; verdict: string }>('room', 'log', 'Night');
  expect(log.map(({ type, verdict }) => `${type} ${verdict}`)).toEqual(
    ['CREATE', 'INVITE', 'INVITE', 'JOIN', 'JOIN', 'KICK', 'INVITE', 'JOIN'].map((type) => `${type} counts`),
  );

  // What it is about, its name, a file, and its end; who may not is told so.
  const denied = await ada.vak(['chat', 'Night', '--identity', 'cleo'], { stdin: '/topic mine\n/close Night shift\n' });
  expect([denied.code, denied.stdout.match(/! room: only its owner/g)?.length]).toEqual([1, 2]);
  const notes = `/attach ${join(program.folder, 'notes.txt')}`;
  await ada.chat('/topic who sleeps', notes, '/name Nightly', '/close Nightly');
  const [ended] = await ada.run('room', 'ls');
  expect(ended).toMatchObject({ name: 'Nightly', topic: 'who sleeps', standing: 'ended' });
  expect((await tailOf(ada)).at(-1)).toMatchObject({ event: 'closed' });

  const { code, stdout, stderr } = await stop(bot);
  expect([code, stdout]).toEqual([0, '']);
  const stopped = stderr.split('\n').find((line) => line.includes('"stopped"')) ?? '{}';
  expect(json(stopped)).toMatchObject({ answered: 1, failed: 0, skipped: 0 });
  expect((await stop(listener)).code).toBe(4);
  expect(stderr).not.toContain('are you there');
}, 240_000);

test('I3 R72 vak chat --bot takes no secret from a variable, and what it is asked for must fit', async () => {
  const { vak } = program;
  await program.newSelf();
  const bot = ['chat', '--bot', '--exec', 'cat', ...bus.url()];
  expect(await vak(bot, { environment: { VAK_WORKSPACE_SECRET: 'canary: a secret' } })).toMatchObject({
    ...{ code: 2, stdout: '', stderr: expect.stringMatching(/^vak: VAK_WORKSPACE_SECRET: a bot takes no secret/) },
  });
  expect(await vak(['chat', '--exec', 'cat', ...bus.url()])).toMatchObject({
    ...{ code: 2, stderr: expect.stringMatching(/--exec: it is a bot's; give --bot too/) },
  });
  expect(await vak([...bot, '--identity', 'operator'])).toMatchObject({
    ...{ code: 1, stderr: expect.stringMatching(/operator: is a human of this profile, no bot/) },
  });
}, 60_000);
