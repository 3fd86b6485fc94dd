/**
 * What a campaign puts on record (docs/spec/triage.md D5).
 * Law: the operation is on record with its letters before anything of it is published; each retry with its outcome.
 */
import { maxAuditPlaces } from '../../shared/protocol/payload-audit.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { rangesOf } from '../work/queue-purge.ts';
import { type CampaignItem, type CampaignRecord, countOutcomes } from './campaign-record.ts';
import { letterActions } from './letter-records.ts';

type Action = PayloadOf<'vak.audit.action'>;

/** What the record of an operation's beginning says of its outcome. */
export const begunOutcome = 'begun';
/** What records of an operation's end say of its outcome. */
export const endOutcomes: ReadonlySet<string> = new Set(['done', 'stopped', 'cancelled', 'failed']);

/** The line that an audit record can hold. */
const line = (text: string): string => text.slice(0, 250);

function base({ operationId, kind, reason }: CampaignRecord): Pick<Action, 'operationId' | 'action' | 'reason'> {
  return { operationId, action: letterActions[kind], ...(reason === null ? {} : { reason }) };
}

/** Queues that the retries go to, as words. */
function targetOf({ queue, items }: CampaignRecord): string {
  const names = queue === null ? [...new Set(items.map((one) => one.queue))] : [queue];
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return line(`${names.slice(0, 3).join(', ')}${more}`);
}

/** Of the beginning: one for every {@link maxAuditPlaces} letters, which each names. */
export function beginActions(record: CampaignRecord): Action[] {
  const { items, environment, cutoffSeq, title } = record;
  const parts: Action[] = [];
  for (let from = 0; from < items.length; from += maxAuditPlaces) {
    const some = items.slice(from, from + maxAuditPlaces);
    const places = rangesOf(some.toSorted((a, b) => a.seq - b.seq));
    const of = items.length > maxAuditPlaces ? `, ${from + 1}–${from + some.length} of ${items.length}` : '';
    const scope = line(`dead letters up to place ${cutoffSeq} in ${environment}${of}: ${title}`);
    parts.push({ ...base(record), target: targetOf(record), scope, count: some.length, outcome: begunOutcome, places });
  }
  return parts;
}

/** Of one retry: that it was published, or what it came to. */
export function itemAction(record: CampaignRecord, item: CampaignItem, outcome: CampaignItem['outcome']): Action {
  const queue = record.queue ?? item.queue;
  return {
    ...{ ...base(record), target: queue, scope: `dead letter ${item.seq}`, count: 1, outcome },
    ...{ places: [[item.seq, item.seq]] as [number, number][], taskId: item.taskId, queue },
    ...(item.leaf === null ? {} : { taskLeaf: item.leaf }),
    ...(record.kind === 'edit' ? { isEdited: true } : {}),
    ...(item.failedWith === null ? {} : { fingerprint: item.failedWith }),
  };
}

/** What the record of an operator's wish that an operation end says of its outcome. */
const cancelOutcome = 'requested';

/** Of an operator's word that an operation is to end, whoever works on it. */
export function cancelAction(
  operationId: string,
  { by, reason }: { readonly by: string; readonly reason?: string | undefined },
): Action {
  return {
    ...{ operationId, action: letterActions.cancel, target: line(by), scope: `operation ${operationId}`, count: 0 },
    ...(reason === undefined ? {} : { reason }),
    outcome: cancelOutcome,
  };
}

/** Of the end. */
export function endAction(record: CampaignRecord): Action {
  const { requested: _, ...counts } = countOutcomes(record);
  const said = Object.entries(counts).flatMap(([outcome, count]) => (count === 0 ? [] : [`${count} ${outcome}`]));
  const written = record.items.filter(({ told }) => told !== null).length;
  const by = record.state === 'cancelled' && record.why !== null ? `; ${record.why}` : '';
  const scope = line(`of ${record.items.length} dead letters: ${said.join(', ')}${by}`);
  return { ...base(record), target: targetOf(record), scope, count: written, outcome: record.state };
}
