import { expect, it } from 'vitest';
import { jetStreamError } from './nats-plane-errors.ts';

it('B10 the number of a refusal decides, whatever its status is', () => {
  const table: readonly (readonly [status: number, serverCode: number, code: string, isRetryable: boolean])[] = [
    [400, 10071, 'conflict', false],
    [400, 10058, 'conflict', false],
    [400, 10065, 'conflict', false],
    [404, 10059, 'not-found', false],
    [404, 10014, 'not-found', false],
    [503, 10077, 'limit-exceeded', false],
    [500, 10047, 'limit-exceeded', true],
    [400, 10026, 'limit-exceeded', false],
    [400, 10002, 'limit-exceeded', true],
    [503, 10039, 'unsupported', false],
    [503, 10076, 'unsupported', false],
    [503, 10008, 'disconnected', true],
  ];
  for (const [code, err_code, expected, retryable] of table) {
    const error = jetStreamError({ code, err_code }, 'stream S');
    expect(error, String(err_code)).toMatchObject({ code: expected, retryable, details: { serverCode: err_code } });
    expect(error.message).toMatch(/^stream S: .+ \(nats-server error \d+\)$/);
  }
});

it('B10 a number that is not known is judged by its status', () => {
  const codeOf = (code: number): string => jetStreamError({ code, err_code: 19_999 }, 'stream S').code;
  expect([400, 401, 403, 404, 408, 503, 500].map(codeOf)).toEqual([
    ...['invalid-input', 'unauthorized', 'unauthorized', 'not-found', 'timeout', 'disconnected', 'unsupported'],
  ]);
});
