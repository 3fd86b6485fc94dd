/**
 * Payloads of `vak.audit.*`: what operators did, and the state of chains (protocol.md §3, E12, E14).
 * Law: unknown fields are kept; every field has a bound.
 */
import { z } from 'zod';
import { count, hashField, lineField, reasonField, sourceField, timeField, tokenField } from './payload-fields.ts';

/** One action of an operator; those of one operation share `operationId`. `count`: how many things it touched. */
export const auditAction = z.looseObject({
  operationId: tokenField,
  action: z.string().min(1).max(128),
  target: lineField,
  scope: lineField,
  count,
  reason: reasonField.optional(),
  outcome: lineField,
});

/** The head of a chain at a time (E14). */
export const auditCheckpoint = z.looseObject({ source: sourceField, seq: count, head: hashField, at: timeField });

/** An envelope that was refused for good: its place in the chain stays empty (E12). */
export const auditVoid = z.looseObject({ source: sourceField, seq: count, leaf: hashField, reason: reasonField });
