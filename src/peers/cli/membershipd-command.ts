/** `vak membershipd`: orders and stores the logs of rooms (protocol.md R2, docs/spec/rooms.md R24–R27). */
import { serveMembership } from '../../engine/rooms/membership-service.ts';
import { createEventLog } from '../event-log.ts';
import { type RunningPeer, withWorkPeer } from '../work-peer.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { passNeed } from './example-needs.ts';

async function serve(peer: RunningPeer, host: CliHost): Promise<void> {
  const { clock, randomness, logger } = host;
  const log = createEventLog(host);
  const service = serveMembership({
    ...{ peer, clock, randomness, logger },
    onEvent: ({ kind, room, type, n, by, seq }) => log(kind, { room, type, n, by, seq }),
  });
  log('started', { peer: peer.peer });
  try {
    await peer.ended;
  } finally {
    await service.close();
    log('stopped');
  }
}

export const membershipdCommand: Command = {
  words: ['membershipd'],
  changes: 'bus',
  args: [],
  options: {},
  summary: 'Orders and stores the membership logs of rooms, until a signal ends it.',
  notes: `Runs as --identity (default: membershipd), which is made with the role membershipd at its first use where the profile holds the
workspace's root. Without --nats-url, and unless the context is a remote one, it also starts the profile's managed nats-server (needs nats-server
on the path), makes the streams there, and ends it when it ends: with that a whole fabric is one command. It signs no entry and sees no key; any number may
run, and rooms do not fork. Prints on stderr one JSON value a line: {at, event, …} with the events connected, started,
stored {room, type, n, by, seq}, denied, revoked, stopped. Exit code 0 after a signal, when what was asked is answered.`,
  needs: `${passNeed}; nats-server is on the path`,
  example: 'VAK_PASSPHRASE_FILE=~/pass vak membershipd',
  isService: true,
  async run({ common }, host) {
    const named = { ...common, identity: common.identity ?? 'membershipd' };
    const log = createEventLog(host);
    await withWorkPeer({ common: named, roles: ['membershipd'], queues: [], log, isManaging: true }, host, (peer) =>
      serve(peer, host),
    );
    return exitCodes.done;
  },
};
