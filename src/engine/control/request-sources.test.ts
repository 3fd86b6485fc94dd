import { expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createPassingSources, maxRequestAgeMs } from './request-sources.ts';

test('E11 a source’s numbers only rise, and what it said is remembered for as long as it could be said again', () => {
  const clock = createFakeClock();
  const sources = createPassingSources(2, clock);
  expect(sources.take({ source: 'a', seqnum: 4 })).toBeUndefined();
  for (const seqnum of [4, 3]) expect(sources.take({ source: 'a', seqnum })).toMatch(/Reordered/);
  // A request's time may lie ahead by its whole age.
  clock.advance(2 * maxRequestAgeMs - 1);
  expect(sources.take({ source: 'a', seqnum: 4 })).toMatch(/Reordered/);
  clock.advance(1);
  expect(sources.take({ source: 'a', seqnum: 4 })).toBeUndefined();
});

test('R37 memory is bounded: while too many ask another is told to ask later; those that are known go on, and the silent make room', () => {
  const clock = createFakeClock();
  const sources = createPassingSources(2, clock);
  sources.take({ source: 'a', seqnum: 1 });
  clock.advance(maxRequestAgeMs);
  sources.take({ source: 'b', seqnum: 1 });
  const error = refusal(() => sources.take({ source: 'c', seqnum: 1 }));
  expect(error).toMatchObject({ code: 'limit-exceeded', retryable: true });
  expect(sources.take({ source: 'b', seqnum: 2 })).toBeUndefined();
  clock.advance(maxRequestAgeMs);
  expect(sources.take({ source: 'c', seqnum: 1 })).toBeUndefined();
});
