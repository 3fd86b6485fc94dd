import { describe, expect, test } from 'vitest';
import {
  type AuthorChange,
  authorWith,
  draftOf,
  entryOf,
  fixedTrace,
  playSecrets,
} from '../../../tests/support/envelope-fixture.ts';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, maxWrittenEnvelopeBytes } from '../../shared/protocol/envelope-codec.ts';
import { childOf, readTraceContext } from '../../shared/protocol/trace-context.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from './envelope-author.ts';
import { leafOf, payloadHashOf } from './hashing.ts';
import { createMemoryHeadStore } from './memory-head-store.ts';
import { createEnvelopeOpener } from './open-envelope.ts';

const subject = 'vak.events.acme.ada-1-e.status';

/** An author whose bytes are gathered. */
function record(change: AuthorChange = {}) {
  const author = authorWith(change);
  const sent: Uint8Array[] = [];
  return { author, sent, publish: (text: string) => author.publish(draftOf(text), (bytes) => sent.push(bytes)) };
}

const codeOf = (run: () => unknown): string => refusal(run).code;

describe('E12 an author', () => {
  test('E12 hands over the bytes of what it gives back, sealed and signed, with every attribute of its sender', () => {
    const { publish, sent } = record();
    const envelope = publish('{"state":"started"}');
    expect(decodeEnvelope(sent[0] as Uint8Array)).toEqual(envelope);
    expect(envelope).toMatchObject({
      source: 'vak://acme/ada/ada-1-e',
      type: 'vak.events.status',
      time: '2026-01-02T03:04:05.000Z',
      datacontenttype: 'application/octet-stream',
      subject,
      workspaceid: 'acme',
      agentid: 'ada',
      sessionid: 'ada-1-e',
      seqnum: 0,
      prevhash: '0'.repeat(64),
      resumes: undefined,
      seal: { encalg: 'AES-256-GCM' },
      signed: { signer: signerOf(1).nkey },
    });
    expect(envelope.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(envelope.payloadhash).toBe(payloadHashOf(envelope));
  });

  test('E8 what is to go plain goes plain although there is a sealer, signed and in its place all the same', () => {
    const { author, sent, publish } = record();
    publish('{"state":"started"}');
    const envelope = author.publish({ ...draftOf('{"state":"ended"}'), isPlain: true }, (bytes) => sent.push(bytes));
    expect(envelope).toMatchObject({ seqnum: 1, seal: undefined, datacontenttype: 'application/json' });
    expect(envelope.signed?.signer).toBe(signerOf(1).nkey);
    expect(publish('{"state":"ended"}').seal).toBeDefined();
  });

  test('E12 each envelope follows the one before it, and the head is the last one', () => {
    const { author, publish } = record();
    expect(author.head()).toBeUndefined();
    let previous: Envelope | undefined;
    for (let n = 0; n < 5; n++) {
      const envelope = publish(`{"n":${n}}`);
      expect(envelope.seqnum).toBe(n);
      if (previous !== undefined) expect(envelope.prevhash).toBe(leafOf(previous));
      expect(author.head()).toEqual({ source: envelope.source, seq: n, leaf: leafOf(envelope) });
      previous = envelope;
    }
  });

  test('E12 the first envelope of a session names the previous head of that peer and kind, the second none', () => {
    const heads = createMemoryHeadStore();
    const before = authorWith({ heads });
    before.publish(draftOf('{}'), () => {});
    const last = before.publish(draftOf('{}'), () => {});
    const next = createEnvelopeAuthor({
      ...{ workspace: 'acme', peer: 'ada', session: 'ada-2-e', kind: 'e', heads },
      ...{ clock: createFakeClock(), randomness: createSeededRandomness(8) },
    });
    const draft = { ...draftOf('{}'), subject: 'vak.events.acme.ada-2-e.status' };
    const first = next.publish(draft, () => {});
    expect(first).toMatchObject({ seqnum: 0, prevhash: '0'.repeat(64) });
    expect(first.resumes).toBe(`vak://acme/ada/ada-1-e#1:${leafOf(last)}`);
    expect(next.publish(draft, () => {}).resumes).toBeUndefined();
    const otherKind = authorWith({ heads, kind: 'd' }).publish(draftOf('{}'), () => {});
    const otherPeer = authorWith({ heads, peer: 'bob' }).publish(draftOf('{}'), () => {});
    expect([otherKind.resumes, otherPeer.resumes]).toEqual([undefined, undefined]);
  });

  test('E12 the head advances only when handing over returned; the next envelope takes the same place', () => {
    const heads = createMemoryHeadStore();
    const { author, publish } = record({ heads });
    const first = publish('{}');
    const refuse = () => {
      throw new RangeError('no room');
    };
    expect(() => author.publish(draftOf('{}'), refuse)).toThrow(RangeError);
    expect(author.head()?.seq).toBe(0);
    expect(heads.previous('ada', 'e')).toEqual(author.head());
    expect(publish('{}')).toMatchObject({ seqnum: 1, prevhash: leafOf(first) });
  });

  test('E12 while handing over, the head is the one before, and publishing again is refused without harm', () => {
    const { author, publish } = record();
    const codes: string[] = [];
    const first = author.publish(draftOf('{}'), () => {
      expect(author.head()).toBeUndefined();
      codes.push(codeOf(() => author.publish(draftOf('{}'), () => codes.push('handed over'))));
    });
    expect(codes).toEqual(['already-running']);
    expect(publish('{}')).toMatchObject({ seqnum: 1, prevhash: leafOf(first) });
  });

  test('E12 a session belongs to one kind, and its id says so', () => {
    const parts = { workspace: 'acme', peer: 'ada', clock: createFakeClock(), randomness: createSeededRandomness(1) };
    const heads = createMemoryHeadStore();
    expect(() => createEnvelopeAuthor({ ...parts, heads, session: 'ada-1-q', kind: 'e' })).toThrow(TypeError);
    expect(codeOf(() => createEnvelopeAuthor({ ...parts, heads, session: 'a/b-e', kind: 'e' }))).toBe(
      'invalid-payload',
    );
  });

  test('E12 equal clocks and randomness give equal bytes; the draft is neither changed nor kept', () => {
    const payload = utf8('{"state":"started"}');
    const [one, other] = [record({ isPlain: true }), record({ isPlain: true })];
    const first = one.author.publish({ ...draftOf(''), payload }, (bytes) => one.sent.push(bytes));
    expect(toText(payload)).toBe('{"state":"started"}');
    payload.fill(0);
    expect(first.data.kind === 'bytes' && toText(first.data.bytes)).toBe('{"state":"started"}');
    other.publish('{"state":"started"}');
    expect(one.sent).toEqual(other.sent);
  });
});

describe('E4 trace propagation', () => {
  test('E4 trace propagation: the context of the draft reaches the other side, and its child keeps the trace', () => {
    const { author, sent } = record();
    const given = { ...fixedTrace, flags: 1, tracestate: 'vendor=1' };
    author.publish({ ...draftOf('{}'), trace: given, causationId: 'task-1' }, (bytes) => sent.push(bytes));
    const { traceparent, tracestate, causationid } = decodeEnvelope(sent[0] as Uint8Array);
    expect(causationid).toBe('task-1');
    const read = readTraceContext(traceparent, tracestate);
    expect(read).toEqual(given);
    const child = childOf(read ?? fixedTrace, (length) => new Uint8Array(length).fill(3));
    author.publish({ ...draftOf('{}'), trace: child }, (bytes) => sent.push(bytes));
    const answered = decodeEnvelope(sent[1] as Uint8Array);
    expect(readTraceContext(answered.traceparent, answered.tracestate)).toEqual({ ...given, spanId: '03'.repeat(8) });
  });
});

describe('E8 what an author seals and signs', () => {
  const publishOn = (author: EnvelopeAuthor, on: string, type?: string) =>
    author.publish({ ...draftOf('{"a":1}', on), ...(type === undefined ? {} : { type }) }, () => {});

  test.each([
    'vak.rooms.acme.r1.messages',
    'vak.rooms.acme.r1.log',
    'vak.keys.acme.bob.package',
    'vak.audit.acme.ada.checkpoint',
    'vak.audit.acme.ada.void',
    'vak.control.acme.ada.run',
  ])('E8 %s is never sealed, and signed all the same', (on) => {
    const envelope = publishOn(authorWith(), on);
    expect(envelope.seal).toBeUndefined();
    expect(envelope.signed).toBeDefined();
    expect(envelope).toMatchObject({ datacontenttype: 'application/json', data: { bytes: utf8('{"a":1}') } });
  });

  test('E8 the subject says what is exempt: a type does not get round the seal', () => {
    expect(publishOn(authorWith(), subject, 'vak.rooms.log').seal).toBeDefined();
    expect(publishOn(authorWith(), 'vak.rooms.acme.r1.messages', 'vak.rooms.frame').seal).toBeUndefined();
    expect(publishOn(authorWith(), 'vak.agent.acme.bob.inbox', 'vak.agent.message').type).toBe('vak.agent.message');
  });

  test('E8 without a sealer it is plain, without a signer unsigned', () => {
    const plain = publishOn(authorWith({ isPlain: true }), subject);
    expect([plain.seal, plain.signed === undefined, plain.datacontenttype]).toEqual([
      undefined,
      false,
      'application/json',
    ]);
    const unsigned = publishOn(authorWith({ isUnsigned: true }), subject);
    expect([unsigned.seal === undefined, unsigned.signed]).toEqual([false, undefined]);
  });

  test('E8 a failure to seal aborts the publish: nothing is handed over, the head stays', () => {
    const secrets = playSecrets([entryOf('s1')]);
    const { author, sent, publish } = record({ registry: secrets.registry });
    publish('{}');
    secrets.set(undefined);
    expect(codeOf(() => publish('{}'))).toBe('locked');
    secrets.set([]);
    expect(codeOf(() => publish('{}'))).toBe('not-found');
    expect([sent.length, author.head()?.seq]).toEqual([1, 0]);
    secrets.set([entryOf('s2')]);
    expect(publish('{}').seqnum).toBe(1);
  });

  test('E8 a failure to sign aborts the publish: nothing is handed over, the head stays', () => {
    const signer = signerOf(4);
    const sent: Uint8Array[] = [];
    const author = createEnvelopeAuthor({
      ...{ workspace: 'acme', peer: 'ada', session: 'ada-1-e', kind: 'e', signer },
      ...{ clock: createFakeClock(), randomness: createSeededRandomness(1), heads: createMemoryHeadStore() },
    });
    author.publish(draftOf('{}'), (bytes) => sent.push(bytes));
    signer.dispose();
    expect(codeOf(() => author.publish(draftOf('{}'), (bytes) => sent.push(bytes)))).toBe('locked');
    expect([sent.length, author.head()?.seq]).toEqual([1, 0]);
  });

  test('E6 what it seals opens to the draft, under the key of its peer', () => {
    const { registry } = playSecrets([entryOf('s1')]);
    const envelope = authorWith({ registry }).publish(draftOf('{"state":"started"}'), () => {});
    const opened = createEnvelopeOpener({ registry, workspace: 'acme' }).open(envelope);
    expect(opened).toEqual({ kind: 'opened', bytes: utf8('{"state":"started"}'), wasSealed: true });
  });
});

describe('E2 S4 what an author refuses', () => {
  test('E2 an envelope over the limit is refused, and the head stays; one just below it passes', () => {
    const { author, sent } = record();
    const publish = (length: number) =>
      author.publish({ ...draftOf(''), payload: new Uint8Array(length) }, (bytes) => sent.push(bytes));
    expect(codeOf(() => publish(maxWrittenEnvelopeBytes))).toBe('limit-exceeded');
    expect(codeOf(() => publish(Math.floor(maxWrittenEnvelopeBytes * 0.75) - 100))).toBe('limit-exceeded');
    expect([sent.length, author.head()]).toEqual([0, undefined]);
    publish(Math.floor(maxWrittenEnvelopeBytes * 0.75) - 1500);
    expect(sent[0]?.length).toBeLessThanOrEqual(maxWrittenEnvelopeBytes);
  });

  test('S4 a subject of no row, or of another workspace', () => {
    const { author } = record();
    for (const on of ['vak.nothing.acme.a.b', 'vak.events.acme.ada-1-e', 'vak.events.other.ada-1-e.status']) {
      expect(codeOf(() => author.publish(draftOf('{}', on), () => {}))).toBe('invalid-subject');
    }
    expect(author.head()).toBeUndefined();
  });

  test('E1 a type or cause that breaks its form', () => {
    const { author } = record();
    expect(codeOf(() => author.publish({ ...draftOf('{}'), type: 'a:b' }, () => {}))).toBe('invalid-payload');
    expect(codeOf(() => author.publish({ ...draftOf('{}'), causationId: 'a b' }, () => {}))).toBe('invalid-payload');
    expect(author.head()).toBeUndefined();
  });
});
