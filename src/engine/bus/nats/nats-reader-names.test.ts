import { expect, it } from 'vitest';
import { failure } from '../../../../tests/support/expected-failure.ts';
import { readerNames } from '../../../shared/protocol/reader-names.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import { createReaderNames } from './nats-reader-names.ts';

const stream = 'VAK_RECEIPTS_ws';
const open = (inboxPrefix: string | undefined = '_INBOX.ws.me') =>
  createReaderNames({ inboxPrefix, randomness: createSeededRandomness(1) });

it('A14 readings of a stream go by the peer’s few names, each at a time, and of other streams beside them', async () => {
  const names = open();
  const taken = await Promise.all([1, 2, 3, 4].map(() => names.take(stream)));
  expect(taken.toSorted()).toEqual([...readerNames('ws', 'me')].toSorted());
  expect(readerNames('ws', 'me')).toContain(await names.take('VAK_DLQ_ws'));
});

it('A14 who finds all names taken waits for one, in order, and may give up', async () => {
  const names = open();
  const taken = await Promise.all([1, 2, 3, 4].map(() => names.take(stream)));
  const giveUp = new AbortController();
  const givenUp = failure(names.take(stream, giveUp.signal));
  const [first, second] = [names.take(stream), names.take(stream)];
  giveUp.abort();
  expect((await givenUp).code).toBe('aborted');
  names.give(stream, taken[2] ?? '');
  expect(await first).toBe(taken[2]);
  names.give(stream, taken[0] ?? '');
  expect(await second).toBe(taken[0]);
  expect((await failure(names.take(stream, AbortSignal.abort()))).code).toBe('aborted');
});

it('A14 buckets, and a connection of nobody’s inboxes, have names that nobody can guess', async () => {
  const form = /^reader_[0-9a-f]{24}$/;
  for (const names of [open(), open('_INBOX.ws'), open('_INBOX.ws.a.b')]) {
    const all = await Promise.all(Array.from({ length: 9 }, () => names.take('KV_VAK_STATE_ws')));
    for (const name of all) expect(name).toMatch(form);
    expect(new Set(all).size).toBe(9);
  }
  expect(await open('_INBOX.test').take(stream)).toMatch(form);
});
