import { expect, it } from 'vitest';
import { isVakError } from '../base/vak-error.ts';
import type { Envelope } from './envelope.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope-codec.ts';
import { decodeVakRs, encodeVakRs, looksLikeVakRs } from './vak-rs-codec.ts';

/** Fuzzed inputs of each codec (quality.md §3). */
const count = process.env['VAK_ENDURANCE'] === '1' ? 100_000 : 10_000;
/** Longest that one input may take: some 100 times what the largest needs. */
const maxMs = 1000;

type Draw = (below: number) => number;

/** A repeatable source of whole numbers below n (xorshift32). */
function createDraw(seed: number): Draw {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const wire = {
  specversion: '1.0',
  id: '0197a3c0-0000-7000-8000-000000000001',
  source: 'vak://ws_123/worker-1/worker-1-abcdefgh-q',
  type: 'vak.work.task',
  time: '2026-01-02T03:04:05.123Z',
  datacontenttype: 'application/octet-stream',
  subject: 'vak.work.ws_123.builds.task',
  data_base64: 'BrDSUqnlq2/JxgrWHQbV6Q==',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  tracestate: 'a=1',
  workspaceid: 'ws_123',
  agentid: 'worker-1',
  sessionid: 'worker-1-abcdefgh-q',
  seqnum: '124',
  prevhash: '0'.repeat(64),
  payloadhash: 'a'.repeat(64),
  resumes: `vak://ws_123/worker-1/worker-1-hgfedcba-q#41:${'f'.repeat(64)}`,
  encalg: 'AES-256-GCM',
  keyid: 'main.worker-1.20260102.k3f9',
  nonce: '000102030405060708090a0b',
  signer: `U${'A'.repeat(55)}`,
  signature: 'A'.repeat(86),
};
const { data_base64: _d, encalg: _a, keyid: _k, nonce: _n, signer: _s, signature: _g, ...foreign } = wire;
const vakRs = {
  specversion: '1.0',
  id: wire.id,
  source: wire.source,
  type: wire.type,
  time: wire.time,
  datacontenttype: wire.datacontenttype,
  trace: { traceparent: wire.traceparent, tracestate: null },
  lineage: {
    workspace_id: 'ws_123',
    session_id: 's',
    origin_agent_id: 'worker-1',
    seq_num: 124,
    prev_event_hash: '0'.repeat(64),
    payload_hash: 'a'.repeat(64),
  },
  payload: [1, 22, 255],
  encrypted: true,
  encryption: { algorithm: 'AES-256-GCM', key_id: wire.keyid, nonce_hex: wire.nonce },
};
const samples: readonly object[] = [
  wire,
  { ...foreign, data: { a: [1.5, { b: 'x' }], c: null }, ext: 'x', big: 1, on: true },
  vakRs,
];

const hostileValues = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  '\u0000',
  '\ud800',
  'A'.repeat(70_000),
  '|',
  ':',
  [],
  {},
  [[[]]],
  { a: 1 },
  '__proto__',
  '1.0',
];
const hostileTexts = [
  '[',
  '{"a":',
  '"\\ud800"',
  '\\',
  '"',
  '1e400',
  '-0',
  '18446744073709551616',
  '\uFEFF',
  '\u2028',
  '/**/',
  ',',
  '{"id":1,"id":1}',
  'NaN',
];

/** Replaces, adds or takes away one value somewhere in a JSON tree. */
function spoil(value: unknown, draw: Draw): unknown {
  if (typeof value !== 'object' || value === null || draw(4) === 0) return hostileValues[draw(hostileValues.length)];
  const keys = Object.keys(value);
  const key = keys[draw(keys.length)] ?? 'x';
  if (Array.isArray(value)) return value.map((inner, index) => (String(index) === key ? spoil(inner, draw) : inner));
  const members = value as Record<string, unknown>;
  if (draw(6) === 0) return { ...members, [String(hostileValues[draw(hostileValues.length)])]: members[key] };
  if (draw(6) === 0) return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
  return { ...members, [key]: spoil(members[key], draw) };
}

type Mutation = (sample: object, draw: Draw) => Buffer;

function bytesOf(sample: object): Buffer {
  return Buffer.from(JSON.stringify(sample));
}

function spliced(bytes: Buffer, middle: Buffer, draw: Draw): Buffer {
  const at = draw(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(at + draw(20))]);
}

const mutations: readonly Mutation[] = [
  (sample, draw) => {
    const bytes = bytesOf(sample);
    for (let i = draw(3); i >= 0; i--) bytes.writeUInt8(draw(256), draw(bytes.length));
    return bytes;
  },
  (sample, draw) => {
    const bytes = bytesOf(sample);
    const at = draw(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << draw(8)), at);
    return bytes;
  },
  (sample, draw) => {
    const bytes = bytesOf(sample);
    return draw(2) === 0 ? bytes.subarray(0, draw(bytes.length)) : bytes.subarray(draw(bytes.length));
  },
  (sample, draw) => {
    const other = bytesOf(samples[draw(samples.length)] ?? wire);
    const from = draw(other.length);
    return spliced(bytesOf(sample), other.subarray(from, from + draw(200)), draw);
  },
  (sample, draw) => {
    const text = hostileTexts[draw(hostileTexts.length)] ?? '';
    return spliced(bytesOf(sample), Buffer.from(text.repeat(1 + (draw(4) === 0 ? draw(2000) : 0))), draw);
  },
  (sample, draw) => bytesOf(spoil(sample, draw) as object),
  (sample, draw) => bytesOf(spoil(spoil(sample, draw), draw) as object),
  (_sample, draw) => Buffer.from(Array.from({ length: draw(300) }, () => draw(256))),
  (sample, draw) =>
    Buffer.from(JSON.stringify(sample, null, draw(3)).replaceAll('"', () => (draw(40) === 0 ? '\\"' : '"'))),
];

/** The value, or undefined for a typed error; anything else that is thrown ends the test. */
function tried(action: () => Envelope): Envelope | undefined {
  try {
    return action();
  } catch (error) {
    if (!isVakError(error)) throw error;
    expect(error.message.length).toBeLessThan(600);
    expect(typeof error.details?.['field']).toBe('string');
    return undefined;
  }
}

it(
  `E2 ${count} random and mutated inputs: an envelope that comes back the same, or a typed error, in bounded time`,
  () => {
    const draw = createDraw(20_260_102);
    const found = { envelopes: 0, vakRs: 0 };
    let slowestMs = 0;
    for (let round = 0; round < count; round++) {
      const mutate = mutations[round % mutations.length] as Mutation;
      const bytes = mutate(samples[draw(samples.length)] ?? wire, draw);
      const startedAt = performance.now();
      const envelope = tried(() => decodeEnvelope(bytes));
      const message = tried(() => decodeVakRs(bytes));
      const isLike = looksLikeVakRs(bytes);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      if (envelope !== undefined) {
        found.envelopes++;
        expect(decodeEnvelope(encodeEnvelope(envelope))).toEqual(envelope);
      }
      if (message !== undefined) {
        found.vakRs++;
        expect(isLike).toBe(true);
        expect(decodeVakRs(encodeVakRs(message))).toEqual(message);
      }
    }
    expect(found.envelopes).toBeGreaterThan(count / 50);
    expect(found.vakRs).toBeGreaterThan(count / 100);
    expect(slowestMs).toBeLessThan(maxMs);
  },
  count * 20,
);
