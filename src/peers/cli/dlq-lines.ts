/** What `vak dlq` prints of dead letters and their groups (docs/spec/triage.md). */
import { visibleText } from '../../shared/base/visible-text.ts';
import type {
  CampaignState,
  LetterGroup,
  LetterPlan,
  LetterReport,
  LetterRow,
} from '../../shared/contract/dlq-contract.ts';
import { textTable } from './text-table.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const orDash = (text: string | null): string => (text === null || text === '' ? '–' : text);

/** Of a letter that does not open nobody knows how many there were. */
const triesText = (attempts: number): string => (attempts === 0 ? '–' : `${attempts}`);

/** A letter for programs. */
export function rowValue(row: LetterRow) {
  const { seq, state, queue, taskId, type, workerId: worker, errorClass: error, reason, attempts, fingerprint } = row;
  return {
    ...{ seq, state, queue, taskId, type, worker, attempts, error, reason, cause: fingerprint },
    ...{ failed: iso(row.failedMs), stored: iso(row.storedMs), isSealed: row.isSealed, closedWhy: row.closedWhy },
  };
}

const rowHeadings = ['SEQ', 'FAILED', 'STATE', 'QUEUE', 'WORKER', 'ATTEMPTS', 'CAUSE', 'ERROR', 'REASON'];

/** Letters for people. */
export function rowTable(rows: readonly LetterRow[]): string {
  const lines = rows.map(({ seq, failedMs, state, queue, workerId, attempts, fingerprint, errorClass, reason }) => [
    ...[`${seq}`, iso(failedMs) ?? '', state, orDash(queue), orDash(workerId), triesText(attempts), fingerprint],
    ...[errorClass, reason],
  ]);
  return textTable([rowHeadings, ...lines], (column) => column === 0 || column === 5);
}

/** A group for programs. */
export function groupValue({ key, title, counts, totalCount, firstMs, lastMs, trend, ...rest }: LetterGroup) {
  const { errorClass: error, rootType, frames, queues, moreQueuesCount: moreQueues, said } = rest;
  return {
    ...{ key, title, error, rootType, state: rest.state, count: totalCount, counts, newCount: rest.newCount },
    ...{ first: iso(firstMs), last: iso(lastMs), trend, history: rest.history, queues, moreQueues },
    ...{ assignee: rest.assignee, note: rest.note, frames: frames.map(({ call, file }) => ({ call, file })) },
    said: said === null ? null : { by: said.by, at: iso(said.atMs) },
  };
}

const groupHeadings = ['GROUP', 'STATE', 'OPEN', 'ALL', 'FIRST', 'LAST', 'TREND', 'WHOSE', 'WHAT'];

/** Groups for people. */
export function groupTable(groups: readonly LetterGroup[]): string {
  const lines = groups.map(
    ({ key, state, counts, totalCount, firstMs, lastMs, trend, assignee, title, errorClass }) => [
      ...[orDash(key), state, `${counts.open}`, `${totalCount}`, iso(firstMs) ?? '', iso(lastMs) ?? '', trend],
      ...[orDash(assignee), errorClass === null ? title : `${errorClass}: ${title}`],
    ],
  );
  return textTable([groupHeadings, ...lines], (column) => column === 2 || column === 3);
}

/** A retry that is under way, for programs. */
export function retryValue({ operationId, by, kind, state, count, counts, title, reason, startedMs }: CampaignState) {
  return { operationId, by, kind, state, count, counts, title, reason, started: iso(startedMs) };
}

/** Retries that are under way, for people. */
export function retryTable(campaigns: readonly CampaignState[]): string {
  const lines = campaigns.map(({ operationId, startedMs, by, kind, state, count, counts, title }) => [
    ...[operationId, iso(startedMs) ?? '', by, kind, state, `${count}`, `${counts.requested}`, visibleText(title)],
  ]);
  const headings = ['OPERATION', 'STARTED', 'BY', 'KIND', 'STATE', 'LETTERS', 'LEFT', 'WHAT'];
  return textTable([headings, ...lines], (column) => column === 5 || column === 6);
}

/** A letter whole, for programs. */
export function reportValue(report: LetterReport) {
  const { reasonText, stack, attemptList, retries, attributes, sizeBytes, traceId, ancestors, audit, by } = report;
  return {
    ...{ ...rowValue(report), reason: reasonText, stack, by, signature: report.signature.kind, sizeBytes, traceId },
    attempts: attemptList.map(({ startedMs, endedMs, ...one }) => ({
      ...one,
      started: iso(startedMs),
      ended: iso(endedMs),
    })),
    retries: retries.map(({ atMs, ...one }) => ({ ...one, at: iso(atMs) })),
    ancestors: ancestors.map(({ atMs, ...one }) => ({ ...one, at: iso(atMs) })),
    audit: audit.map(({ atMs, ...one }) => ({ ...one, at: iso(atMs) })),
    envelope: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
    keptUntil: iso(report.keptUntilMs),
  };
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${visibleText(line)}`)
    .join('\n');

function part(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map(indented)];
}

/** A letter whole, for people. */
export function reportText(report: LetterReport): string {
  const { seq, state, queue, taskId, workerId, failedMs, errorClass, reasonText, stack, fingerprint } = report;
  const { attemptList, retries, ancestors, audit, closedWhy, type, sizeBytes, by } = report;
  return [
    `dead letter ${seq}  ${state}  queue ${orDash(queue)}  task ${orDash(taskId)}  worker ${orDash(workerId)}  failed ${iso(failedMs)}`,
    `cause ${fingerprint}  error ${errorClass}  type ${orDash(type)}  ${sizeBytes} bytes  written by ${by}`,
    ...part('reason', [reasonText]),
    ...part('stack', stack === null ? [] : [stack]),
    ...part(
      'attempts, newest first',
      attemptList.map(
        ({ attempt, workerId: worker, startedMs, endedMs, reason, isProven }) =>
          `${attempt}  ${worker}  ${iso(startedMs)}  ${endedMs - startedMs} ms  ${isProven ? '' : '(not proven)  '}${reason}`,
      ),
    ),
    ...part(
      'retries, newest first',
      retries.map(({ atMs, by: who, taskId: task, outcome }) => `${iso(atMs)}  ${who}  task ${task}  ${outcome}`),
    ),
    ...part(
      'caused by',
      ancestors.map(
        ({ id, type: what, peer, atMs }) => `${id}  ${orDash(what)}  ${orDash(peer)}  ${orDash(iso(atMs))}`,
      ),
    ),
    ...part(
      'on record, newest first',
      audit.map(
        ({ atMs, by: who, action, outcome, operationId }) =>
          `${iso(atMs)}  ${who}  ${action}  ${outcome}  ${operationId}`,
      ),
    ),
    ...(closedWhy === null ? [] : [`cannot be opened: ${closedWhy}`]),
  ].join('\n');
}

/** What an action would touch, for people. */
export function planLines({ count, allCount, environment, cutoffSeq, queues, leftOut }: LetterPlan): readonly string[] {
  return [
    `${count} of ${allCount} dead letters in ${environment}, up to place ${cutoffSeq}`,
    ...queues.map((one) => `  ${one.queue === '' ? 'queue not known' : `queue ${one.queue}`}: ${one.count}`),
    ...leftOut.map((one) => `  left out: ${one.count} (${one.why})`),
  ];
}

/** The same on one line. */
export const planWords = (plan: LetterPlan): string =>
  planLines(plan)
    .map((line) => line.trim())
    .join(', ');
