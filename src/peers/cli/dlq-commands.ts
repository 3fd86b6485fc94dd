/** `vak dlq ls|groups|show`: dead letters, what they have in common, and one of them whole (docs/spec/triage.md). */

import { createUuid } from '../../engine/ports/randomness.ts';
import { isReadOnRecord, readAction } from '../../engine/triage/letter-acts.ts';
import type { LetterEntry } from '../../engine/triage/letter-book.ts';
import { reportLetter } from '../../engine/triage/letter-report.ts';
import { readStoredLetter } from '../../engine/triage/stored-letter.ts';
import { auditSubject, draftAction } from '../../engine/work/purge-records.ts';
import { toBase64, toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import { type Grouping, groupings } from '../../shared/filter/letter-filter.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { type CliHost, type Command, exitCodes } from './command.ts';
import { groupTable, groupValue, reportText, reportValue, rowTable, rowValue } from './dlq-lines.ts';
import { checkFilter, findLetter, type LettersLook, withLetters } from './dlq-look.ts';
import { contextNeed, letterNeed } from './example-needs.ts';
import { publishSealed } from './identity-bus.ts';
import { requireOperator } from './publish-rights.ts';

/** What a filter may say, for the help. */
export const filterNotes = `FILTER is one argument of error: queue: worker: type: state: cause: attempts: attempts> after: before: and words, each
of them with - before it for what must not be so; quotation marks hold words together. error: is a class whole or up to a dot, so
that error:exit means exit.1 and exit.12, and error:exit.1 does not mean exit.12; a part of a class is found as a word.
Times are 2h, 3d, 14:05, 2026-11-30 or 2026-11-30T14:05, in UTC. What is archived is left out unless state: is asked for.`;

const ls: Command = {
  words: ['dlq', 'ls'],
  changes: 'nothing',
  args: ['[FILTER]'],
  options: {},
  summary: 'Lists dead letters, newest first.',
  notes: `Prints a table, or with --json {seq, state: open|retrying|resolved|failed-again|archived, queue, taskId, type, worker, attempts, error,
reason, cause, failed, stored, isSealed, closedWhy}, one a line. ${filterNotes} Only letters that count are listed; what does
not count is said on stderr, here and by vak dlq groups alone. Letters whose own key is gone have the error sealed, say why in closedWhy,
and have no queue, type and worker, and 0 attempts: they can be archived and exported.`,
  needs: contextNeed,
  example: `vak dlq ls --context prod\nvak dlq ls 'queue:builds attempts>1 after:2d -error:TimeoutError' --context prod --json`,
  async run({ args: [filter = ''], common, isOn }, host) {
    return await withLetters(common, host, async ({ answers, letters, tellRefused }) => {
      tellRefused();
      const { rows, faults } = answers.page({ filter, fromIndex: 0, limit: letters.book.size() });
      checkFilter({ faults }, 'FILTER');
      if (!isOn('json')) {
        if (rows.length > 0) host.output.print(rowTable(rows));
        return exitCodes.done;
      }
      for (const row of rows) {
        host.output.data(rowValue(row), '');
        if (!(await host.output.isTaken())) break;
      }
      return exitCodes.done;
    });
  },
};

function readGrouping(text: string | undefined): Grouping {
  const found = groupings.find((one) => one === (text ?? 'cause'));
  if (found !== undefined) return found;
  throw new VakError('invalid-input', `--by: found ${text?.length} characters, allowed: ${groupings.join(', ')}`);
}

const groups: Command = {
  words: ['dlq', 'groups'],
  changes: 'nothing',
  args: ['[FILTER]'],
  options: { by: { value: 'WHAT', help: 'cause (default), queue, worker or type' } },
  summary:
    'Puts dead letters together by their cause, or by queue, worker or type; those with the most open ones first.',
  notes: `Prints a table, or with --json {key, title, error, rootType, state: open|acknowledged|resolved|archived, count, counts, newCount, first,
last, trend: rising|falling|steady, history, queues, moreQueues, assignee, note, frames, said: {by, at}}, one a line. The key of a
cause is its fingerprint: error class, shape of the message and the calls nearest to where it happened. ${filterNotes}`,
  needs: contextNeed,
  example: `vak dlq groups --by queue 'state:open' --context prod`,
  async run({ args: [filter = ''], common, isOn, option }, host) {
    const by = readGrouping(option('by'));
    return await withLetters(common, host, async ({ answers, letters, tellRefused }) => {
      tellRefused();
      const found = answers.groups({ filter, by, limit: Math.max(1, letters.book.size()) });
      checkFilter(found, 'FILTER');
      if (isOn('json')) for (const group of found.groups) host.output.data(groupValue(group), '');
      else if (found.groups.length > 0) host.output.print(groupTable(found.groups));
      return exitCodes.done;
    });
  },
};

/** Opens the task, and puts on record who did before anything is shown (D10). */
async function openTask(entry: LetterEntry, look: LettersLook, host: CliHost): Promise<OpenedPayload> {
  const { bus, trust, letters } = look;
  const { workspace } = bus.open;
  const { durable } = bus.fabric;
  const { clock, randomness } = host;
  const nowMs = clock.now();
  requireOperator('dlq show --open', { ...bus, nowMs });
  const { task } = await readStoredLetter(entry.seq, { ...trust, workspace, durable });
  if ('problem' in task) throw VakError.fromShape(task.problem);
  const opened: OpenedPayload =
    task.reading.kind === 'envelope'
      ? trust.opener.open(task.reading.envelope)
      : { kind: 'opened', bytes: task.data, wasSealed: false };
  const { peer } = bus.identity;
  if (opened.kind === 'failed' || isReadOnRecord(letters.ledger.auditOf(entry.seq), peer, nowMs)) return opened;
  const action = readAction(entry, createUuid(clock, randomness));
  const draft = () => draftAction(action, { workspace, peer, trace: startTrace(randomness.bytes) });
  await publishSealed(bus, { subject: auditSubject(workspace, peer), kind: 'd', draft }, host);
  return opened;
}

/** Bytes as text if they are text. */
function payloadValue(bytes: Uint8Array): { payload: string | null; payload_base64: string | null } {
  const text = toText(bytes);
  const isText = Buffer.from(text).equals(bytes);
  return { payload: isText ? text : null, payload_base64: isText ? null : toBase64(bytes) };
}

const show: Command = {
  words: ['dlq', 'show'],
  changes: 'nothing',
  args: ['SEQ|ID'],
  options: { open: { help: "also opens the task's payload, which is put on record" } },
  summary:
    'Shows one dead letter whole: why it failed, every attempt, its retries, what caused it, and what is on record.',
  notes: `SEQ is its place as vak dlq ls prints it, ID the id of its task or its own. With --json prints one value: what vak dlq ls has, and stack,
by, signature, sizeBytes, traceId, attempts, retries, ancestors, audit, envelope, keptUntil; with --open also payload as text, or
payload_base64. --open takes an operator, and is on record as dlq.read, once in 10 min; it is refused where nothing may be published.
Exit code 1 if there is no such letter, or it does not open.`,
  needs: letterNeed,
  example: `vak dlq show "$(vak dlq ls --context prod --json | jq -rs '.[0].seq')" --open --context prod`,
  async run({ args: [text = ''], common, isOn }, host) {
    return await withLetters(common, host, async (look) => {
      const { bus, trust, letters, answers } = look;
      const entry = findLetter(text, look);
      const { durable } = bus.fabric;
      const report = await reportLetter(entry, letters, { ...trust, ...common, durable, look: answers.look });
      if (!isOn('open')) {
        host.output.data(reportValue(report), reportText(report));
        return exitCodes.done;
      }
      const opened = await openTask(entry, look, host);
      if (opened.kind === 'failed') throw new VakError('forbidden', `dead letter ${entry.seq}: ${opened.failure.why}`);
      const payload = payloadValue(opened.bytes);
      const shown = visibleText(payload.payload ?? payload.payload_base64 ?? '');
      host.output.data({ ...reportValue(report), ...payload }, `${reportText(report)}\npayload:\n    ${shown}`);
      return exitCodes.done;
    });
  },
};

export const dlqCommands: readonly Command[] = [ls, groups, show];
