/**
 * Payloads of `vak.audit.*`: what operators did, and the state of chains (protocol.md §3, E12, E14).
 * Law: unknown fields are kept; every field has a bound.
 */
import { z } from 'zod';
import {
  count,
  hashField,
  idField,
  lineField,
  reasonField,
  sourceField,
  timeField,
  tokenField,
} from './payload-fields.ts';

/** Most places that one record names. */
export const maxAuditPlaces = 1_000;

/** Places in a stream, as ranges from–to. */
const placesField = z
  .array(z.tuple([z.int().positive(), z.int().positive()]))
  .max(maxAuditPlaces)
  .refine((ranges) => ranges.every(([from, to]) => from <= to), 'a range ends before it begins')
  .refine(
    (ranges) => ranges.reduce((sum, [from, to]) => sum + (to - from + 1), 0) <= maxAuditPlaces,
    `names more than ${maxAuditPlaces} places`,
  );

/**
 * One action of an operator; those of one operation share `operationId`. `count`: how many things it touched; `places`: where
 * they lie, if that matters. Of a dead letter's retry (docs/spec/triage.md D5) also the task that it is, and, if that failed in another
 * way, how.
 */
export const auditAction = z.looseObject({
  operationId: tokenField,
  action: z.string().min(1).max(128),
  target: lineField,
  scope: lineField,
  count,
  reason: reasonField.optional(),
  outcome: lineField,
  places: placesField.optional(),
  taskId: idField.optional(),
  taskLeaf: hashField.optional(),
  queue: tokenField.optional(),
  isEdited: z.boolean().optional(),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'expected 16 lower hex digits')
    .optional(),
});

/** The head of a chain at a time (E14). */
export const auditCheckpoint = z.looseObject({ source: sourceField, seq: count, head: hashField, at: timeField });

/** An envelope that was refused for good: its place in the chain stays empty (E12). */
export const auditVoid = z.looseObject({ source: sourceField, seq: count, leaf: hashField, reason: reasonField });
