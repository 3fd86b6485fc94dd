/** `vak dlq export`: dead letters and all that is known of them in one file that others can verify (docs/spec/triage.md D11). */

import { createNkeySigner } from '../../engine/identity/nkey.ts';
import { createUuid } from '../../engine/ports/randomness.ts';
import { type BundleResult, exportBundle } from '../../engine/triage/bundle-export.ts';
import type { FrozenLetters } from '../../engine/triage/letter-plans.ts';
import { auditSubject, draftAction } from '../../engine/work/purge-records.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { filterNotes } from './dlq-commands.ts';
import { planWords } from './dlq-lines.ts';
import { type LettersLook, withLetters } from './dlq-look.ts';
import { createPlans, readReason, readSelection } from './dlq-selection.ts';
import { letterNeed } from './example-needs.ts';
import { checkNewFile } from './new-file.ts';
import { publishDurably } from './publish-delivery.ts';
import { checkRights, requireOperator } from './publish-rights.ts';

interface Exporting {
  readonly look: LettersLook;
  readonly frozen: FrozenLetters;
  readonly environment: string;
  readonly path: string;
  readonly isRedacted: boolean;
  readonly reason: string | undefined;
}

const toldEveryMs = 1_000;

/** Says how far it is, once a second. */
function createTelling({ output, clock }: CliHost, count: number) {
  let toldMs = clock.monotonic();
  return (doneCount: number): void => {
    if (clock.monotonic() - toldMs < toldEveryMs) return;
    toldMs = clock.monotonic();
    output.talk(`vak: ${doneCount} of ${count} letters`);
  };
}

function sourcesOf({ bus, trust, letters, answers }: LettersLook) {
  const { workspace, directory } = bus.open;
  const { judge, reader, opener, checkSignature } = trust;
  return {
    ...{ workspace, durable: bus.fabric.durable, judge, reader, opener, checkSignature },
    ...{ look: answers.look, known: letters, grants: directory },
  };
}

/** Writes it, with its records through one outbox. */
async function write({ look, frozen, ...asked }: Exporting, host: CliHost) {
  // Read only here: the store of an outbox has a native part, and most commands need none.
  const { withOwnOutbox } = await import('./own-outbox.ts');
  const { bus } = look;
  const { clock, randomness, signal } = host;
  const { workspace } = bus.open;
  const { peer, signSeed } = bus.identity;
  const subject = auditSubject(workspace, peer);
  const root = bus.open.contents().workspaces.find((one) => one.workspace === workspace)?.rootPublic ?? null;
  const operationId = createUuid(clock, randomness);
  const signer = createNkeySigner(signSeed);
  try {
    const result = await withOwnOutbox({ ...bus, subject }, host, async (durable): Promise<BundleResult> => {
      checkRights(subject, durable.session('d'), { ...bus, nowMs: clock.now() });
      return await exportBundle(
        { ...frozen, ...asked, operationId, mayReplace: false },
        {
          ...{ sources: sourcesOf(look), peer, signer, root, clock, signal },
          onProgress: createTelling(host, frozen.letters.length),
          async record(action) {
            const draft = draftAction(action, { workspace, peer, trace: startTrace(randomness.bytes) });
            await publishDurably(durable, draft, { clock, signal: new AbortController().signal });
          },
        },
      );
    });
    return { operationId, ...result };
  } finally {
    signer.dispose();
  }
}

function redactedText(redacted: BundleResult['redacted']): string {
  const kinds = Object.entries(redacted).map(([kind, count]) => `${kind} ${count}`);
  return kinds.length === 0 ? 'nothing looked like a secret' : `taken out: ${kinds.join(', ')}`;
}

export const dlqExportCommand: Command = {
  words: ['dlq', 'export'],
  changes: 'bus',
  args: ['[SEQ|ID...]'],
  options: {
    match: { value: 'FILTER', help: 'all that match, in place of places' },
    out: { value: 'FILE', help: 'a new file' },
    'no-redact': { help: 'leaves what looks like a secret in what was opened' },
    reason: { value: 'R', help: 'why, for the record; at most 1 KiB' },
  },
  summary:
    'Writes dead letters and what is known of them to a file that others can verify, as --identity, an operator.',
  notes: `The file has the letters and tasks as they were stored, what they hold when opened, receipts, causes, what is on record, the grants that
say who signed all that, and proofs of their places in the chains where checkpoints allow. In what was opened, what looks like a key,
token, password or card number is [redacted: kind]; what is sealed stays so. Output and figures of the failures are heard by the app
alone: they are in the bundles that it writes. With --json prints {operationId, path, lineCount, letterCount, redacted, leftOut}. It is
on record, so that a read-only context refuses it: use another context for that server, or vak dlq show. ${filterNotes}`,
  needs: letterNeed,
  example: `vak dlq export --match 'queue:builds error:exit' --out incident.vakbundle --reason 'for the vendor' --context prod`,
  async run(input, host) {
    const { common, isOn, option } = input;
    const path = option('out');
    if (path === undefined) throw new VakError('invalid-input', '--out: missing; give the name of a new file');
    const selection = readSelection(input, 'export');
    const reason = readReason(option('reason'));
    // Before anything is on record as exported, or opened.
    await checkNewFile(path);
    return await withLetters(common, host, async (look) => {
      requireOperator('dlq export', { ...look.bus, nowMs: host.clock.now() });
      const plans = createPlans(common, look, host);
      const plan = plans.make({ ...look.answers.select(selection(look)), action: 'export' });
      if (plan.count === 0) throw new VakError('not-found', `dlq export: none; ${planWords(plan)}`);
      const frozen = plans.take(plan.planId, 'export');
      const { environment } = plan;
      const done = await write({ look, frozen, environment, path, isRedacted: !isOn('no-redact'), reason }, host);
      host.output.change(done);
      const what = isOn('no-redact') ? 'secrets are left in it' : redactedText(done.redacted);
      host.output.talk(
        `${path}: ${done.letterCount} ${done.letterCount === 1 ? 'letter' : 'letters'} in ${done.lineCount} lines; ${what}`,
      );
      for (const { why, count } of done.leftOut) host.output.talk(`left out: ${count} (${why})`);
      return exitCodes.done;
    });
  },
};
