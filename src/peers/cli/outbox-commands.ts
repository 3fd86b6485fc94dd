/** `vak outbox ls|send`: durable messages that no server has acknowledged yet (protocol.md B8). */

import {
  listOutboxFolders,
  listOutboxSlots,
  type OutboxFolder,
  openOutboxSlot,
} from '../../engine/outbox/outbox-folder.ts';
import { openOutboxStore } from '../../engine/outbox/outbox-store.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { withBus } from './bus-connection.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { checkSources, withEnvelopeWorkspace } from './envelope-workspace.ts';
import { builderNeed, contextNeed } from './example-needs.ts';
import { sendOwnLeft } from './own-outbox.ts';
import { withProfile } from './profile.ts';
import { chosenIdentity } from './workspace.ts';

/** Prints what lies in one journal; gives whether it is whole. */
async function printSlot(
  { destination, peer, ...folder }: OutboxFolder,
  slot: number,
  host: CliHost,
): Promise<boolean> {
  const where = { destination, peer, slot };
  const name = `${destination}  ${peer}  ${slot}`;
  const journal = await openOutboxSlot({ destination, peer, ...folder }, slot, host);
  if (journal === undefined) {
    host.output.data({ ...where, isInUse: true }, `${name}  in use by a process that runs`);
    return true;
  }
  const { readOnlyReason: problem = null } = journal;
  try {
    const { found } = await openOutboxStore(journal, host.logger);
    const { entries, refusals, damagedCount } = found;
    const bytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const oldest = entries[0] === undefined ? null : new Date(entries[0].record.putMs).toISOString();
    const value = { waiting: entries.length, bytes, oldest, voidsOwed: refusals.length, damaged: damagedCount };
    const since = oldest === null ? '' : `  since ${oldest}`;
    const rest = `${refusals.length} void records owed  ${damagedCount} damaged`;
    host.output.data(
      { ...where, isInUse: false, ...value, problem },
      `${name}  ${entries.length} waiting  ${bytes} bytes${since}  ${rest}${problem === null ? '' : `  ${problem}`}`,
    );
    return problem === null && damagedCount === 0;
  } finally {
    await journal.close();
  }
}

const ls: Command = {
  words: ['outbox', 'ls'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Lists the outboxes of this profile and what waits in them.',
  notes: `Prints {destination, peer, slot, isInUse, waiting, bytes, oldest, voidsOwed, damaged, problem}, one a line. A destination is
embedded, managed, or the address of a server, with a check of all of it behind; each process of an identity has a slot of its own.
Needs no server. Exit code 1 if one is damaged: what waits in it may not be counted, and problem says what to do.`,
  example: 'vak outbox ls --json',
  async run({ common }, host) {
    await checkSources(common, host);
    return await withProfile(common, host, async ({ files }) => {
      let isWhole = true;
      for (const folder of await listOutboxFolders(files.outbox, common.workspace)) {
        for (const slot of await listOutboxSlots(folder)) {
          if (!(await printSlot(folder, slot, host))) isWhole = false;
        }
      }
      return isWhole ? exitCodes.done : exitCodes.no;
    });
  },
};

const send: Command = {
  words: ['outbox', 'send'],
  changes: 'bus',
  args: [],
  options: {},
  summary: 'Sends what waits in the outbox of --identity for a server.',
  notes: `Prints {sent, refused, waiting}. What was put for another server or context stays. Exit code 1 if some was refused for good or
an outbox is damaged, 3 if some still waits; what a running process has open is its own to send.`,
  needs: `${contextNeed}; ${builderNeed}`,
  example: 'vak outbox send --identity builder --context prod',
  async run({ common }, host) {
    return await withEnvelopeWorkspace({ common, wanted: 'identity' }, host, async ({ profile, open }) => {
      if (open === undefined) throw new TypeError('outbox: the workspace is not open');
      const identity = chosenIdentity(open.contents(), common.identity);
      return await withBus({ common, profile, host, peer: identity.peer }, async (fabric, place) => {
        const left = await sendOwnLeft({ open, identity, secrets: undefined, fabric, place }, host);
        const { sentCount: sent, refusedCount: refused, waitingCount: waiting } = left;
        host.output.data({ sent, refused, waiting }, `${sent} sent  ${refused} refused  ${waiting} waiting`);
        const [problem] = left.problems;
        if (problem !== undefined) throw problem;
        if (waiting > 0) {
          const what = waiting === 1 ? '1 message still waits' : `${waiting} messages still wait`;
          throw new VakError('timeout', `outbox: ${what}; nothing is lost, try again later`);
        }
        return refused > 0 ? exitCodes.no : exitCodes.done;
      });
    });
  },
};

export const outboxCommands: readonly Command[] = [ls, send];
