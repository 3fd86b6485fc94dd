import { expect, test } from 'vitest';
import { toHex, utf8 } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import { type Envelope, genesisHash } from './envelope.ts';
import { signatureInput } from './signature-input.ts';

const leaf = '187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8';
const envelope: Envelope = {
  id: '0197a3c0-0000-7000-8000-000000000001',
  source: 'vak://ws/p/s',
  type: 'vak.work.task',
  time: '2026-01-02T03:04:05Z',
  datacontenttype: 'application/octet-stream',
  subject: 'vak.work.ws.q.task',
  data: { kind: 'bytes', bytes: new Uint8Array(16) },
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: undefined,
  workspaceid: 'ws',
  agentid: 'p',
  sessionid: 's',
  parentagentid: undefined,
  seqnum: 1,
  prevhash: genesisHash,
  payloadhash: genesisHash,
  causationid: undefined,
  resumes: undefined,
  seal: { encalg: 'AES-256-GCM', keyid: 'key_v1', nonce: '000102030405060708090a0b' },
  signed: undefined,
  extensions: [],
};

const absent = 'ffffffff';
const text = (value: string) => value.length.toString(16).padStart(8, '0') + toHex(utf8(value));

test('E13 the layout, byte for byte: leaf and nonce raw, the others as text, what is absent as such', () => {
  const expected = [
    `${toHex(utf8('vak-envelope-sig-v1'))}00`,
    `00000020${leaf}`,
    text('vak.work.ws.q.task'),
    text('application/octet-stream'),
    text('s'),
    absent,
    absent,
    absent,
    text('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
    absent,
    text('AES-256-GCM'),
    text('key_v1'),
    '0000000c000102030405060708090a0b',
  ];
  expect(toHex(signatureInput(envelope, leaf))).toBe(expected.join(''));
  expect(toHex(signatureInput({ ...envelope, seal: undefined }, leaf))).toBe(
    [...expected.slice(0, -3), absent, absent, absent].join(''),
  );
});

test('E13 every field counts, and an empty one is not an absent one', () => {
  const changes: readonly Partial<Envelope>[] = [
    { subject: 'vak.work.ws.r.task' },
    { subject: undefined },
    { datacontenttype: undefined },
    { sessionid: 't' },
    { parentagentid: 'x' },
    { causationid: 'x' },
    { resumes: 'x' },
    { traceparent: undefined },
    { tracestate: 'x' },
    { tracestate: '' },
    { seal: { encalg: 'AES-256-GCM', keyid: 'key_v2', nonce: '000102030405060708090a0b' } },
    { seal: { encalg: 'AES-256-GCM', keyid: 'key_v1', nonce: '000102030405060708090a0c' } },
    { seal: undefined },
  ];
  const inputs = [{}, ...changes].map((change) => toHex(signatureInput({ ...envelope, ...change }, leaf)));
  inputs.push(toHex(signatureInput(envelope, leaf.replace('1', '2'))));
  expect(new Set(inputs).size).toBe(inputs.length);
});

test.each(['', 'zz', leaf.toUpperCase(), leaf.slice(1)])('E13 the leaf %j is refused', (bad) => {
  let error: unknown;
  try {
    signatureInput(envelope, bad);
  } catch (caught) {
    error = caught;
  }
  expect(isVakError(error, 'invalid-payload') && error.details?.['field']).toBe('leaf');
});
