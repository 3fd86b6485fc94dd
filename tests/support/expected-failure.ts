/** What a test expects to fail, and the error of the house that it fails with. Anything else that is thrown is thrown on. */
import { expect } from 'vitest';
import { type ErrorCode, isVakError, type VakError } from '../../src/shared/base/vak-error.ts';

/** The expected failure of some work. */
export async function failure(work: Promise<unknown>): Promise<VakError> {
  try {
    await work;
  } catch (error) {
    if (isVakError(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

function thrownBy(run: () => unknown, code?: ErrorCode): VakError | undefined {
  try {
    run();
  } catch (error) {
    if (isVakError(error, code)) return error;
    throw error;
  }
  return undefined;
}

/** What `run` refuses with; with that code, if one is given. */
export function refusal(run: () => unknown, code?: ErrorCode): VakError {
  const refused = thrownBy(run, code);
  if (refused === undefined) throw new Error('it was accepted');
  return refused;
}

/** The field that `run` refuses, with whose name the words of the error begin; `nothing` if it takes all. */
export function refusedField(run: () => unknown, code: ErrorCode = 'invalid-payload'): unknown {
  const refused = thrownBy(run, code);
  if (refused === undefined) return 'nothing';
  const field = refused.details?.['field'];
  expect(refused.message.startsWith(`${field}: `)).toBe(true);
  expect(refused.message.length).toBeLessThan(400);
  return field;
}
