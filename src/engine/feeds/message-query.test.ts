import { expect, it } from 'vitest';
import { createTrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { createFeedHub } from './feed-hub.ts';
import { createRowReader } from './row-reader.ts';
import { createSubjectReader } from './subject-reader.ts';

/** Messages 1 to 5: two of worker w1, one of w2, one that is foreign, one that breaks its signature. */
function setUp() {
  const acme = createTrustedWorkspace();
  const { clock, reader, intake, buffer } = acme;
  const subjects = createSubjectReader();
  const rows = createRowReader({ subjects, reader, intake, peerOf: () => null });
  const hub = createFeedHub({ buffer, clock, subjects, rows, intake });
  const [w1, w2] = [acme.peer('w1', { session: 's1-e' }), acme.peer('w2', { session: 's2-e' })];
  intake.take(w1.write({ state: 'progress', note: 'Disk nearly full' }));
  clock.advance(1000);
  intake.take(w1.write({ stream: 'stdout', offset: 0, bytes: 'all is well' }, 'terminal'));
  intake.take(w2.write({ state: 'progress' }));
  intake.take({ subject: 'orders.created', data: utf8('{"no":7,"of":"Disk"}') });
  const broken = w2.write({ state: 'progress' });
  const text = new TextDecoder().decode(broken.data);
  intake.take({ ...broken, data: utf8(text.replace(/"traceparent":"00-./, (found) => `${found.slice(0, -1)}e`)) });
  const open = (filter: string, fromSeq = 0) => {
    const frames: RowsFrame[] = [];
    const pump = hub.open('streams.rows', { pattern: '>', filter, fromSeq }, (frame) => frames.push(JSON.parse(frame)));
    return { frames, pump };
  };
  const found = (filter: string): readonly number[] => {
    const { frames, pump } = open(filter);
    clock.advance(1000);
    pump.dispose();
    return frames.flatMap(({ seq }) => [...seq]);
  };
  return { acme, open, found };
}

it('V1 each field and each word of a filter means its messages, decided in the engine', () => {
  const { acme, found } = setUp();
  const reading = acme.reader.read(acme.buffer.get(1)?.data ?? new Uint8Array());
  const trace = reading.kind === 'none' ? '' : (reading.envelope.traceparent ?? '').slice(3, 35);
  const second = new Date(acme.buffer.get(2)?.atMs ?? 0).toISOString().slice(0, -1);
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['', [1, 2, 3, 4, 5]],
    ['subject:ORDERS', [4]],
    ['subject:vak.events.*.s1-e.>', [1, 2]],
    ['type:terminal', [2]],
    ['type:foreign', [4]],
    ['peer:W1', [1, 2]],
    ['-peer:w1 -type:foreign', [3, 5]],
    ['session:s2', [3, 5]],
    ['disk', [1, 4]],
    ['"disk nearly"', [1]],
    ['well -disk', [2]],
    ['size<30', [4]],
    ['size>30 peer:w2', [3, 5]],
    ['trust:refused', [4, 5]],
    ['trust:accepted disk', [1]],
    ['signature:valid peer:w2', [3]],
    ['signature:invalid', [5]],
    ['sealed:yes peer:w1 type:terminal', [2]],
    ['sealed:no', [4]],
    ['verdict:none', [4]],
    [`after:${second}`, [2, 3, 4, 5]],
    [`before:${second}`, [1]],
  ];
  for (const [filter, seqs] of cases) expect([filter, found(filter)]).toEqual([filter, seqs]);
  expect(trace).toHaveLength(32);
  expect(found(`trace:${trace.slice(0, 16)}`)).toContain(1);
  expect(found(`-trace:${trace}`)).not.toContain(1);
});

it.each([
  ['peer:', 'character 1: peer: needs a value'],
  ['x trust:maybe', 'character 3: trust is one of accepted, refused'],
  ['subject:a..>', 'character 1: subject: '],
  ['queue:local', 'there is no queue:'],
])('V1 the filter %s is refused with what is wrong and where', (filter, why) => {
  expect(() => setUp().open(filter)).toThrow(why);
});

it('V2 what a filter does not mean is not sent: 5 000 messages without a match cost the window one frame', () => {
  const { acme, open } = setUp();
  const { frames, pump } = open('subject:needle');
  acme.clock.advance(1000);
  expect(frames.map(({ seq, scannedSeq }) => [seq.length, scannedSeq])).toEqual([[0, 5]]);
  for (let at = 0; at < 5000; at++) {
    acme.intake.take({ subject: 'hay', data: utf8('x') });
    if (at % 500 === 0) acme.clock.advance(20);
  }
  acme.clock.advance(1000);
  expect(frames).toHaveLength(1);
  acme.intake.take({ subject: 'a.needle', data: utf8('x') });
  acme.clock.advance(1000);
  expect(frames[1]).toMatchObject({ seq: [5006], dropped: 0, scannedSeq: 5006 });
  expect(pump.sentCount).toBe(1);
});

it('V2 a filter that cheaper parts decide opens no message and checks no signature', () => {
  const { acme, found } = setUp();
  const before = acme.checkedCount;
  expect(found('trust:refused words subject:nowhere')).toEqual([]);
  expect(acme.checkedCount).toBe(before);
});
