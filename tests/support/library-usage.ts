/** How a program may use the types of the package, and how not: the compiler checks it against the sources, a test against what is built. */
import { connect, type Embedded, openEmbedded, TaskFailure, type TaskOutcome, type Vak, VakError } from 'vak-workbench';

/** What became of a task, in a word; the compiler knows each kind. */
export function wordFor(outcome: TaskOutcome): string {
  switch (outcome.kind) {
    case 'done':
    case 'finished-late':
      return outcome.receipt.outputHash;
    case 'dead':
      return outcome.deadLetter.errorClass;
    case 'lost':
    case 'purged':
      return outcome.leaf;
  }
}

export async function useWell(signal: AbortSignal): Promise<void> {
  const bus: Embedded = await openEmbedded();
  const vak: Vak = await connect({ embedded: bus, identity: 'me', roles: ['worker'], queues: ['q'], signal });
  const worker = await vak.queue('q').work(async ({ input, env }, context) => {
    if (input === env?.['NAME']) throw new TaskFailure('no', { isFinal: true, errorClass: 'x' });
    const { by } = await context.approve({ title: 'May I?' });
    return { by, attempt: context.attempt };
  });
  const stop = vak.onStatus((status) => status.kind === 'closed' && status.error?.code);
  const heard = await vak.subscribe('vak.events.default.>', ({ json }) => json(), { onRefused: ({ why }) => why });
  await vak.publish('vak.events.default.self.status', { state: 'progress' }, { signal, sealed: true });
  stop();
  await heard.close();
  await worker.close({ finishWithinMs: 0 });
  await vak[Symbol.asyncDispose]();
}

export async function useWrongly(vak: Vak): Promise<void> {
  // @ts-expect-error a connection is somebody's
  await connect({ natsUrl: 'nats://127.0.0.1' });
  // @ts-expect-error there is no such option
  await connect({ identity: 'me', natsURL: 'nats://127.0.0.1' });
  // @ts-expect-error there is no such role
  await connect({ identity: 'me', roles: ['root'] });
  // @ts-expect-error a passphrase is never a text among the options
  await connect({ identity: 'me', passphrase: 'words' });
  // @ts-expect-error a task is a command or an input
  await vak.queue('q').submit({ input: 1, command: ['ls'] });
  // @ts-expect-error an output stands in what is done alone
  (await vak.queue('q').wait('id')).output;
  // @ts-expect-error who denies says why
  await vak.approvals.deny('id');
  // @ts-expect-error there is no such code
  throw new VakError('oops', 'words');
}
