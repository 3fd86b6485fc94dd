import type { ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { prepareServer } from '../../tests/support/vak-bus.ts';
import { prepareVak, type Ran } from '../../tests/support/vak-program.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const patience = { timeout: 20_000, interval: 20 };

/** A worker whose command runs until it is ended. */
function startWorker(): { readonly ended: Promise<Ran>; readonly said: { stdout: string; stderr: string } } {
  const said = { stdout: '', stderr: '' };
  const args = ['--profile', program.profile, ...bus.url(), '--identity', 'builder', '--', 'sleep', '300'];
  const ended = program.start(process.execPath, [program.programs.worker, ...args], {
    onStart(child: ChildProcess) {
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.on('data', (text: string) => {
          said[name] += text;
        });
      }
    },
  });
  return { ended, said };
}

const signal = (data: object, ...more: string[]) =>
  vak([
    ...['publish', 'vak.agent.default.builder.inbox', '--type', 'vak.agent.message', '--sealed'],
    ...['--data', JSON.stringify(data), ...bus.url(), ...more],
  ]);

const cancel = { kind: 'signal', signal: 'cancel' };

test('A2 B8 worker: an operator cancels its command through its inbox, and nobody else does', async () => {
  await newSelf();
  await newSelf('--identity', 'chatter', '--kind', 'bot', '--role', 'bot');
  await bus.provision();
  const { ended, said } = startWorker();
  await expect.poll(() => said.stdout, patience).toContain('"claimed"');

  expect(await signal(cancel, '--identity', 'chatter')).toMatchObject({ code: 0, stderr: '' });
  await expect
    .poll(() => said.stderr, patience)
    .toContain('worker: chatter may not cancel the command, its roles are bot');
  expect(await signal({ kind: 'text', text: 'how is it going?' }, '--identity', 'operator')).toMatchObject({ code: 0 });
  await expect.poll(() => said.stderr, patience).toContain('worker: a message of operator in the inbox says nothing');

  expect(await signal(cancel, '--identity', 'operator')).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('worker: operator cancels the command')]);
  expect(stdout).toContain('"failed"');
  expect(stdout).toContain('cancelled');
}, 90_000);

test('E8 worker: a message that is not sealed runs nothing', async () => {
  await newSelf();
  await bus.provision();
  const { ended, said } = startWorker();
  await expect.poll(() => said.stdout, patience).toContain('"claimed"');
  const plain = ['publish', 'vak.agent.default.builder.inbox', '--type', 'vak.agent.message'];
  await vak([...plain, '--data', JSON.stringify(cancel), '--identity', 'operator', ...bus.url()]);
  await expect
    .poll(() => said.stderr, patience)
    .toContain('worker: a message in the inbox is refused: It is not sealed');
  expect(said.stdout).not.toContain('"ended"');
  await signal(cancel, '--identity', 'operator');
  expect((await ended).code).toBe(1);
}, 90_000);

test('B8 worker: of two under one identity the one is cancelled whose session is named', async () => {
  await newSelf();
  await bus.provision();
  const workers = [startWorker(), startWorker()];
  for (const { said } of workers) await expect.poll(() => said.stdout, patience).toContain('"claimed"');
  const sessionOf = ({ said }: ReturnType<typeof startWorker>): string =>
    /builder-[a-z2-7]{8}-e/.exec(said.stdout)?.[0] ?? '';
  const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]];
  await signal({ ...cancel, session: sessionOf(second) }, '--identity', 'operator');
  expect((await second.ended).code).toBe(1);
  expect(first.said.stderr).toBe('');
  await signal({ ...cancel, session: sessionOf(first) }, '--identity', 'operator');
  expect((await first.ended).code).toBe(1);
}, 90_000);

test('B8 worker: a cancel from before it started ends nothing, and many from others hold up none', async () => {
  await newSelf();
  await newSelf('--identity', 'chatter', '--kind', 'bot', '--role', 'bot');
  await bus.provision();
  const first = startWorker();
  await expect.poll(() => first.said.stdout, patience).toContain('"claimed"');
  await signal(cancel, '--identity', 'operator');
  await first.ended;
  await signal(cancel, '--identity', 'operator');
  const { ended, said } = startWorker();
  await expect.poll(() => said.stderr, patience).toContain('cancelled what ran before this worker started');
  for (const session of ['ghost-1', 'ghost-2', 'ghost-3'])
    await signal({ ...cancel, session }, '--identity', 'chatter');
  expect(said.stdout).not.toContain('"ended"');
  await signal(cancel, '--identity', 'operator');
  expect((await ended).code).toBe(1);
}, 120_000);
