/** `vak queues pause|resume`: an operator's word that workers obey (protocol.md W9, E13). */
import type { DurablePlane } from '../../engine/bus/durable.ts';
import { createNkeySigner } from '../../engine/identity/nkey.ts';
import { pauseQueue } from '../../engine/work/queue-pause.ts';
import { type QueuePlace, queueConsumer, workStreamOf } from '../../engine/work/work-queue.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { type Command, exitCodes } from './command.ts';
import { contextNeed } from './example-needs.ts';
import { withIdentityBus } from './identity-bus.ts';
import { requireOperator } from './publish-rights.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';

/** Whether somebody has made the queue. */
async function isMade(durable: DurablePlane, place: QueuePlace): Promise<boolean> {
  try {
    await durable.stream(workStreamOf(place.workspace)).consumer(queueConsumer(place).name).state();
    return true;
  } catch (error) {
    if (isVakError(error, 'not-found')) return false;
    throw error;
  }
}

function createCommand(word: 'pause' | 'resume', more: Pick<Command, 'summary' | 'notes'>): Command {
  const isPaused = word === 'pause';
  return {
    words: ['queues', word],
    changes: 'bus',
    args: ['QUEUE'],
    options: {},
    ...more,
    needs: `the streams are there (vak provision); ${contextNeed}`,
    example: `vak queues ${word} builds --context prod`,
    async run({ args: [text], common }, host) {
      const queue = checkToken(text ?? '', 'QUEUE');
      return await withIdentityBus({ common }, host, async (bus) => {
        const { identity, open } = bus;
        const { durable } = bus.fabric;
        const { workspace } = open;
        const { peer } = identity;
        const { clock, output } = host;
        requireOperator(`queues ${word}`, { ...bus, nowMs: clock.now() });
        const signer = createNkeySigner(identity.signSeed);
        const trust = createWorkspaceTrust({ ...bus, workspace }, host);
        try {
          await pauseQueue({ workspace, queue, peer }, isPaused, { durable, signer, clock, reader: trust.state });
        } catch (error) {
          if (!isVakError(error, 'not-found')) throw error;
          throw new VakError('not-found', `${error.message}; make the streams and buckets with vak provision`, {
            cause: error,
          });
        } finally {
          trust.dispose();
          signer.dispose();
        }
        if (!(await isMade(durable, { workspace, queue }))) {
          output.talk(`vak: there is no queue ${queue} yet; it holds as soon as there is one`);
        }
        output.change({ queue, isPaused, by: peer });
        output.talk(`queue ${queue} ${isPaused ? 'is paused' : 'goes on'}`);
        return exitCodes.done;
      });
    },
  };
}

export const queuePauseCommands: readonly Command[] = [
  createCommand('pause', {
    summary: 'Pauses a queue: its workers claim nothing until it goes on.',
    notes: `Signed as --identity, which must be an operator; what workers run at the time goes on to its end. With --json prints {queue,
isPaused, by}. vak queues shows who paused a queue. It is told only when workers obey it; exit code 1 if they would not, because the clock
of this machine is wrong.`,
  }),
  createCommand('resume', {
    summary: 'Lets a queue go on that was paused.',
    notes:
      'Signed as --identity, which must be an operator. With --json prints {queue, isPaused, by}. Exit code 1 as for vak queues pause.',
  }),
];
