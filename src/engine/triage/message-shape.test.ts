import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChance } from '../../../tests/support/failure-chance.ts';
import { messageShape } from './message-shape.ts';

test('D1 ids, numbers of any country, times, addresses, paths, URLs and hex are folded', () => {
  const cases: [string, string][] = [
    ['order 0197a3c0-0000-7000-8000-000000000001 failed', 'order <id> failed'],
    ['took 1,234.5 of 1.234,5 or 1’234.50 or 1\u202f234,50', 'took <n> of <n> or <n> or <n>'],
    ['amount ١٢٣٬٤٥٦٫٧٨ is over −5', 'amount <n> is over <n>'],
    ['at 2026-02-03T04:05:06.789Z, 03/Feb/2026:04:05:06 +0000', 'at <time>, <time>'],
    ['on Tue, 03 Feb 2026 04:05:06 GMT', 'on <time>'],
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED <address>'],
    ['dial [2001:db8::7:1]:443', 'dial <address>'],
    ['open /tmp/job-17/part.csv: denied', 'open <path>: denied'],
    ['open C:\\Users\\svc\\Temp\\a.tmp', 'open <path>'],
    ['GET https://user:pw@api.acme.test/v1/orders/17?x=1 failed', 'GET <url api.acme.test> failed'],
    ['pointer 0xc000012345 is nil', 'pointer <hex> is nil'],
    ['no answer within 1500ms', 'no answer within <duration>'],
    ['mail to mira17@mail3.test', 'mail to <email>'],
    ['', ''],
  ];
  expect(cases.map(([text]) => messageShape(text))).toEqual(cases.map(([, shape]) => shape));
});

test('D1 numbers that name a cause stay: exit codes, states of HTTP and SQL, codes of compilers and databases', () => {
  const kept = [
    ...['exit code 137', 'status code 503', 'http status: 404', 'errno 13', 'os error 2', 'sqlstate 40p01'],
    ...['error[e0382]', 'ora-00060', 'ts2345'],
  ];
  for (const text of kept) expect(messageShape(text)).toBe(text);
  expect(messageShape('exit code 1')).not.toBe(messageShape('exit code 2'));
});

test('D1 of a message its first lines count, and of 256 KiB its first 4 KiB', () => {
  expect(messageShape('first 1\r\n\n second 2\nthird\nfourth')).toBe('first <n> ⏎ second <n> ⏎ third');
  expect(messageShape('first\nsecond', 1)).toBe('first');
  const long = `document is bad: ${'<row>1</row>'.repeat(22_000)}`;
  expect(messageShape(long)).toBe(messageShape(long.slice(0, 4096)));
  expect(messageShape(long).length).toBeLessThanOrEqual(300);
});

test('D1 a shape folds to itself, and is always a bounded line', () => {
  const chance = createChance(3);
  const words = fc.constantFrom(
    'failed',
    'exit code 3',
    '“quoted”',
    "'a b'",
    '"',
    '(',
    'x=',
    ':',
    '/',
    '<n>',
    '<path>',
    ' ',
    '\n',
    'ÄÖ',
  );
  const made = fc
    .constantFrom('uuid', 'time', 'temp', 'address', 'name', 'amount')
    .map((what) => chance[what as 'uuid']());
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.array(fc.oneof(words, made), { maxLength: 12 }).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(text, (one) => {
      const shape = messageShape(one);
      expect(shape.length).toBeLessThanOrEqual(300);
      expect(shape).not.toMatch(/[\n\r]/);
      expect(messageShape(shape)).toBe(shape);
    }),
    { numRuns: 2_000 },
  );
});

test('D1 ids, times, paths and addresses do not change a shape', () => {
  const chance = createChance(11);
  for (const what of ['uuid', 'time', 'temp', 'address', 'name', 'amount'] as const) {
    const shapes = new Set(
      Array.from({ length: 400 }, () => messageShape(`job ${chance[what]()} of queue q failed: no route`)),
    );
    expect([what, [...shapes]]).toEqual([what, [...shapes].slice(0, 1)]);
  }
});

test('D1 no message of 256 KiB takes longer than a moment', () => {
  const size = 256 * 1024;
  const nasty = [
    'a',
    '1',
    ' ',
    '/',
    '.',
    ':',
    "'",
    '"a',
    '0x',
    '1.',
    'a1',
    '<n> ',
    '\u00a01',
    'http://',
    '@a.',
    '\n',
    'é',
    '\ue000',
  ];
  const startMs = performance.now();
  for (const one of nasty) messageShape(one.repeat(Math.ceil(size / one.length)));
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
