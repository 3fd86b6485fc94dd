/**
 * What a service answers on a control subject, as its asker reads it (protocol.md S5).
 * Law: an answer is bounded and checked before anything of it is used; the error that it tells is thrown as such.
 */
import { z } from 'zod';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { type ErrorShape, errorCodes, VakError } from '../../shared/base/vak-error.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';

const errorShape = z.object({
  code: z.enum(errorCodes),
  message: z.string().max(4096),
  retryable: z.boolean(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

/** Gives what fits the schema, which asks for `ok: true`. Throws the error that the answer tells, or `invalid-payload`. */
export function readAnswer<T>(schema: z.ZodType<T>, data: Uint8Array, maxBytes: number): T {
  if (data.length > maxBytes) {
    throw new VakError('invalid-payload', `answer: ${data.length} bytes, at most ${maxBytes} are taken`);
  }
  const json = parseJson(data, 'answer');
  const told = errorShape.safeParse(json);
  if (told.success) throw VakError.fromShape(told.data as ErrorShape);
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new VakError('invalid-payload', `answer: ${firstIssue(result.error)}`);
}
