/** `vak worker`: claims the tasks of a queue and runs them (protocol.md W1, I3). */
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { createEventLog } from '../event-log.ts';
import { runQueueWorker } from '../queue-worker.ts';
import { withWorkPeer } from '../work-peer.ts';
import { refuseSecretsInEnvironment } from '../worker-bus-host.ts';
import { type Command, type CommandInput, exitCodes } from './command.ts';
import { contextNeed, passNeed, serverNeed } from './example-needs.ts';

interface Bounds {
  readonly standard: number;
  readonly max: number;
}

/** A whole number from 1. Throws `invalid-input`. */
function readCount({ option }: CommandInput, name: string, { standard, max }: Bounds): number {
  const text = option(name) ?? String(standard);
  const count = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= max) return count;
  throw new VakError('invalid-input', `--${name}: expected a whole number from 1 to ${max}`);
}

export const workerCommand: Command = {
  words: ['worker'],
  changes: 'bus',
  args: [],
  options: {
    queue: { value: 'Q', help: 'queue whose tasks it runs' },
    concurrency: { value: 'N', help: 'tasks at the same time (default: 1, at most 64)' },
    exec: { value: 'CMD', help: 'shell command for tasks that have an input: JSON on its stdin' },
    approve: { value: 'PROGRAM', isMultiple: true, help: 'program that it runs only with an approval' },
    'approve-within': { value: 'SECONDS', help: 'how long an approval waits for its answer (default: 3600)' },
    drain: { value: 'SECONDS', help: 'after a signal what runs may take so long to finish (default: 30)' },
    cwd: { value: 'DIR', help: 'folder of commands that name none (default: the present one)' },
  },
  summary: 'Runs the tasks of a queue, each attempt with a signed receipt, until a signal ends it.',
  notes: `Runs as --identity (default: worker), which is made with the role worker of the queue at its first use where the profile holds the
workspace's root. A grant that it has is taken as it is, whatever its end; if it lacks the queue, it says what to run. A command's exit code decides: 0 is done, everything else failed; a failed task comes again after 1 s, 2 s, 4 s,
and after its last try it becomes a dead letter. A task that asks for approval, or whose program is given with --approve, waits for an
operator. A paused queue is left alone. After a signal nothing more is claimed; what does not finish within --drain is given back. A
second signal ends at once. Secrets in variables are refused, commands could read them; files (NAME_FILE) are taken. Prints on stderr one
JSON value a line: {at, event, task?, attempt?, …} with the events started, claimed, done, failed, buried, returned, refused, denied,
refused-record (a card or grant on the bus that does not count: kind, peer, why), revoked, paused, resumed, trouble, back, draining, stopped; what was done, failed or was buried says tookMs from its claim, and stopped how much of
each there was, claimToDone {count, meanMs, p50Ms, p90Ms, p99Ms, maxMs}, and what it said and heard on the bus. Exit code 0 after a signal.`,
  needs: `${serverNeed}; ${contextNeed}; ${passNeed}; the streams are there (vak provision)`,
  example: `VAK_PASSPHRASE_FILE=~/pass vak worker --queue build --concurrency 4 --context prod
VAK_PASSPHRASE_FILE=~/pass vak worker --queue mail --exec 'jq .to' --identity mailer --context prod`,
  isService: true,
  async run(input, host) {
    const { common, option, options } = input;
    const queue = checkToken(option('queue') ?? '', '--queue');
    const log = createEventLog(host);
    const own = {
      ...{ queue, log, exec: option('exec'), approve: options('approve'), cwd: option('cwd') ?? process.cwd() },
      concurrency: readCount(input, 'concurrency', { standard: 1, max: 64 }),
      approvalMs: readCount(input, 'approve-within', { standard: 3_600, max: 1_000_000 }) * 1_000,
      drainMs: readCount(input, 'drain', { standard: 30, max: 86_400 }) * 1_000,
    };
    refuseSecretsInEnvironment(host.environment);
    const named = { ...common, identity: common.identity ?? 'worker' };
    const asked = { common: named, roles: ['worker'], queues: [queue], log } as const;
    await withWorkPeer(asked, host, (peer) => runQueueWorker(peer, own, host));
    return exitCodes.done;
  },
};
