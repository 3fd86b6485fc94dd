import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { refusedField } from '../../../tests/support/expected-failure.ts';
import { toBase64, toText, utf8 } from '../base/bytes.ts';
import { type Envelope, genesisHash } from './envelope.ts';
import {
  decodeEnvelope,
  encodeEnvelope,
  maxEnvelopeBytes,
  maxWrittenEnvelopeBytes,
  payloadBytesOf,
} from './envelope-codec.ts';

const signature = `${'-_aZ0'.repeat(17)}Q`;
const signer = `U${'A2Z7B'.repeat(11)}`;
/** All that is on the wire, in the order in which it is written. */
const wire = {
  specversion: '1.0',
  id: '0197a3c0-0000-7000-8000-000000000001',
  source: 'vak://ws_123/worker-1/worker-1-abcdefgh-q',
  type: 'vak.work.task',
  time: '2026-01-02T03:04:05.123456789Z',
  datacontenttype: 'application/octet-stream',
  subject: 'vak.work.ws_123.builds.task',
  data_base64: 'BrDSUqnlq2/JxgrWHQbV6Q==',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'a=1',
  workspaceid: 'ws_123',
  agentid: 'worker-1',
  sessionid: 'worker-1-abcdefgh-q',
  parentagentid: 'operator',
  seqnum: '9007199254740991',
  prevhash: genesisHash,
  payloadhash: 'abcb71beb11b6fb25224e1b62f5800f307dae0e924e38bcea22ff475ac122690',
  causationid: '0197a3c0-0000-7000-8000-000000000002',
  resumes: `vak://ws_123/worker-1/worker-1-hgfedcba-q#41:${'f'.repeat(64)}`,
  encalg: 'AES-256-GCM',
  keyid: 'main.worker-1.20260102.k3f9',
  nonce: '000102030405060708090a0b',
  signer,
  signature,
};
const mandatory = [
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'workspaceid',
  'agentid',
  'seqnum',
  'prevhash',
  'payloadhash',
];
const { data_base64: _data, encalg: _a, keyid: _k, nonce: _n, signer: _s, signature: _g, ...foreignWire } = wire;

function read(value: unknown): Envelope {
  return decodeEnvelope(utf8(JSON.stringify(value)));
}

function refusedText(text: string): unknown {
  return refusedField(() => decodeEnvelope(utf8(text)));
}

describe('envelope codec', () => {
  it('E2 what is written is fixed, byte for byte, and is read as what it was', () => {
    const text = JSON.stringify(wire);
    const envelope = decodeEnvelope(utf8(text));
    expect(envelope).toMatchObject({
      id: wire.id,
      seqnum: 9007199254740991,
      data: { kind: 'bytes' },
      seal: { encalg: 'AES-256-GCM', keyid: wire.keyid, nonce: wire.nonce },
      signed: { signer, signature },
      extensions: [],
    });
    expect(toBase64(payloadBytesOf(envelope))).toBe(wire.data_base64);
    expect(toText(encodeEnvelope(envelope))).toBe(text);
    const disordered = JSON.stringify(Object.fromEntries(Object.entries(wire).reverse()), null, 2);
    expect(toText(encodeEnvelope(decodeEnvelope(utf8(disordered))))).toBe(text);
  });

  it('E2 a name or text may be written with escapes; it is the same envelope', () => {
    const text = JSON.stringify(wire).replace('"subject":"vak', '"\\u0073ubject":"\\u0076ak').replace('/J', '\\/J');
    expect(decodeEnvelope(utf8(text))).toEqual(read(wire));
  });

  it('E2 only what is mandatory must be there, and each of it', () => {
    const least = Object.fromEntries(mandatory.map((name) => [name, wire[name as keyof typeof wire]]));
    expect(read(least)).toMatchObject({
      data: { kind: 'none' },
      subject: undefined,
      seal: undefined,
      signed: undefined,
    });
    expect(payloadBytesOf(read(least))).toHaveLength(0);
    expect(toText(encodeEnvelope(read(least)))).toBe(JSON.stringify(least));
    for (const name of mandatory) {
      expect(refusedField(() => read({ ...wire, [name]: undefined }))).toBe(name);
      expect(refusedField(() => read({ ...wire, [name]: null }))).toBe(name);
    }
  });

  it('E2 a known attribute of another JSON type is refused by name', () => {
    for (const name of Object.keys(wire)) {
      for (const value of [1, true, [], {}, ['x']])
        expect(refusedField(() => read({ ...wire, [name]: value }))).toBe(name);
    }
    expect(refusedField(() => read({ ...wire, seqnum: 1 }))).toBe('seqnum');
    expect(refusedField(() => read({ ...wire, data_base64: null }))).toBe('data_base64');
    expect(refusedField(() => read({ ...foreignWire, dataschema: 1 }))).toBe('dataschema');
  });

  it('E2 an attribute that is null is not set, as CloudEvents says', () => {
    const optional = ['subject', 'tracestate', 'parentagentid', 'causationid', 'resumes'];
    const unset = (value: unknown) => ({
      ...wire,
      x: value,
      ...Object.fromEntries(optional.map((name) => [name, value])),
    });
    expect(read(unset(null))).toEqual(read(unset(undefined)));
  });

  it.each(['encalg', 'keyid', 'nonce', 'signer', 'signature'])(
    'E2 half a seal or signature is refused: no %s',
    (name) => {
      expect(refusedField(() => read({ ...wire, [name]: undefined }))).toBe(name);
    },
  );

  it.each(['01', '-1', '+1', '1.0', '1e3', ' 1', '', '0x1', '9007199254740992', '99999999999999999999', '１'])(
    'E1 seqnum %j is no canonical decimal up to 2^53−1',
    (seqnum) => {
      expect(refusedField(() => read({ ...wire, seqnum }))).toBe('seqnum');
    },
  );

  it.each(['1.1', '0.3', '1', '2.0', ''])('E2 specversion %j is unknown', (specversion) => {
    expect(refusedField(() => read({ ...wire, specversion }))).toBe('specversion');
  });

  it('E2 a name twice is refused, also where both values are equal or an escape hides it', () => {
    const text = JSON.stringify(wire);
    expect(refusedText(text.replace('{', '{"id":"0197a3c0-0000-7000-8000-000000000001",'))).toBe('id');
    expect(refusedText(text.replace('{', '{"\\u0069d":"x",'))).toBe('id');
    expect(refusedText(text.replace('{', '{"ext":1,"ext":1,'))).toBe('ext');
    expect(refusedText(JSON.stringify(foreignWire).replace('{', '{"data":{"a":1,"a":2},'))).toBe('data.a');
  });

  it('E2 base64 has one form', () => {
    for (const text of ['AA', 'AA=', 'AB==', 'AAB=', 'A-_=', 'AAAA\n', ' AAAA', 'A===', '====', 'AA==AAAA', 'ÄAAA']) {
      expect([text, refusedField(() => read({ ...wire, data_base64: text }))]).toEqual([text, 'data_base64']);
    }
  });

  it('E2 bytes that are no UTF-8, a byte order mark, and what is no object are refused', () => {
    const bytes = utf8(JSON.stringify(wire));
    expect(
      refusedField(() => decodeEnvelope(Uint8Array.of(...bytes.subarray(0, 30), 0xff, ...bytes.subarray(30)))),
    ).toBe('envelope');
    // A surrogate in UTF-8, and a byte that is too many.
    expect(refusedField(() => decodeEnvelope(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)))).toBe('envelope');
    expect(refusedField(() => decodeEnvelope(Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes)))).toBe('JSON');
    for (const text of ['', ' ', 'null', '[]', '"x"', '1']) {
      expect(['JSON', 'envelope']).toContain(refusedText(text));
    }
    expect(refusedText(`${JSON.stringify(wire)}x`)).toBe('JSON');
    expect(refusedText(JSON.stringify(wire).slice(0, -1))).toBe('signature');
  });

  it('E2 lone surrogates and control characters are refused in every attribute, extensions too', () => {
    const text = JSON.stringify({ ...wire, ext: 'x' });
    for (const name of ['subject', 'datacontenttype', 'tracestate', 'ext', 'source']) {
      for (const bad of ['\\ud800', 'a\\udc00', '\\u0000', '\\n', '\\u007f']) {
        expect(refusedText(text.replace(`"${name}":"`, `"${name}":"${bad}`))).toBe(name);
      }
    }
    expect(refusedText(text.replace('"ext"', '"\\ud800"'))).toBe('JSON');
  });

  it('E2 data and data_base64 exclude each other; a sealed or signed envelope has data_base64 only', () => {
    expect(refusedField(() => read({ ...foreignWire, data: 1, data_base64: 'AAAA' }))).toBe('data_base64');
    expect(refusedField(() => read({ ...foreignWire, data_base64: 'AAAA', data: null }))).toBe('data');
    const { data_base64: _gone, ...withoutData } = wire;
    expect(refusedField(() => read({ ...withoutData, data: {} }))).toBe('data');
    expect(refusedField(() => read({ ...foreignWire, signer, signature, data: {} }))).toBe('data');
    expect(refusedField(() => read({ ...withoutData, signer: undefined, signature: undefined, data: {} }))).toBe(
      'data',
    );
    expect(refusedField(() => read(withoutData))).toBe('data_base64');
  });

  it('E1 a signed envelope has a session and a trace, and no dataschema', () => {
    expect(refusedField(() => read({ ...wire, sessionid: undefined }))).toBe('sessionid');
    expect(refusedField(() => read({ ...wire, traceparent: undefined }))).toBe('traceparent');
    expect(refusedField(() => read({ ...wire, dataschema: 'urn:x' }))).toBe('dataschema');
    expect(read({ ...foreignWire, dataschema: 'urn:x' }).extensions).toEqual([
      { name: 'dataschema', valueText: '"urn:x"' },
    ]);
  });

  it('E2 unknown attributes are kept as they came and re-emitted in order, after the known ones', () => {
    const extras = '"zeta":"\\u00e4\\/","big":18446744073709551615,"rate":1.10,"on":true,"off":false,"a1":-0';
    const text = JSON.stringify(wire).replace('"id":', `${extras},"id":`);
    const envelope = decodeEnvelope(utf8(text));
    expect(envelope.extensions.map(({ name }) => name)).toEqual(['zeta', 'big', 'rate', 'on', 'off', 'a1']);
    expect(envelope.extensions[1]?.valueText).toBe('18446744073709551615');
    expect(toText(encodeEnvelope(envelope))).toBe(`${JSON.stringify(wire).slice(0, -1)},${extras}}`);
  });

  it('E2 an unknown attribute that CloudEvents could not have is refused, its name bounded and shown safely', () => {
    for (const value of [[], {}, [1]]) expect(refusedField(() => read({ ...wire, ext: value }))).toBe('ext');
    for (const [name, shown] of [
      ['seqNum', 'seqNum'],
      ['x-y', 'x-y'],
      ['__proto__', '__proto__'],
      ['', '""'],
      ['a b', '"a b"'],
      ['\u202ex', '"‹U+202E›x"'],
      ['n'.repeat(100), `"${'n'.repeat(40)}"`],
    ]) {
      expect(refusedText(JSON.stringify(wire).replace('{', `{${JSON.stringify(name)}:1,`))).toBe(shown);
    }
  });

  it('E3 numbers in foreign data survive reading and writing digit for digit, and are hashed as they came', () => {
    const data = '{ "id" : 9223372036854775807, "x":[1e400, -0, 1.10, 0.1e-7] , "t":"\\u0041"}';
    const envelope = decodeEnvelope(
      utf8(JSON.stringify({ ...foreignWire, data: 0 }).replace('"data":0', `"data": ${data} `)),
    );
    expect(toText(payloadBytesOf(envelope))).toBe(data);
    expect(toText(encodeEnvelope(envelope))).toContain(`"data":${data},"traceparent"`);
    expect(decodeEnvelope(encodeEnvelope(envelope))).toEqual(envelope);
    expect(toText(payloadBytesOf(read({ ...foreignWire, data: null })))).toBe('null');
  });

  it('E2 more than 1 MiB is not read, and we write 4 KiB less', () => {
    expect([maxEnvelopeBytes, maxWrittenEnvelopeBytes]).toEqual([1_048_576, 1_044_480]);
    const least = JSON.stringify({ ...foreignWire, ext: '' });
    const sized = (size: number) => utf8(least.replace('"ext":"', `"ext":"${'x'.repeat(size - least.length)}`));
    const largest = decodeEnvelope(sized(maxEnvelopeBytes));
    expect(refusedField(() => decodeEnvelope(sized(maxEnvelopeBytes + 1)), 'limit-exceeded')).toBe('envelope');
    expect(refusedField(() => encodeEnvelope(largest), 'limit-exceeded')).toBe('envelope');
    expect(encodeEnvelope(decodeEnvelope(sized(maxWrittenEnvelopeBytes)))).toHaveLength(maxWrittenEnvelopeBytes);
    expect(
      refusedField(() => encodeEnvelope(decodeEnvelope(sized(maxWrittenEnvelopeBytes + 1))), 'limit-exceeded'),
    ).toBe('envelope');
    const huge = { ...read(wire), data: { kind: 'bytes', bytes: new Uint8Array(800_000) } } as const;
    expect(refusedField(() => encodeEnvelope(huge), 'limit-exceeded')).toBe('envelope');
  });

  it('E2 what breaks a rule is not written', () => {
    expect(refusedField(() => encodeEnvelope({ ...read(wire), type: 'a:b' }))).toBe('type');
    expect(
      refusedField(() => encodeEnvelope({ ...read(wire), extensions: [{ name: 'x', valueText: '1,"id":"y"' }] })),
    ).toBe('x');
    expect(refusedField(() => encodeEnvelope({ ...read(foreignWire), data: { kind: 'json', text: '1,"id":2' } }))).toBe(
      'data',
    );
  });
});

describe('the CloudEvents SDK as an oracle', () => {
  const headers = { 'content-type': 'application/cloudevents+json; charset=utf-8' };

  it.each([
    ['sealed and signed', { ...wire, ext: 'x', on: true, count: 7 }],
    ['plain', { ...foreignWire, data_base64: 'eyJhIjoxfQ==' }],
    ['foreign data', { ...foreignWire, datacontenttype: 'application/json', data: { a: [1, 'x'] } }],
  ])('E2 it accepts what we write, with the same attributes: %s', (_name, value) => {
    const body = toText(encodeEnvelope(read(value)));
    for (const event of [HTTP.toEvent({ headers, body }), new CloudEvent(JSON.parse(body))]) {
      if (Array.isArray(event)) throw new Error('one event was expected');
      const found = JSON.parse(JSON.stringify(event)) as Record<string, unknown>;
      // The SDK prints milliseconds only.
      const { time, ...others } = value;
      expect(new Date(String(found['time'])).getTime()).toBe(new Date(time).getTime());
      expect(found).toMatchObject(others);
    }
  });

  it.each([
    ['bytes', { data: new Uint8Array([0, 255, 7]) }],
    ['JSON', { data: { a: 1, b: [true, null] }, datacontenttype: 'application/json' }],
    ['text', { data: 'hällo', datacontenttype: 'text/plain' }],
    ['none', {}],
  ])('E2 we read what it writes in structured mode, with our mandatory attributes: %s', (kind, content) => {
    const { specversion: _v, datacontenttype: _t, ...attributes } = foreignWire;
    const message = HTTP.structured(new CloudEvent<unknown>({ ...attributes, ext: 7, flag: false, ...content }));
    const envelope = decodeEnvelope(utf8(String(message.body)));
    expect(envelope).toMatchObject({
      id: wire.id,
      source: wire.source,
      type: wire.type,
      time: '2026-01-02T03:04:05.123Z',
      subject: wire.subject,
      workspaceid: wire.workspaceid,
      seqnum: 9007199254740991,
      traceparent: wire.traceparent,
    });
    expect([...envelope.extensions].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'ext', valueText: '7' },
      { name: 'flag', valueText: 'false' },
    ]);
    const expected = { bytes: [0, 255, 7], JSON: utf8('{"a":1,"b":[true,null]}'), text: utf8('"hällo"'), none: [] };
    expect([...payloadBytesOf(envelope)]).toEqual([...expected[kind as keyof typeof expected]]);
  });
});
