/** `vak metrics`: the figures of a workspace, once or again and again, also as Prometheus reads them (protocol.md W10). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { prometheusText } from '../../engine/metrics/prometheus-text.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { inBusWords, withBus } from './bus-connection.ts';
import { withDirectory } from './bus-directory.ts';
import { type CliHost, type Command, type CommandInput, exitCodes } from './command.ts';
import { withEnvelopeWorkspace } from './envelope-workspace.ts';
import { serverNeed } from './example-needs.ts';
import { lookAgain, readInterval } from './look-again.ts';
import { metricFamilies } from './metrics-families.ts';
import { metricsText, metricsValue } from './metrics-lines.ts';
import { type MetricsLook, watchMetrics } from './metrics-look.ts';
import { createWorkspaceTrust, type WorkspaceTrust } from './workspace-trust.ts';

type Format = 'text' | 'json' | 'prometheus';

function readFormat({ isOn }: CommandInput): Format {
  if (!isOn('prometheus')) return isOn('json') ? 'json' : 'text';
  if (isOn('json')) throw new VakError('invalid-input', 'vak metrics: --json and --prometheus exclude each other');
  return 'prometheus';
}

function textOf(look: MetricsLook, format: Format): string {
  if (format === 'json') return `${JSON.stringify(metricsValue(look))}\n`;
  return format === 'prometheus' ? prometheusText(metricFamilies(look)) : metricsText(look);
}

interface Asked {
  readonly workspace: string;
  readonly format: Format;
  /** Undefined: once. */
  readonly everyMs: number | undefined;
}

async function run(
  { workspace, format, everyMs }: Asked,
  { fabric, trust }: { readonly fabric: Fabric; readonly trust: WorkspaceTrust | undefined },
  host: CliHost,
): Promise<void> {
  const { clock, output } = host;
  const watching = watchMetrics({ workspace, fabric, trust, clock }, { isLive: everyMs !== undefined });
  try {
    if (everyMs === undefined) {
      const look = await watching.look();
      if (look.streams.length === 0) {
        output.talk(`vak: workspace ${workspace} has no streams here; make them with vak provision`);
      }
      output.print(textOf(look, format));
      return;
    }
    const look = async (): Promise<string> => textOf(await watching.look(), format);
    await lookAgain(fabric, { everyMs, look, isSpaced: format !== 'json' }, host);
  } finally {
    watching.dispose();
  }
}

export const metricsCommand: Command = {
  words: ['metrics'],
  changes: 'nothing',
  args: ['[SECONDS]'],
  options: {
    watch: {
      help: 'looks again every SECONDS (2, unless told) until a signal, listens meanwhile, and follows what tasks come to',
    },
    prometheus: { help: 'prints the text format of Prometheus (0.0.4)' },
  },
  summary:
    'Shows the metrics of the workspace: queues, dead letters, streams; with --watch live traffic and what tasks come to.',
  notes: `Prints tables, or with --json one line a look: {at, workspace, deadLetters, refusedDeadLetters, unjudgedDeadLetters, activeQueueLag, queues: [{queue, pending, inFlight, redelivered,
lag, oldest, waitingWorkers, lastClaim, state, stateSince}], streams: [{stream, messages, bytes}]}, and with --watch {live: {received,
receivedBytes, dropped, planes, publishToDeliver}, tasks: {done, finishedLate, dead, failedAttempts, lost, refusedRecords, claimToDone}},
counted since it began; times are {count, meanMs, p50Ms, p90Ms, p99Ms, maxMs}. Nothing is claimed and nothing published. No key store is
needed; without one it cannot be told whether a queue is paused, what tasks come to (tasks is null), and which dead letters count:
deadLetters is then all that lie there, and refusedDeadLetters and unjudgedDeadLetters are null. publishToDeliver is from the time
in an envelope, by its author's clock, to its arrival here; claimToDone is how long an attempt took by its receipt. With --watch
--prometheus each look is a whole exposition after a blank line. --watch lives through outages, and counts what it hears only; exit code 4
after a signal.`,
  needs: serverNeed,
  example: 'vak metrics --prometheus --nats-url nats://127.0.0.1:4222 > vak.prom',
  async run(input, host) {
    const { common } = input;
    const { workspace } = common;
    const everyMs = readInterval(input, 'vak metrics: takes seconds with --watch only');
    const asked = { workspace, format: readFormat(input), everyMs };
    return await withEnvelopeWorkspace({ common, wanted: 'grants' }, host, async (known) => {
      const { profile, open, whyClosed } = known;
      if (open === undefined) {
        const what = `a queue is paused${everyMs === undefined ? '' : ', what tasks come to'} and which dead letters count`;
        host.output.talk(`vak: whether ${what} cannot be told: ${whyClosed}`);
      }
      profile.keyStore.setIdleLockMinutes(0);
      const trust = open === undefined ? undefined : createWorkspaceTrust({ ...known, workspace }, host);
      const onRefused = (error: VakError): void =>
        void inBusWords(error, { common, profile, host }).then((said) => {
          if (isVakError(said)) host.output.talk(`vak: ${said.message}`);
        });
      try {
        await withBus({ common, profile, host, onRefused }, (fabric) =>
          withDirectory({ open, fabric, peer: undefined, isPublishing: false }, host, () =>
            run(asked, { fabric, trust }, host),
          ),
        );
        return exitCodes.done;
      } finally {
        trust?.dispose();
      }
    });
  },
};
