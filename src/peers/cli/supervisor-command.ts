/** `vak dlq-supervisor`: ends the tasks that died without a word (protocol.md W3). */
import { startSupervision } from '../../engine/work/supervision.ts';
import { createEventLog } from '../event-log.ts';
import { type RunningPeer, withWorkPeer } from '../work-peer.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { contextNeed, passNeed, serverNeed } from './example-needs.ts';

async function supervise(peer: RunningPeer, host: CliHost): Promise<void> {
  const { ended } = peer;
  const { clock, randomness, logger } = host;
  const log = createEventLog(host);
  const supervisor = await startSupervision({
    ...{ peer, clock, randomness, logger },
    onRefused: ({ kind, message: { stream, seq }, why }) => log('refused', { kind, stream, seq, why }),
    onEvent: ({ kind, queue, seq, taskId }) => log(kind, { queue, task: taskId, seq }),
    onTrouble: (code, message) => log('trouble', { code, message }),
  });
  log('started', { peer: peer.peer });
  try {
    await ended;
  } finally {
    await supervisor.close();
    log('stopped');
  }
}

export const supervisorCommand: Command = {
  words: ['dlq-supervisor'],
  changes: 'bus',
  args: [],
  options: {},
  summary: 'Gives tasks whose workers died their dead letter, until a signal ends it.',
  notes: `Runs as --identity (default: dlq-supervisor), which is made with the role dlq-supervisor at its first use where the profile holds the
workspace's root. A task whose deliveries are exhausted and that no worker buried is stored as a dead letter, and only then deleted;
what happened while none ran is caught up. Any number may run. Prints on stderr one JSON value a line: {at, event, …} with the events
started, buried {queue, task, seq}, settled, refused, refused-record {kind, peer, why}, denied, revoked, trouble, stopped. Of many refused
records within 5 s the first five are told, then one line with how many more there were. A grant that --identity has is taken as it is:
if it lacks the role, it says what to run. Exit code 0 after a signal.`,
  needs: `${serverNeed}; ${contextNeed}; ${passNeed}; the streams are there (vak provision)`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak dlq-supervisor --context prod',
  isService: true,
  async run({ common }, host) {
    const named = { ...common, identity: common.identity ?? 'dlq-supervisor' };
    const asked = { common: named, roles: ['dlq-supervisor'], queues: [], log: createEventLog(host) } as const;
    await withWorkPeer(asked, host, (peer) => supervise(peer, host));
    return exitCodes.done;
  },
};
