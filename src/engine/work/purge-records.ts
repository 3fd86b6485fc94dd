/**
 * What an operator puts on record when tasks are taken out of a queue (protocol.md §3 `vak.audit.action`, W7).
 * Law: only an operator's word makes a task that is gone a purged one, and only the tasks whose places it names.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { checkPayload, decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { buildSubject, isToken } from '../../shared/protocol/subject.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { SoundMessage, StoredJudge } from '../envelope/stored-judge.ts';
import type { Purge } from './task-book.ts';

/** The action that stands in the record. */
export const purgeAction = 'queue.purge';

/** `other`: an action that is no purge, or the end of one. `locked`: nobody can tell yet. */
export type PurgeReading =
  | { readonly kind: 'purge'; readonly purge: Purge }
  | { readonly kind: 'invalid'; readonly why: string; readonly isFinal: boolean }
  | { readonly kind: 'other' }
  | { readonly kind: 'locked' };

/** Stream of the operators' actions. */
export function auditStreamOf(workspace: string): string {
  return `VAK_AUDIT_${workspace}`;
}

/** Subject of one operator's actions; of all operators' without a peer, as a pattern. */
export function auditSubject(workspace: string, peer?: string): string {
  if (peer === undefined) return `vak.audit.${workspace}.*.action`;
  return buildSubject({ plane: 'audit', workspace, entity: peer, verb: 'action' });
}

/** The record of an action, to be sealed and signed by the operator. Throws `invalid-payload` for what breaks its bounds. */
export function draftAction(
  action: PayloadOf<'vak.audit.action'>,
  { workspace, peer, trace }: { readonly workspace: string; readonly peer: string; readonly trace: TraceContext },
): EnvelopeDraft {
  checkPayload('vak.audit.action', action);
  return { subject: auditSubject(workspace, peer), payload: utf8(JSON.stringify(action)), trace };
}

/** Reads a message of the stream of actions. */
export function readPurge(message: StoredMessage, judge: StoredJudge): PurgeReading {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') return { kind: 'invalid', why: verdict.refusal.why, isFinal: verdict.isFinal };
  return judgeSaidAction(verdict);
}

/** Judges what a sound message says as an action. */
export function judgeSaidAction({ envelope, payload, roles }: SoundMessage): Exclude<PurgeReading, { kind: 'locked' }> {
  try {
    const { action, target: queue, places } = decodePayload('vak.audit.action', payload);
    if (action !== purgeAction) return { kind: 'other' };
    if (!roles.includes('operator')) {
      return { kind: 'invalid', why: `${envelope.agentid} is no operator, and may not purge a queue.`, isFinal: false };
    }
    if (places === undefined || !isToken(queue)) return { kind: 'other' };
    return { kind: 'purge', purge: { queue, ranges: places } };
  } catch (error) {
    if (isVakError(error)) return { kind: 'invalid', why: `${error.message}.`, isFinal: true };
    throw error;
  }
}
