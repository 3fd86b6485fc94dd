import { beforeEach, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../envelope/envelope-author.ts';
import type { EnvelopeSealer } from '../envelope/envelope-sealer.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createEnvelopeOutlet, type EnvelopeOutlet } from './envelope-outlet.ts';

const clock = createFakeClock();
const randomness = createSeededRandomness(3);
const trace = startTrace(randomness.bytes);
const subject = 'vak.events.test.w1-a-e.status';
let sent: Uint8Array[];
let log: string[];
let failures: string[];
let author: EnvelopeAuthor;
let outlet: EnvelopeOutlet;
let problem: unknown;
let isClosed: boolean;

const sealer: EnvelopeSealer = {
  use: () => undefined,
  seal() {
    throw problem;
  },
};

beforeEach(() => {
  [sent, log, failures] = [[], [], []];
  problem = undefined;
  isClosed = false;
  const ports = { clock, randomness, heads: createMemoryHeadStore() };
  const common = {
    workspace: 'test',
    peer: 'w1',
    session: 'w1-a-e',
    kind: 'e',
    signer: signerOf(1),
    ...ports,
  } as const;
  const plain = createEnvelopeAuthor(common);
  const failing = createEnvelopeAuthor({ ...common, sealer });
  author = { ...plain, publish: (draft, to) => (problem === undefined ? plain : failing).publish(draft, to) };
  outlet = createEnvelopeOutlet({
    author,
    bus: {
      publish(_subject, data) {
        if (isClosed) throw new VakError('closed', 'the bus is closed');
        sent.push(data);
      },
      whenWritable: () => (isClosed ? Promise.reject(new VakError('closed', 'gone')) : Promise.resolve()),
    },
    logger: createLineLogger(log),
    onFailure: (reason) => failures.push(reason),
  });
});

const say = (text: string): void => outlet.publish(subject, utf8(JSON.stringify({ text })), trace);

test('E12 each event is the next envelope of the session, on its subject and in its span', () => {
  say('one');
  say('two');
  const envelopes = sent.map(decodeEnvelope);
  expect(envelopes.map(({ seqnum, subject: own }) => [seqnum, own])).toEqual([
    [0, subject],
    [1, subject],
  ]);
  expect(envelopes[0]?.traceparent).toBe(`00-${trace.traceId}-${trace.spanId}-03`);
  expect(envelopes.map((envelope) => toText(payloadBytesOf(envelope)))).toEqual(['{"text":"one"}', '{"text":"two"}']);
  expect([failures, outlet.lostCount]).toEqual([[], 0]);
});

test('E8 what cannot be sealed is not published; that is told once, counted each time, and logged without the payload', async () => {
  problem = new VakError('not-found', 'no secret of this workspace is active');
  say('SECRET-7');
  say('SECRET-8');
  expect(sent).toEqual([]);
  expect(failures).toEqual(['no secret of this workspace is active']);
  expect(outlet.lostCount).toBe(2);
  expect(log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ event: 'session.publish-failed', level: 'error', code: 'not-found', subject }),
  ]);
  expect(log.join()).not.toContain('SECRET');
  expect(await outlet.isWritable()).toBe(false);
});

test('E12 after a failure the end can still be told, in an unbroken chain', () => {
  say('one');
  problem = new VakError('locked', 'locked');
  say('lost');
  problem = undefined;
  say('two');
  expect(sent.map((data) => decodeEnvelope(data).seqnum)).toEqual([0, 1]);
  expect(outlet.lostCount).toBe(1);
});

test('E8 a bug while sealing ends it too, and its text is in the log alone', () => {
  problem = new TypeError('SECRET-7');
  say('one');
  expect(failures).toEqual(['see its log: bug-1']);
  expect(sent).toEqual([]);
});

test('session outlet: once the bus is closed, saying is silently over', async () => {
  expect(await outlet.isWritable()).toBe(true);
  isClosed = true;
  say('one');
  expect([failures, log, outlet.lostCount]).toEqual([[], [], 0]);
  expect(await outlet.isWritable()).toBe(false);
});
