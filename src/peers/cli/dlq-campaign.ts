/** A retry campaign as a command runs it: it lasts as long as the command, and the next one goes on with what it left (D7, D8). */
import type { CampaignRecord } from '../../engine/triage/campaign-record.ts';
import { createCampaignStore } from '../../engine/triage/campaign-store.ts';
import { createRetryCampaigns, type RetryCampaigns } from '../../engine/triage/retry-campaigns.ts';
import { pause } from '../../engine/wait.ts';
import { auditSubject } from '../../engine/work/purge-records.ts';
import type { CampaignState, RetryOutcome } from '../../shared/contract/dlq-contract.ts';
import { type CliHost, type ExitCode, exitCodes } from './command.ts';
import type { LettersLook } from './dlq-look.ts';
import { checkRights } from './publish-rights.ts';

/** So long outcomes are waited for when all is published, ms. */
const patienceMs = 10 * 60_000;
const lookEveryMs = 100;
const talkEveryMs = 2_000;
/** After a signal: how long it is waited until the end is on record, ms. */
const recordMs = 600;

type Item = CampaignRecord['items'][number];

export interface CampaignAsked {
  readonly look: LettersLook;
  readonly environment: string;
}

/** Runs with the campaigns of the profile, on the server that is connected. */
export async function withCampaigns<T>(
  { look: { bus, trust, letters, answers }, environment }: CampaignAsked,
  host: CliHost,
  work: (campaigns: RetryCampaigns) => Promise<T>,
): Promise<T> {
  // Read only here: the store of an outbox has a native part, and most commands need none.
  const { withOwnOutbox } = await import('./own-outbox.ts');
  const { clock, randomness, logger, output } = host;
  const { workspace } = bus.open;
  const { peer } = bus.identity;
  const { destination } = bus.place;
  const subject = auditSubject(workspace, peer);
  bus.profile.keyStore.setIdleLockMinutes(0);
  return await withOwnOutbox({ ...bus, subject }, host, async (durable, own) => {
    checkRights(subject, durable.session('d'), { ...bus, nowMs: clock.now() });
    const ports = { clock, randomness, logger };
    const campaigns = createRetryCampaigns({
      ...{ ...ports, workspace, judge: trust.judge, reader: trust.reader, patienceMs },
      basis() {
        trust.knowledge.look();
        return trust.knowledge.version();
      },
      place: async () => ({
        ...{ destination, peer, durable: bus.fabric.durable, publish: durable.publish, ...own },
      }),
      whyNot(seq) {
        const letter = letters.book.get(seq);
        return letter === undefined ? undefined : answers.whyLeftOut(letter, 'retry');
      },
      store: createCampaignStore({
        ...{ ...ports, folder: bus.profile.files.campaigns },
        report: ({ message }) => output.talk(`vak: ${message}`),
      }),
      environment: () => environment,
      onChange: () => {},
    });
    try {
      return await work(campaigns);
    } finally {
      await campaigns.close();
    }
  });
}

const isRunning = ({ state }: CampaignState): boolean => state === 'running' || state === 'waiting';
/** Nothing more comes of it. */
const lasting: ReadonlySet<RetryOutcome> = new Set([
  'done',
  'failed-same',
  'failed-new',
  'lost',
  'refused',
  'cancelled',
]);

function progressText(state: CampaignState): string {
  const { count, counts, step, why } = state;
  const said = Object.entries(counts).flatMap(([outcome, of]) => (of === 0 ? [] : [`${of} ${outcome}`]));
  const at = step === null ? '' : `canary step ${step.index + 1} of ${step.of}, `;
  return `${at}${count} ${count === 1 ? 'letter' : 'letters'}: ${said.join(', ')}${why === null ? '' : `; ${why}`}`;
}

/** Prints each letter when nothing more comes of it, and how far it is from time to time. */
function createPrinter(operationId: string, items: readonly Item[], { output, clock }: CliHost) {
  const printed = new Set<number>();
  let [talked, talkedMs] = ['', Number.NEGATIVE_INFINITY];
  function print(isEnd: boolean): void {
    for (const { seq, taskId, queue, outcome, failedWith, why } of items) {
      if (printed.has(seq) || !(isEnd || lasting.has(outcome))) continue;
      printed.add(seq);
      const value = { operationId, seq, taskId, queue, outcome, cause: failedWith, why };
      output.data(value, [`${seq}`, outcome, taskId, ...(why === null ? [] : [why])].join('  '));
    }
  }
  return {
    print,
    talk(state: CampaignState, isEnd = false): void {
      const text = progressText(state);
      if (text === talked || (!isEnd && clock.monotonic() - talkedMs < talkEveryMs)) return;
      [talked, talkedMs] = [text, clock.monotonic()];
      output.talk(text);
    },
  };
}

/** Waits until what is known is on record, for as long as a command has after a signal. */
async function waitForRecord(campaigns: RetryCampaigns, operationId: string, { clock }: CliHost): Promise<void> {
  const never = new AbortController().signal;
  const endMs = clock.monotonic() + recordMs;
  while (!campaigns.isOver(operationId) && clock.monotonic() < endMs) await pause(clock, lookEveryMs, never);
}

/** Waits for a campaign, and prints what comes of it; gives the exit code. */
export async function followCampaign(campaigns: RetryCampaigns, operationId: string, host: CliHost): Promise<ExitCode> {
  const { clock, signal, output } = host;
  const items = campaigns.items(operationId) ?? [];
  const printer = createPrinter(operationId, items, host);
  const stateNow = () => campaigns.state(operationId);
  while (!campaigns.isOver(operationId) && !signal.aborted) {
    const state = stateNow();
    if (state !== undefined) printer.talk(state);
    printer.print(false);
    await pause(clock, lookEveryMs, signal);
  }
  // What was published stays published; told at once, for a command has little time left then.
  // One that another process works on is not this command's to end.
  if (signal.aborted && campaigns.items(operationId) !== undefined) await campaigns.cancel(operationId);
  printer.print(true);
  const state = stateNow();
  if (state === undefined) return exitCodes.no;
  printer.talk(state, true);
  if (signal.aborted) {
    output.talk('vak: interrupted: what was published stays published, what was not begun stays as it was');
    await waitForRecord(campaigns, operationId, host);
  }
  return !isRunning(state) && state.counts.done === state.count ? exitCodes.done : exitCodes.no;
}
