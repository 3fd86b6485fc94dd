/** `vak queues`: the figures of a workspace's queues, once or again and again (protocol.md W9). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { readQueueFigures } from '../../engine/work/queue-figures.ts';
import { workStreamOf } from '../../engine/work/work-queue.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { withBus } from './bus-connection.ts';
import { withDirectory } from './bus-directory.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { withEnvelopeWorkspace } from './envelope-workspace.ts';
import { serverNeed } from './example-needs.ts';
import { createLiveRates, type LiveRates } from './live-rates.ts';
import { lookAgain, readInterval } from './look-again.ts';
import { type QueueLook, queueTable, queueValue } from './queue-lines.ts';
import { createQueueJudge, type QueueJudge } from './queue-look.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';

interface Looking {
  readonly workspace: string;
  readonly fabric: Fabric;
  readonly judge: QueueJudge;
  readonly rates: LiveRates;
}

async function look({ workspace, fabric: { durable }, judge, rates }: Looking): Promise<readonly QueueLook[]> {
  const judged = await judge.judge(await readQueueFigures({ workspace, durable }));
  return judged.map((one) => {
    const { queue } = one.figures;
    rates.noteCounts(queue, one.figures);
    return { ...one, rate: rates.of(queue) };
  });
}

function textOf(looks: readonly QueueLook[], isJson: boolean, { clock }: CliHost): string {
  const nowMs = clock.now();
  if (!isJson) return queueTable(looks, nowMs);
  return looks.map((one) => `${JSON.stringify(queueValue(one, nowMs))}\n`).join('');
}

/** Listens to tasks on their way; each is heard once, also one that is done before anybody looks. */
function hearTasks({ workspace, fabric, rates }: Looking): Disposable {
  return fabric.bus.subscribe(`vak.work.${workspace}.*.task`, {
    kind: 'inline',
    onMessage({ subject }) {
      const queue = subject.split('.')[3];
      if (queue !== undefined) rates.noteTask(queue);
    },
  });
}

async function watch(looking: Looking, { everyMs, isJson }: { everyMs: number; isJson: boolean }, host: CliHost) {
  const hearing = hearTasks(looking);
  const lookNow = async (): Promise<string> => textOf(await look(looking), isJson, host);
  try {
    const { fabric, rates } = looking;
    await lookAgain(fabric, { everyMs, look: lookNow, isSpaced: !isJson, onBack: rates.reset }, host);
  } finally {
    hearing.dispose();
  }
}

/** Why there is none: on a server that nobody has made ready no task and no worker can make one. */
async function noneWords({ workspace, fabric: { durable } }: Looking): Promise<string> {
  try {
    await durable.stream(workStreamOf(workspace)).state();
  } catch (error) {
    if (isVakError(error, 'not-found')) return 'has no streams here; make them with vak provision';
  }
  return 'has no queue here; the first task or worker makes one';
}

async function once(looking: Looking, isJson: boolean, host: CliHost): Promise<void> {
  const looks = await look(looking);
  if (looks.length > 0) host.output.print(textOf(looks, isJson, host));
  else host.output.talk(`vak: workspace ${looking.workspace} ${await noneWords(looking)}`);
}

export const queuesCommand: Command = {
  words: ['queues'],
  changes: 'nothing',
  args: ['[SECONDS]'],
  options: { watch: { help: 'looks again every SECONDS (2, unless told) until a signal' } },
  summary: 'Shows the queues of the workspace and their figures; see also vak queues pause and resume.',
  notes: `Prints a table, or with --json {at, queue, pending, inFlight, redelivered, lag, oldest, waitingWorkers, lastClaim, state, stateSince,
inPerSec, outPerSec, drainMs, maxRetries, isPaused, paused: {by, since}}, one a line. Nothing is claimed, and no key store is needed;
isPaused is null where nobody can judge who may pause a queue. Rates are known from the second look of --watch on, over the last minute at
most, without what was purged, and null before; drainMs is null too while the lag does not get smaller. Waiting workers are those that wait for a task now. The state
is ok, idle (no task), paused, stuck (tasks wait and some are claimed, but for two ack waits, a minute, no worker gave a sign of life),
waiting (tasks wait, none was claimed lately, and nobody asks for one) or no-consumer (that, for 10 s); a paused queue looks like the last one where nobody can judge. --watch lives
through outages; exit code 4 after a signal.`,
  needs: serverNeed,
  example: 'vak queues --nats-url nats://127.0.0.1:4222',
  async run(input, host) {
    const { common, isOn } = input;
    const { workspace } = common;
    const hint = 'vak queues: takes seconds with --watch only; its other commands are pause, resume';
    const everyMs = readInterval(input, hint);
    const isJson = isOn('json');
    return await withEnvelopeWorkspace({ common, wanted: 'grants' }, host, async (known) => {
      const { profile, open, whyClosed } = known;
      if (open === undefined) host.output.talk(`vak: whether a queue is paused cannot be told: ${whyClosed}`);
      profile.keyStore.setIdleLockMinutes(0);
      const trust = open === undefined ? undefined : createWorkspaceTrust({ ...known, workspace }, host);
      try {
        await withBus({ common, profile, host }, async (fabric) => {
          const { clock } = host;
          const judge = createQueueJudge({ workspace, durable: fabric.durable, trust, clock });
          const looking = { workspace, fabric, judge, rates: createLiveRates(clock) };
          await withDirectory({ open, fabric, peer: undefined, isPublishing: false }, host, () =>
            everyMs === undefined ? once(looking, isJson, host) : watch(looking, { everyMs, isJson }, host),
          );
        });
        return exitCodes.done;
      } finally {
        trust?.dispose();
      }
    });
  },
};
