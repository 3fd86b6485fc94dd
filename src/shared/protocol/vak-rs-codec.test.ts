import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusedField } from '../../../tests/support/expected-failure.ts';
import { toHex, toText, utf8 } from '../base/bytes.ts';
import { type Envelope, genesisHash } from './envelope.ts';
import { decodeEnvelope, encodeEnvelope, payloadBytesOf } from './envelope-codec.ts';
import { leafInput } from './leaf-input.ts';
import { decodeVakRs, encodeVakRs, looksLikeVakRs } from './vak-rs-codec.ts';

/** The golden envelope of protocol.md §3, as the crate prints it. */
const plainText =
  '{"specversion":"1.0","id":"0197a3c0-0000-7000-8000-000000000001","source":"vak://test","type":"vak.work.task",' +
  '"time":"2026-01-02T03:04:05.123456789Z","datacontenttype":"application/json",' +
  '"trace":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","tracestate":null},' +
  '"lineage":{"workspace_id":"ws_123","origin_agent_id":"agent_456","seq_num":1,' +
  '"prev_event_hash":"0000000000000000000000000000000000000000000000000000000000000000",' +
  '"payload_hash":"1cb55820e73518961335cd72f31447276ffe621c21813ca726099297908d0af6"},' +
  '"payload":[123,34,99,111,109,109,97,110,100,34,58,34,99,97,114,103,111,32,98,117,105,108,100,34,44,34,101,120,105,116,' +
  '95,99,111,100,101,34,58,48,125],"encrypted":false}';
const sealedHex =
  '06b0d252a9e5ab6fc9c60ad61d06d5e98e02d4c398288c9b0455f03db39e2168770dc773a46cd940642e5cbadf96787ccfc598bd20afbf';
const plain = JSON.parse(plainText) as Message;
const sealed: Message = {
  ...plain,
  datacontenttype: 'application/octet-stream',
  trace: { ...plain.trace, tracestate: 'a=1' },
  lineage: {
    ...plain.lineage,
    session_id: 's-q',
    parent_agent_id: 'operator',
    payload_hash: 'abcb71beb11b6fb25224e1b62f5800f307dae0e924e38bcea22ff475ac122690',
  },
  payload: [...Buffer.from(sealedHex, 'hex')],
  encrypted: true,
  encryption: { algorithm: 'AES-256-GCM', key_id: 'key_v1', nonce_hex: '000102030405060708090a0b' },
};

interface Message {
  readonly [name: string]: unknown;
  readonly trace: object;
  readonly lineage: object;
}

function read(value: unknown): Envelope {
  return decodeVakRs(utf8(JSON.stringify(value)));
}

function leafOf(envelope: Envelope): string {
  return createHash('sha256').update(leafInput(envelope)).digest('hex');
}

describe('vak-rs codec', () => {
  it('E5 a plain message of the crate is read, has its golden leaf, and is written byte for byte', () => {
    const envelope = decodeVakRs(utf8(plainText));
    expect(toText(payloadBytesOf(envelope))).toBe('{"command":"cargo build","exit_code":0}');
    expect(leafOf(envelope)).toBe('187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8');
    expect(envelope).toMatchObject({ workspaceid: 'ws_123', agentid: 'agent_456', seqnum: 1, prevhash: genesisHash });
    expect(envelope).toMatchObject({ sessionid: undefined, tracestate: undefined, seal: undefined, signed: undefined });
    expect(toText(encodeVakRs(envelope))).toBe(plainText);
  });

  it('E5 a sealed one too, with its seal and lineage', () => {
    const envelope = read(sealed);
    expect(toHex(payloadBytesOf(envelope))).toBe(sealedHex);
    expect(leafOf(envelope)).toBe('34e13c659c7c080491d201e05831806bdc4cd1443a3f33404613c5e0dea98535');
    expect(envelope.seal).toEqual({ encalg: 'AES-256-GCM', keyid: 'key_v1', nonce: '000102030405060708090a0b' });
    expect(envelope).toMatchObject({ sessionid: 's-q', parentagentid: 'operator', tracestate: 'a=1' });
    expect(JSON.parse(toText(encodeVakRs(envelope)))).toEqual(sealed);
  });

  it('E5 converting to CloudEvents and back changes nothing', () => {
    for (const message of [plain, sealed, { ...plain, subject: 'vak.work.ws_123.q.task' }]) {
      const envelope = decodeEnvelope(encodeEnvelope(read(message)));
      expect(JSON.parse(toText(encodeVakRs(envelope)))).toEqual(message);
    }
  });

  it('E5 what an Option leaves out may also be null', () => {
    const nulls = {
      ...plain,
      encryption: null,
      lineage: { ...plain.lineage, session_id: null, parent_agent_id: null },
    };
    expect(read(nulls)).toEqual(read(plain));
    expect(
      read({ ...plain, trace: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' } }),
    ).toEqual(read(plain));
  });

  it('E5 foreign data is carried as its raw slice, so hash and leaf stay', () => {
    const { data: _data, ...others } = read(plain);
    const envelope: Envelope = { ...others, data: { kind: 'json', text: '{"a": 1.10}' } };
    const back = decodeVakRs(encodeVakRs(envelope));
    expect(toText(payloadBytesOf(back))).toBe('{"a": 1.10}');
    expect(leafOf(back)).toBe(leafOf(envelope));
    expect(payloadBytesOf(decodeVakRs(encodeVakRs({ ...others, data: { kind: 'none' } })))).toHaveLength(0);
  });

  it.each([
    ['signature', { signed: { signer: `U${'A'.repeat(55)}`, signature: 'A'.repeat(86) }, sessionid: 's' }],
    ['causationid', { causationid: 'x' }],
    ['resumes', { resumes: `vak://test#1:${'a'.repeat(64)}` }],
    ['ext', { extensions: [{ name: 'ext', valueText: '1' }] }],
    ['traceparent', { traceparent: undefined }],
    ['datacontenttype', { datacontenttype: undefined }],
  ])('E5 %s is not lost in silence: what the crate cannot hold or needs is refused', (field, change) => {
    expect(refusedField(() => encodeVakRs({ ...read(plain), ...change }), 'unsupported')).toBe(field);
  });

  it('E5 an envelope that breaks E1 is neither read nor written', () => {
    expect(refusedField(() => encodeVakRs({ ...read(plain), type: 'a:b' }))).toBe('type');
    expect(refusedField(() => read({ ...plain, id: 'A' }))).toBe('id');
    expect(refusedField(() => read({ ...plain, time: '2026-01-02T03:04:05+00:00' }))).toBe('time');
    expect(refusedField(() => read({ ...plain, lineage: { ...plain.lineage, workspace_id: 'a:b' } }))).toBe(
      'workspaceid',
    );
    expect(refusedField(() => read({ ...plain, specversion: '1.1' }))).toBe('specversion');
  });

  it.each([
    ['9007199254740992', 'a u64 above 2^53−1'],
    ['18446744073709551615', 'the largest u64'],
    ['1.0', 'a fraction'],
    ['1e3', 'an exponent'],
    ['-1', 'a negative number'],
    ['"1"', 'a text'],
    ['null', 'null'],
  ])('E5 seq_num %s is refused: %s', (digits) => {
    expect(refusedField(() => decodeVakRs(utf8(plainText.replace('"seq_num":1', `"seq_num":${digits}`))))).toBe(
      'lineage.seq_num',
    );
  });

  it('E5 seq_num up to 2^53−1 is read digit for digit', () => {
    const text = plainText.replace('"seq_num":1', '"seq_num":9007199254740991');
    expect(decodeVakRs(utf8(text)).seqnum).toBe(9007199254740991);
    expect(toText(encodeVakRs(decodeVakRs(utf8(text))))).toBe(text);
  });

  it('E5 a payload is an array of whole numbers from 0 to 255', () => {
    for (const bad of ['256', '-1', '1.0', '1e1', '"1"', 'null', '[1]', '01', '1000']) {
      const text = plainText.replace('[123,34,', `[123,${bad},`);
      expect([bad, refusedField(() => decodeVakRs(utf8(text)))]).toEqual([bad, 'payload.1']);
    }
    for (const payload of ['AAAA', {}, null, 1])
      expect(refusedField(() => read({ ...plain, payload }))).toBe('payload');
    expect(payloadBytesOf(read({ ...plain, payload: [0, 255] }))).toEqual(Uint8Array.of(0, 255));
  });

  it('E5 encrypted and encryption go together', () => {
    const { encryption, ...unsealed } = sealed;
    expect(refusedField(() => read(unsealed))).toBe('encryption');
    expect(refusedField(() => read({ ...sealed, encrypted: false }))).toBe('encryption');
    expect(refusedField(() => read({ ...sealed, encrypted: 'true' }))).toBe('encrypted');
    expect(refusedField(() => read({ ...plain, encrypted: undefined }))).toBe('encrypted');
    const other = { ...(encryption as object), algorithm: 'AES-128-GCM' };
    expect(refusedField(() => read({ ...sealed, encryption: other }), 'unsupported')).toBe('encryption.algorithm');
    expect(refusedField(() => read({ ...sealed, encryption: { ...(encryption as object), key_id: 'a:b' } }))).toBe(
      'keyid',
    );
    expect(refusedField(() => read({ ...sealed, encryption: { ...(encryption as object), nonce_hex: 'AB' } }))).toBe(
      'nonce',
    );
  });

  it('E5 every member that the crate demands is demanded, by its path', () => {
    for (const name of [
      'specversion',
      'id',
      'source',
      'type',
      'time',
      'datacontenttype',
      'trace',
      'lineage',
      'payload',
    ]) {
      expect(refusedField(() => read({ ...plain, [name]: undefined }))).toBe(name);
      expect(refusedField(() => read({ ...plain, [name]: true }))).toBe(name);
    }
    for (const name of ['workspace_id', 'origin_agent_id', 'seq_num', 'prev_event_hash', 'payload_hash']) {
      expect(refusedField(() => read({ ...plain, lineage: { ...plain.lineage, [name]: undefined } }))).toBe(
        `lineage.${name}`,
      );
    }
    for (const name of ['session_id', 'parent_agent_id']) {
      expect(refusedField(() => read({ ...plain, lineage: { ...plain.lineage, [name]: 1 } }))).toBe(`lineage.${name}`);
    }
    expect(refusedField(() => read({ ...plain, trace: {} }))).toBe('trace.traceparent');
  });

  it('E5 nothing is passed over: unknown members and doubles are refused by their path', () => {
    expect(refusedField(() => read({ ...plain, extra: 1 }))).toBe('extra');
    expect(refusedField(() => read({ ...plain, lineage: { ...plain.lineage, 'a b': 1 } }))).toBe('lineage."a b"');
    expect(refusedField(() => decodeVakRs(utf8(plainText.replace('{', '{"id":"x",'))))).toBe('id');
    expect(refusedField(() => decodeVakRs(utf8(plainText.replace('"seq_num":1', '"seq_num":1,"seq_num":2'))))).toBe(
      'lineage.seq_num',
    );
    expect(refusedField(() => read([plain]))).toBe('message');
    expect(refusedField(() => decodeVakRs(Uint8Array.of(0xff)))).toBe('message');
  });

  it('E5 at most 4 MiB are read and written', () => {
    const bytes = new Uint8Array(1_000_000).fill(200);
    const envelope: Envelope = { ...read(plain), data: { kind: 'bytes', bytes } };
    expect(Buffer.from(bytes).equals(payloadBytesOf(decodeVakRs(encodeVakRs(envelope))))).toBe(true);
    const larger: Envelope = { ...envelope, data: { kind: 'bytes', bytes: new Uint8Array(1_100_000).fill(200) } };
    expect(refusedField(() => encodeVakRs(larger), 'limit-exceeded')).toBe('message');
    expect(refusedField(() => decodeVakRs(new Uint8Array(4 * 1_048_576 + 1)), 'limit-exceeded')).toBe('message');
  });

  it('E5 such a message is known by its members; a CloudEvents event, another text, a broken one is not one', () => {
    expect(looksLikeVakRs(utf8(plainText))).toBe(true);
    expect(looksLikeVakRs(utf8('{"payload":1,"\\u0078":2,"lineage":{}}'))).toBe(true);
    expect(looksLikeVakRs(encodeEnvelope(read(plain)))).toBe(false);
    for (const text of [
      '',
      '[]',
      '"lineage payload"',
      '{"a":{"lineage":1,"payload":1}}',
      plainText.slice(0, -1),
      '{"x":"\\"lineage\\" \\"payload\\""}',
    ]) {
      expect(looksLikeVakRs(utf8(text))).toBe(false);
    }
    expect(looksLikeVakRs(Uint8Array.of(0xff, 0xfe))).toBe(false);
    expect(looksLikeVakRs(new Uint8Array(4 * 1_048_576 + 1))).toBe(false);
  });
});
