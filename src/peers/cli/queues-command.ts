/** `vak queues`: the figures of a workspace's queues, once or again and again (protocol.md W9). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { pause } from '../../engine/wait.ts';
import { readQueueFigures } from '../../engine/work/queue-figures.ts';
import { readQueueFlag } from '../../engine/work/queue-flags.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { withBus } from './bus-connection.ts';
import { type CliHost, type Command, type CommandInput, exitCodes } from './command.ts';
import { withEnvelopeWorkspace } from './envelope-workspace.ts';
import { serverNeed } from './example-needs.ts';
import { createLiveRates, type LiveRates } from './live-rates.ts';
import { readSeconds } from './number-input.ts';
import { createOutageTalk } from './outage-talk.ts';
import { type QueueLook, queueTable, queueValue } from './queue-lines.ts';
import { createWorkspaceTrust, type WorkspaceTrust } from './workspace-trust.ts';

const usualMs = 2_000;

/** How often it looks, ms; undefined: once. Throws `invalid-input`. */
function readInterval({ args: [text], isOn }: CommandInput): number | undefined {
  if (text === undefined) return isOn('watch') ? usualMs : undefined;
  if (!isOn('watch')) {
    throw new VakError(
      'invalid-input',
      'vak queues: takes seconds with --watch only; its other commands are pause, resume',
    );
  }
  return readSeconds(text, 'SECONDS');
}

interface Looking {
  readonly workspace: string;
  readonly fabric: Fabric;
  /** Undefined: nobody can judge who may pause a queue. */
  readonly trust: WorkspaceTrust | undefined;
  readonly rates: LiveRates;
}

const noRates = { note: () => {}, of: () => ({ inPerSec: 0, outPerSec: 0 }) };

async function look({ workspace, fabric: { durable }, trust, rates }: Looking): Promise<readonly QueueLook[]> {
  trust?.knowledge.look();
  const looks: QueueLook[] = [];
  for (const figures of await readQueueFigures({ workspace, durable, rates: noRates })) {
    const { queue, lag } = figures;
    rates.noteLag(queue, lag);
    const flag =
      trust === undefined ? 'unknown' : await readQueueFlag({ workspace, queue }, { durable, reader: trust.state });
    looks.push({ figures, rate: rates.of(queue), flag });
  }
  return looks;
}

function print(looks: readonly QueueLook[], isJson: boolean, { output, clock }: CliHost): void {
  const nowMs = clock.now();
  if (!isJson) output.print(queueTable(looks, nowMs));
  else for (const one of looks) output.print(`${JSON.stringify(queueValue(one, nowMs))}\n`);
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

/** Looks and prints until a signal comes or nobody reads. Throws when the connection is closed for good. */
async function watch(looking: Looking, { everyMs, isJson }: { everyMs: number; isJson: boolean }, host: CliHost) {
  const { fabric, rates } = looking;
  const { clock, output, signal } = host;
  const held = createDisposer();
  let closed: VakError | undefined;
  held.add(hearTasks(looking));
  held.add(
    fabric.onStatus(
      createOutageTalk(host, {
        lost: 'vak: the connection is lost; it is sought until it is back',
        back(after) {
          rates.reset();
          return `vak: the connection is back after ${after}`;
        },
        onClosed(error) {
          closed = error;
        },
      }),
    ),
  );
  output.talk(`vak: looks every ${everyMs / 1_000} s`);
  try {
    let isFirst = true;
    while (!signal.aborted && (await output.isTaken())) {
      if (closed !== undefined) throw closed;
      try {
        const looks = await look(looking);
        if (!isFirst && !isJson) output.print('\n');
        print(looks, isJson, host);
        isFirst = false;
      } catch (error) {
        const isOutage = isVakError(error, 'disconnected') || isVakError(error, 'timeout');
        if (isFirst || !isOutage) throw error;
      }
      await pause(clock, everyMs, signal);
    }
  } finally {
    held.dispose();
  }
}

async function once(looking: Looking, isJson: boolean, host: CliHost): Promise<void> {
  const looks = await look(looking);
  if (looks.length > 0) print(looks, isJson, host);
  else host.output.talk(`vak: workspace ${looking.workspace} has no queue here; the first task or worker makes one`);
}

export const queuesCommand: Command = {
  words: ['queues'],
  args: ['[SECONDS]'],
  options: { watch: { help: 'looks again every SECONDS (2, unless told) until a signal' } },
  summary: 'Shows the queues of the workspace and their figures; see also vak queues pause and resume.',
  notes: `Prints a table, or with --json {at, queue, pending, inFlight, redelivered, lag, oldest, inPerSec, outPerSec, drainMs,
waitingWorkers, maxRetries, isPaused, paused: {by, since}}, one a line. Nothing is claimed, and no key store is needed; isPaused is null
where nobody can judge who may pause a queue. Rates are known from the second look of --watch on, over the last minute at most, and null
before; drainMs is null too while the lag does not get smaller. Waiting workers are those that wait for a task now. --watch lives through
outages; exit code 4 after a signal.`,
  needs: serverNeed,
  example: 'vak queues --nats-url nats://127.0.0.1:4222',
  async run(input, host) {
    const { common, isOn } = input;
    const { workspace } = common;
    const everyMs = readInterval(input);
    const isJson = isOn('json');
    return await withEnvelopeWorkspace({ common, wanted: 'grants' }, host, async (known) => {
      const { profile, open, whyClosed } = known;
      if (open === undefined) host.output.talk(`vak: whether a queue is paused cannot be told: ${whyClosed}`);
      profile.keyStore.setIdleLockMinutes(0);
      const trust = open === undefined ? undefined : createWorkspaceTrust({ ...known, workspace }, host);
      try {
        await withBus({ common, profile, host }, async (fabric) => {
          const looking = { workspace, fabric, trust, rates: createLiveRates(host.clock) };
          if (everyMs === undefined) await once(looking, isJson, host);
          else await watch(looking, { everyMs, isJson }, host);
        });
        return exitCodes.done;
      } finally {
        trust?.dispose();
      }
    });
  },
};
