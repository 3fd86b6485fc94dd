import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { firstIssue } from './issue-words.ts';

const words = (schema: z.ZodType, value: unknown): string => {
  const result = schema.safeParse(value);
  if (result.success) throw new Error('it fits');
  return firstIssue(result.error);
};

describe('what a schema found wrong', () => {
  it.each([
    [
      z.string().max(131_072),
      'x'.repeat(131_073),
      'it is longer than 131\u202f072 characters (128\u00a0KiB); shorten it',
    ],
    [z.string().max(300), 'x'.repeat(301), 'it is longer than 300 characters; shorten it'],
    [z.string().min(1), '', 'it is empty'],
    [z.string().min(4), 'abc', 'it is shorter than 4 characters'],
    [z.array(z.int()).max(1024), Array(1025).fill(1), 'it has more than 1\u202f024 entries; give fewer'],
    [z.array(z.int()).min(1), [], 'it is empty'],
    [z.int().max(100), 101, 'give at most 100'],
    [z.int().positive(), 0, 'give more than 0'],
    [z.int().min(1), 0, 'give at least 1'],
    [z.int(), 1.5, 'it must be a whole number'],
    [z.string(), 7, 'it must be a text'],
    [z.string(), undefined, 'it is missing'],
    [z.enum(['done', 'failed']), 'x', 'it must be one of done, failed'],
    [z.literal('a'), 'x', 'it must be a'],
    [z.union([z.string(), z.int()]), null, 'it is of none of the kinds that are taken'],
    [z.string().regex(/^a$/), 'b', 'it is not written as it has to be'],
    [z.string().regex(/^a$/, 'expected an a'), 'b', 'expected an a'],
    [z.strictObject({}), { secretName: 1 }, '1 unknown key'],
    [z.unknown().refine(() => false, 'there is no such time'), 1, 'there is no such time'],
  ])('%# is said in words, with sizes and units', (schema, value, said) => {
    expect(words(schema, value)).toBe(said);
  });

  it('says where, and gives no value', () => {
    const schema = z.object({ task: z.object({ command: z.array(z.string().max(3)) }) });
    const said = words(schema, { task: { command: ['sh', 'hunter2'] } });
    expect(said).toBe('task.command.1: it is longer than 3 characters; shorten it');
    expect(said).not.toContain('hunter2');
  });
});
