import { describe, expect, it } from 'vitest';
import { refusedField } from '../../../tests/support/expected-failure.ts';
import { utf8 } from '../base/bytes.ts';
import { type Envelope, genesisHash } from './envelope.ts';
import { checkEnvelope, isFabricSource, parseSource, sourceOf } from './envelope-fields.ts';

const plain: Envelope = {
  id: '0197a3c0-0000-7000-8000-000000000001',
  source: 'vak://ws_123/worker-1/worker-1-abcdefgh-e',
  type: 'vak.events.status',
  time: '2026-01-02T03:04:05.123Z',
  datacontenttype: 'application/json',
  subject: 'vak.events.ws_123.worker-1-abcdefgh-e.status',
  data: { kind: 'bytes', bytes: utf8('{"state":"started"}') },
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'a=1',
  workspaceid: 'ws_123',
  agentid: 'worker-1',
  sessionid: 'worker-1-abcdefgh-e',
  parentagentid: 'operator',
  seqnum: 0,
  prevhash: genesisHash,
  payloadhash: '0123456789abcdef'.repeat(4),
  causationid: '0197a3c0-0000-7000-8000-000000000002',
  resumes: `vak://ws_123/worker-1/worker-1-hgfedcba-e#41:${'f'.repeat(64)}`,
  seal: undefined,
  signed: undefined,
  extensions: [],
};
const seal = { encalg: 'AES-256-GCM', keyid: 'key_v1', nonce: '000102030405060708090a0b' } as const;
const signed = { signer: `U${'A2Z7B'.repeat(11)}`, signature: `${'-_aZ0'.repeat(17)}Q` };

const refused = (change: object): unknown => refusedField(() => checkEnvelope({ ...plain, ...change }));

const hexOf = (length: number, digit = 'a') => digit.repeat(length);
const controls = ['a\u0000b', 'a\nb', 'a\u007f', '\u0085a', '\ud800', 'x\udc00', '\uffff', 'a\u{1fffe}'];
const noTokens = ['', 'a.b', 'a:b', 'a|b', 'a b', 'ä', 'x'.repeat(65), 'a\n', '*'];

describe('envelope fields', () => {
  it('E1 what we write passes: plain, sealed, signed, and with all that is optional missing', () => {
    expect(refused({})).toBe('nothing');
    expect(refused({ seal })).toBe('nothing');
    expect(refused({ signed })).toBe('nothing');
    expect(refused({ seal, signed })).toBe('nothing');
    const optional = [
      'datacontenttype',
      'subject',
      'traceparent',
      'tracestate',
      'sessionid',
      'parentagentid',
      'causationid',
      'resumes',
    ];
    expect(refused(Object.fromEntries(optional.map((name) => [name, undefined])))).toBe('nothing');
    expect(refused({ data: { kind: 'none' } })).toBe('nothing');
  });

  it.each([
    '',
    '0197a3c0-0000-7000-8000-00000000000A',
    '0197a3c000007000800000000000001',
    '{0197a3c0-0000-7000-8000-000000000001}',
    '0197a3c0-0000-7000-8000-000000000001\n',
    '0197a3c0:0000-7000-8000-000000000001',
  ])('E1 id %j is no UUID in lower hex', (id) => {
    expect(refused({ id })).toBe('id');
  });

  it.each(['', '.', 'vak.', '.vak', 'vak..a', 'vak:a', 'vak|a', 'vak a', 'vak.ä', 'vak.a\n', `v.${'x'.repeat(254)}`])(
    'E1 type %j is refused',
    (type) => {
      expect(refused({ type })).toBe('type');
    },
  );

  it('E1 a type has up to 255 characters, in tokens of any length', () => {
    expect(refused({ type: 'x'.repeat(255) })).toBe('nothing');
    expect(refused({ type: 'x' })).toBe('nothing');
  });

  it.each(['workspaceid', 'agentid', 'sessionid', 'parentagentid', 'causationid'])('E1 %s is a token', (name) => {
    for (const value of noTokens) expect([value, refused({ [name]: value })]).toEqual([value, name]);
    expect(refused({ [name]: 'x'.repeat(64) })).toBe('nothing');
  });

  it.each([
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.1Z',
    '2026-01-02T03:04:05.123456789Z',
    '2024-02-29T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
  ])('E1 time %j is one', (time) => {
    expect(refused({ time })).toBe('nothing');
  });

  it.each([
    '',
    '2026-01-02t03:04:05Z',
    '2026-01-02T03:04:05z',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04:05+00:00',
    '2026-01-02T03:04:05',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05,1Z',
    '2026-01-02T03:04:05.1234567890Z',
    '2026-02-29T03:04:05Z',
    '2026-13-02T03:04:05Z',
    '2026-00-02T03:04:05Z',
    '2026-01-00T03:04:05Z',
    '2026-04-31T03:04:05Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:05Z',
    '2016-12-31T23:59:60Z',
    '12026-01-02T03:04:05Z',
    '2026-01-02T03:04:05Z\n',
    '٢٠٢٦-01-02T03:04:05Z',
  ])('E1 time %j is none', (time) => {
    expect(refused({ time })).toBe('time');
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('E1 seqnum %d is refused', (seqnum) => {
    expect(refused({ seqnum })).toBe('seqnum');
  });

  it('E1 seqnum goes up to 2^53−1', () => {
    expect(refused({ seqnum: 2 ** 53 - 1 })).toBe('nothing');
  });

  it.each(['prevhash', 'payloadhash'])('E1 %s is 64 lower hex digits', (name) => {
    for (const value of ['', hexOf(63), hexOf(65), hexOf(64, 'A'), hexOf(64, 'g'), `${hexOf(64)}\n`]) {
      expect(refused({ [name]: value })).toBe(name);
    }
  });

  it('E1 a source is ours, or foreign without "|" and control characters, of bounded length', () => {
    for (const source of ['vak://test', '/sensors/1', 'urn:x:y', 'ä', `x${'y'.repeat(511)}`]) {
      expect(refused({ source })).toBe('nothing');
    }
    for (const source of ['', 'a|b', 'vak://a/b/c|d', 'y'.repeat(513), ...controls]) {
      expect([source, refused({ source })]).toEqual([source, 'source']);
    }
  });

  it.each(['datacontenttype', 'subject', 'traceparent', 'tracestate', 'resumes'])(
    'E1 %s has no control character, no lone surrogate, and an end',
    (name) => {
      for (const value of [...controls, 'x'.repeat(5000)]) expect(refused({ [name]: value })).toBe(name);
    },
  );

  it('E1 what CloudEvents demands to be non-empty is; an empty tracestate may come', () => {
    for (const name of ['datacontenttype', 'subject', 'traceparent', 'resumes'])
      expect(refused({ [name]: '' })).toBe(name);
    expect(refused({ tracestate: '' })).toBe('nothing');
  });

  it('E1 a traceparent is one; a tracestate is kept as received, as the signature covers it', () => {
    expect(refused({ traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` })).toBe('traceparent');
    expect(refused({ traceparent: `${plain.traceparent?.replace('00-', '01-')}-more` })).toBe('nothing');
    expect(refused({ tracestate: 'A=1,,a=1,a=2' })).toBe('nothing');
  });

  it('E1 resumes names a head: <source>#<seq>:<64 hex>', () => {
    const leaf = hexOf(64, 'e');
    for (const resumes of [`vak://test#0:${leaf}`, `a#b#${2 ** 53 - 1}:${leaf}`]) {
      expect(refused({ resumes })).toBe('nothing');
    }
    for (const resumes of [
      `#0:${leaf}`,
      `a#01:${leaf}`,
      `a#${2 ** 53}:${leaf}`,
      `a#1:${leaf}0`,
      `a#1:${hexOf(64, 'E')}`,
      `a|b#1:${leaf}`,
      `a:${leaf}`,
    ]) {
      expect([resumes, refused({ resumes })]).toEqual([resumes, 'resumes']);
    }
  });

  it('E1 a seal has its algorithm, key id and nonce, and sealed bytes', () => {
    expect(refused({ seal: { ...seal, encalg: 'AES-128-GCM' } })).toBe('encalg');
    for (const keyid of ['', 'a:b', 'a|b', 'x'.repeat(193), 'ä'])
      expect(refused({ seal: { ...seal, keyid } })).toBe('keyid');
    for (const nonce of ['', hexOf(23), hexOf(25), hexOf(24, 'A')])
      expect(refused({ seal: { ...seal, nonce } })).toBe('nonce');
    expect(refused({ seal, data: { kind: 'json', text: '1' } })).toBe('data');
    expect(refused({ seal, data: { kind: 'none' } })).toBe('data_base64');
  });

  it('E1 a signature has a signer, a canonical text, a session and a trace, and no dataschema or data', () => {
    for (const signer of [
      '',
      `A${'A'.repeat(55)}`,
      `SU${'A'.repeat(54)}`,
      `U${'A'.repeat(54)}`,
      `U${'1'.repeat(55)}`,
      `U${'a'.repeat(55)}`,
    ]) {
      expect(refused({ signed: { ...signed, signer } })).toBe('signer');
    }
    const { signature } = signed;
    for (const bad of [
      '',
      signature.slice(1),
      `${signature}Q`,
      `${signature.slice(0, -1)}R`,
      `${signature.slice(0, -1)}=`,
      signature.replace('-', '+'),
    ]) {
      expect(refused({ signed: { ...signed, signature: bad } })).toBe('signature');
    }
    expect(refused({ signed, sessionid: undefined })).toBe('sessionid');
    expect(refused({ signed, traceparent: undefined })).toBe('traceparent');
    const extensions = [{ name: 'dataschema', valueText: '"urn:x"' }];
    expect(refused({ extensions })).toBe('nothing');
    expect(refused({ signed, extensions })).toBe('dataschema');
    expect(refused({ signed, data: { kind: 'json', text: '1' } })).toBe('data');
    expect(refused({ signed, data: { kind: 'none' } })).toBe('nothing');
  });

  it('E2 an extension has a name and a value of CloudEvents, as exact JSON', () => {
    for (const valueText of ['"x"', '1', '-1.50', 'true', '""', '"\\u0041"']) {
      expect(refused({ extensions: [{ name: 'x1', valueText }] })).toBe('nothing');
    }
    for (const valueText of ['', 'x', 'null', '{}', '[1]', ' 1', '1 ', '1,"y":2', '"\\u0000"', '"\\ud800"', '"\n"']) {
      expect([valueText, refused({ extensions: [{ name: 'x1', valueText }] })]).toEqual([valueText, 'x1']);
    }
    expect(refused({ extensions: [{ name: 'dataschema', valueText: '1' }] })).toBe('dataschema');
    for (const name of ['id', 'specversion', 'signature']) {
      expect(refused({ extensions: [{ name, valueText: '1' }] })).toBe(name);
    }
    expect(refused({ extensions: [{ name: 'data', valueText: '1' }] })).toBe('data');
    expect(refused({ extensions: [{ name: 'data_base64', valueText: '"AA=="' }] })).toBe('data_base64');
    for (const [name, shown] of [
      ['', '""'],
      ['A', 'A'],
      ['a b', '"a b"'],
      ['\u202e', '"‹U+202E›"'],
    ]) {
      expect(refused({ extensions: [{ name, valueText: '1' }] })).toBe(shown);
    }
    const twice = { name: 'x1', valueText: '1' };
    expect(refused({ extensions: [twice, twice] })).toBe('x1');
  });

  it('E2 foreign data is exact JSON', () => {
    expect(refused({ data: { kind: 'json', text: '{"a":[1.10]}' } })).toBe('nothing');
    for (const [text, field] of [
      ['', 'data'],
      [' 1', 'data'],
      ['1,"x":1', 'data'],
      ['{"a":1,"a":2}', 'data.a'],
      ['["\\ud800"]', 'data.0'],
    ]) {
      expect(refused({ data: { kind: 'json', text } })).toBe(field);
    }
  });

  it('E1 no refusal quotes a value', () => {
    for (const name of ['id', 'type', 'time', 'agentid', 'prevhash', 'subject', 'traceparent', 'resumes']) {
      try {
        checkEnvelope({ ...plain, [name]: 'CANARY|\u0001' });
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain('CANARY');
      }
    }
  });
});

describe('sources', () => {
  it('E1 a source of ours is built of tokens and parsed again', () => {
    expect(sourceOf('ws_123', 'worker-1', 's-e')).toBe('vak://ws_123/worker-1/s-e');
    expect(parseSource('vak://ws_123/worker-1/s-e')).toEqual({ ws: 'ws_123', peer: 'worker-1', session: 's-e' });
    expect(isFabricSource('vak://ws_123/worker-1/s-e')).toBe(true);
  });

  it.each([
    'vak://test',
    'vak://a/b',
    'vak://a/b/c/d',
    'vak://a/b/',
    'vak://a/b c/d',
    'VAK://a/b/c',
    ' vak://a/b/c',
    'vak://a/b/c\n',
  ])('E1 %j is a foreign one', (source) => {
    expect(parseSource(source)).toBeUndefined();
    expect(isFabricSource(source)).toBe(false);
  });

  it('E1 a part that is no token is refused by name', () => {
    expect(() => sourceOf('a/b', 'c', 'd')).toThrow(/^ws: /);
    expect(() => sourceOf('a', '', 'd')).toThrow(/^peer: /);
    expect(() => sourceOf('a', 'c', 'x'.repeat(65))).toThrow(/^session: /);
  });
});
