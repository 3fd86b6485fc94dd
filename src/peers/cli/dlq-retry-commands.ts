/** `vak dlq retry|edit`: dead letters back to work, as they were or mended (docs/spec/triage.md D6–D9). */
import type { RetryCampaigns } from '../../engine/triage/retry-campaigns.ts';
import { plannedLetter } from '../../engine/triage/retry-service.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { type CliHost, type Command, type CommandInput, type ExitCode, exitCodes } from './command.ts';
import { followCampaign, withCampaigns } from './dlq-campaign.ts';
import { filterNotes } from './dlq-commands.ts';
import { planLines, planWords } from './dlq-lines.ts';
import { findLetter, withLetters } from './dlq-look.ts';
import { createPlans, environmentOf, readReason, readSelection } from './dlq-selection.ts';
import { letterNeed } from './example-needs.ts';
import { readPayload } from './publish-payload.ts';
import { requireOperator } from './publish-rights.ts';

const usualRate = 10;

/** `N` or `N/s`. Throws `invalid-input`. */
function readRate(text: string | undefined): number {
  if (text === undefined) return usualRate;
  const found = /^(\d{1,4}(?:\.\d{1,3})?)(?:\/s)?$/.exec(text)?.[1];
  const rate = found === undefined ? 0 : Number(found);
  if (rate >= 0.1 && rate <= 1000) return rate;
  throw new VakError('invalid-input', `--rate: found ${text.length} characters, allowed: 0.1/s to 1000/s`);
}

const readQueue = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : checkToken(text, '--queue');

/** Campaigns of earlier commands and of the app that ended in their midst. */
async function resume(input: CommandInput, host: CliHost): Promise<ExitCode> {
  if (input.args.length > 0 || input.option('match') !== undefined) {
    throw new VakError('invalid-input', '--resume: takes no letters; it goes on with those that were frozen before');
  }
  return await withLetters(input.common, host, async (look) => {
    requireOperator('dlq retry', { ...look.bus, nowMs: host.clock.now() });
    const environment = environmentOf(input.common, look);
    return await withCampaigns({ look, environment }, host, async (campaigns) => {
      await campaigns.resume();
      const open = campaigns.states().filter(({ state }) => state === 'running' || state === 'waiting');
      if (open.length === 0) host.output.talk('vak: no campaign of this profile is left to go on with');
      const codes: ExitCode[] = [];
      for (const { operationId } of open) codes.push(await followCampaign(campaigns, operationId, host));
      return codes.every((code) => code === exitCodes.done) ? exitCodes.done : exitCodes.no;
    });
  });
}

const retry: Command = {
  words: ['dlq', 'retry'],
  changes: 'bus',
  args: ['[SEQ|ID...]'],
  options: {
    match: { value: 'FILTER', help: 'all that match, in place of places' },
    canary: { help: '1, 2, 5, 20 first, each step when the outcomes of the last are known; any failure stops it' },
    rate: { value: 'N/s', help: 'so many a second (default 10/s)' },
    queue: { value: 'Q', help: 'into another queue than their own' },
    'dry-run': { help: 'only says what would be done' },
    resume: { help: 'goes on with what an earlier command left, in place of letters' },
    reason: { value: 'R', help: 'why, for the record; at most 1 KiB' },
  },
  summary: 'Retries dead letters as --identity, which must be an operator: each as a new task with a new id.',
  notes: `What it touches is frozen first: letters that come later are not in it. Prints {operationId, seq, taskId, queue, outcome: done|failed-same|
failed-new|lost|refused|cancelled|…, cause, why}, one a line, when nothing more comes of a letter; cause is what the retry failed with.
How far it is goes to stderr. Exit code 0 if all are done, 1 if any is not, or a canary stopped it; a signal ends what has not begun,
and that is 4. Five failures in a row for one cause stop it too. What was killed in its midst goes on with --resume, and nothing is
retried twice. With --dry-run as vak dlq archive. ${filterNotes}`,
  needs: letterNeed,
  example: `vak dlq retry --match 'queue:builds error:exit after:2d' --canary --rate 5/s --dry-run --context prod`,
  async run(input, host) {
    const { common, isOn, option } = input;
    const [ratePerSec, queue] = [readRate(option('rate')), readQueue(option('queue'))];
    const reason = readReason(option('reason'));
    if (isOn('resume')) return await resume(input, host);
    const selection = readSelection(input, 'retry');
    return await withLetters(common, host, async (look) => {
      requireOperator('dlq retry', { ...look.bus, nowMs: host.clock.now() });
      const plans = createPlans(common, look, host);
      const { planId, ...plan } = plans.make({ ...look.answers.select(selection(look)), action: 'retry' });
      if (plan.count === 0) {
        throw new VakError('not-found', `dlq retry: none; ${planWords({ planId, ...plan })}`);
      }
      if (isOn('dry-run')) {
        host.output.data({ operationId: null, action: 'retry', ...plan }, planLines({ planId, ...plan }).join('\n'));
        return exitCodes.done;
      }
      const { letters, cutoffSeq, scope: title } = plans.take(planId, 'retry');
      const { environment } = plan;
      const items = letters.map(plannedLetter).sort((a, b) => a.seq - b.seq);
      for (const line of planLines({ planId, ...plan })) host.output.talk(line);
      return await withCampaigns({ look, environment }, host, async (campaigns) => {
        const options = { isCanary: isOn('canary'), ratePerSec, queue, reason };
        const { operationId } = await campaigns.begin({ items, cutoffSeq, title, environment }, options);
        return await followCampaign(campaigns, operationId, host);
      });
    });
  },
};

const edit: Command = {
  words: ['dlq', 'edit'],
  changes: 'bus',
  args: ['SEQ|ID'],
  options: {
    data: { value: '-|FILE|JSON', help: 'the new payload, whole' },
    queue: { value: 'Q', help: 'into another queue than its own' },
    reason: { value: 'R', help: 'why, for the record; at most 1 KiB' },
  },
  summary: 'Retries one dead letter with another payload, as --identity, which must be an operator.',
  notes: `The payload alone is another one: lineage, trace and ids are not to be edited. It is checked as its worker will check it, and not a
digit of it changes. vak dlq show --open gives what it is now. Prints one line as vak dlq retry does; the letter stays, and says by which
task it was retried. Exit code 0 if it is done, 1 if not, 2 if no worker could run it.`,
  needs: letterNeed,
  example: `vak dlq edit "$(vak dlq ls state:open --context prod --json | jq -rs '.[0].seq')" --data '{"command":["true"]}' --reason 'wrong command' --context prod`,
  async run(input, host) {
    const {
      args: [text = ''],
      common,
      option,
    } = input;
    const given = option('data');
    if (given === undefined) throw new VakError('invalid-input', '--data: missing; give the new payload, - for stdin');
    const [queue, reason] = [readQueue(option('queue')), readReason(option('reason'))];
    const data = await readPayload(given, host);
    return await withLetters(common, host, async (look) => {
      requireOperator('dlq edit', { ...look.bus, nowMs: host.clock.now() });
      const letter = findLetter(text, look);
      const why = look.answers.whyLeftOut(letter, 'retry');
      if (why !== undefined) throw new VakError('conflict', `dlq edit: dead letter ${letter.seq}: ${why}`);
      const environment = environmentOf(common, look);
      return await withCampaigns({ look, environment }, host, async (campaigns: RetryCampaigns) => {
        const title = `dead letter ${letter.seq}`;
        const plan = { items: [plannedLetter(letter)], cutoffSeq: letter.seq, title, environment };
        const { operationId } = await campaigns.edit(plan, { data, queue, reason });
        return await followCampaign(campaigns, operationId, host);
      });
    });
  },
};

export const dlqRetryCommands: readonly Command[] = [retry, edit];
