import { expect, test } from 'vitest';
import { createListedStream } from '../../../tests/support/listed-stream.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { KeyRecord } from './room-key-exchange.ts';
import { createRoomKeyInbox } from './room-key-inbox.ts';

const dayMs = 24 * 3_600_000;

/** Messages are `<signer> <text>`. */
function makeInbox({ nowMs = () => 0 }: { readonly nowMs?: () => number } = {}) {
  const stream = createListedStream('keys');
  const taken: string[] = [];
  let keptSeq = 0;
  const know = { strangers: new Set<string>(), isLocked: false, later: new Set<string>() };
  const judge = (({ data }: { readonly data: Uint8Array }) => {
    const [signer = '', text = ''] = toText(data).split(' ');
    if (know.isLocked) return { kind: 'locked' };
    if (know.strangers.has(signer)) return { kind: 'refused', isFinal: false };
    const envelope = { agentid: signer, type: 'vak.keys.package', signed: { signer } };
    return { kind: 'accepted', envelope, payload: utf8(text) };
  }) as unknown as StoredJudge;
  const take = async ({ payload, signer }: KeyRecord) => {
    const text = toText(payload);
    if (know.later.has(text)) return 'later' as const;
    taken.push(`${signer} ${text}`);
    return 'done' as const;
  };
  const kept = {
    read: () => keptSeq,
    async write(seq: number) {
      keptSeq = seq;
    },
  };
  const open = () =>
    createRoomKeyInbox({
      ...{ workspace: 'acme', peer: 'ada', durable: stream.durable, judge, take, kept, clock: { now: nowMs } },
    });
  return { stream, taken, know, open, add: (text: string, storedMs = 0) => stream.add(utf8(text), storedMs) };
}

test('R28 what waits for a log is given once more, after a start too', async () => {
  const { add, know, open, taken } = makeInbox();
  know.later.add('soon');
  add('ben soon');
  add('cleo now');
  const inbox = open();
  await inbox.read();
  expect([taken, inbox.waitingCount()]).toEqual([['cleo now'], 1]);
  know.later.clear();
  await open().read();
  expect(taken).toEqual(['cleo now', 'ben soon', 'cleo now']);
  await inbox.read();
  expect(inbox.waitingCount()).toBe(0);
});

test('R50 100 000 records of one peer that wait for what never comes take no place of another’s', async () => {
  const { add, know, open, taken } = makeInbox();
  know.later.add('never').add('soon');
  add('ben soon');
  for (let count = 0; count < 100_000; count++) add('eve never');
  const inbox = open();
  await inbox.read();
  expect(inbox.waitingCount()).toBe(65);
  know.later.delete('soon');
  await inbox.read();
  expect(taken).toEqual(['ben soon']);
});

test('R50 as many signers as anybody can make hold up nobody', async () => {
  const { add, know, open, taken } = makeInbox();
  know.later.add('never').add('soon');
  for (let signer = 0; signer < 3_000; signer++) add(`eve-${signer} never`);
  add('ben soon');
  const inbox = open();
  await inbox.read();
  expect(inbox.waitingCount()).toBeLessThanOrEqual(1_024);
  know.later.delete('soon');
  await inbox.read();
  expect(taken).toEqual(['ben soon']);
});

test('R50 who has no grant that is known holds up nobody, and is heard when it is known', async () => {
  const { add, know, open, taken } = makeInbox();
  know.strangers.add('eve').add('dan');
  add('dan hello');
  add('eve hello');
  add('ben hello');
  const inbox = open();
  await inbox.read();
  expect(taken).toEqual(['ben hello']);
  know.strangers.delete('dan');
  await inbox.read();
  expect(taken).toEqual(['ben hello', 'dan hello']);
});

test('R50 a record of 10 MB is none, and nothing waits longer than a day', async () => {
  let nowMs = 0;
  const { add, know, open, taken } = makeInbox({ nowMs: () => nowMs });
  know.later.add('never');
  add(`eve ${'x'.repeat(10_000_000)}`);
  add('eve never');
  const inbox = open();
  await inbox.read();
  expect([taken, inbox.waitingCount()]).toEqual([[], 1]);
  nowMs = dayMs;
  await inbox.read();
  expect(inbox.waitingCount()).toBe(0);
});

test('I4 while nobody can be judged nothing is taken, and nothing is lost', async () => {
  const { add, know, open, taken } = makeInbox();
  know.isLocked = true;
  add('ben hello');
  const inbox = open();
  await inbox.read();
  know.isLocked = false;
  await inbox.read();
  expect(taken).toEqual(['ben hello']);
});
