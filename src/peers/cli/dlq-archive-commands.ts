/** `vak dlq archive|restore`: takes dead letters out of sight, and back; on record, by their places (docs/spec/triage.md D5, D6). */

import { createUuid } from '../../engine/ports/randomness.ts';
import { archiveLetters } from '../../engine/triage/letter-acts.ts';
import type { FrozenLetters } from '../../engine/triage/letter-plans.ts';
import { auditSubject, draftAction } from '../../engine/work/purge-records.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { LetterPlan } from '../../shared/contract/dlq-contract.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { filterNotes } from './dlq-commands.ts';
import { planLines, planWords } from './dlq-lines.ts';
import { type LettersLook, withLetters } from './dlq-look.ts';
import { createPlans, readReason, readSelection } from './dlq-selection.ts';
import { letterNeed } from './example-needs.ts';
import { publishDurably } from './publish-delivery.ts';
import { checkRights, requireOperator } from './publish-rights.ts';

type Doing = 'archive' | 'restore';

interface Acting {
  readonly look: LettersLook;
  readonly doing: Doing;
  readonly frozen: FrozenLetters;
  readonly plan: LetterPlan;
  readonly reason: string | undefined;
}

/** Puts it on record through one outbox; gives how many, under which operation. */
async function act({ look: { bus }, doing, frozen, plan, reason }: Acting, host: CliHost) {
  // Read only here: the store of an outbox has a native part, and most commands need none.
  const { withOwnOutbox } = await import('./own-outbox.ts');
  const { clock, randomness, signal } = host;
  const { workspace } = bus.open;
  const { peer } = bus.identity;
  const subject = auditSubject(workspace, peer);
  const operationId = createUuid(clock, randomness);
  const count = await withOwnOutbox({ ...bus, subject }, host, async (durable) => {
    checkRights(subject, durable.session('d'), { ...bus, nowMs: clock.now() });
    const request = { ...frozen, isArchived: doing === 'archive', operationId, environment: plan.environment };
    return await archiveLetters({ ...request, reason, signal }, async (action) => {
      const draft = draftAction(action, { workspace, peer, trace: startTrace(randomness.bytes) });
      await publishDurably(durable, draft, { clock, signal: new AbortController().signal });
    });
  });
  return { operationId, count };
}

function createCommand(doing: Doing, more: Pick<Command, 'summary' | 'example'>): Command {
  return {
    words: ['dlq', doing],
    changes: 'bus',
    args: ['[SEQ|ID...]'],
    options: {
      match: { value: 'FILTER', help: 'all that match, in place of places' },
      'dry-run': { help: 'only says what would be done' },
      reason: { value: 'R', help: 'why, for the record; at most 1 KiB' },
    },
    ...more,
    notes: `What it touches is frozen first: letters that come later are not in it. With --json prints {operationId, action, count, allCount,
environment, cutoffSeq, queues, leftOut: [{why, count}]}; operationId is null with --dry-run. Each operation is on record with its
letters. Exit code 1 if there is nothing to ${doing}, also with --dry-run. ${filterNotes}`,
    needs: letterNeed,
    async run(input, host) {
      const selection = readSelection(input, doing);
      const reason = readReason(input.option('reason'));
      return await withLetters(input.common, host, async (look) => {
        const { bus, answers } = look;
        requireOperator(`dlq ${doing}`, { ...bus, nowMs: host.clock.now() });
        const plans = createPlans(input.common, look, host);
        const plan = plans.make({ ...answers.select(selection(look)), action: doing });
        const { planId, ...told } = plan;
        if (plan.count === 0) throw new VakError('not-found', `dlq ${doing}: none; ${planWords(plan)}`);
        if (input.isOn('dry-run')) {
          host.output.data({ operationId: null, action: doing, ...told }, planLines(plan).join('\n'));
          return exitCodes.done;
        }
        const frozen = plans.take(planId, doing);
        const { operationId, count } = await act({ look, doing, frozen, plan, reason }, host);
        host.output.change({ operationId, action: doing, ...told, count });
        const [first = '', ...rest] = planLines({ ...plan, count });
        for (const line of [`${doing}d ${first}`, ...rest]) host.output.talk(line);
        return exitCodes.done;
      });
    },
  };
}

export const dlqArchiveCommands: readonly Command[] = [
  createCommand('archive', {
    summary: 'Takes dead letters out of the lists, as --identity, which must be an operator; nothing is deleted.',
    example: `vak dlq archive --match 'queue:builds error:exit' --dry-run --context prod\nvak dlq archive "$(vak dlq ls --context prod --json | jq -rs '.[0].seq')" --reason 'known, see #12' --context prod`,
  }),
  createCommand('restore', {
    summary: 'Brings archived dead letters back, as --identity, which must be an operator.',
    example: "vak dlq restore --match 'state:archived' --reason 'not fixed after all' --context prod",
  }),
];
