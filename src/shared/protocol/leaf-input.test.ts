import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goldenEnvelope } from '../../../tests/support/envelope-fixture.ts';
import { toHex, toText, utf8 } from '../base/bytes.ts';
import { type Envelope, genesisHash } from './envelope.ts';
import { leafInput, leafTime } from './leaf-input.ts';

const payload = utf8('{"command":"cargo build","exit_code":0}');
const sealedHash = 'abcb71beb11b6fb25224e1b62f5800f307dae0e924e38bcea22ff475ac122690';

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test('E10 golden leaves, plain and sealed', () => {
  expect(sha256(payload)).toBe(goldenEnvelope.payloadhash);
  expect(sha256(leafInput(goldenEnvelope))).toBe('187ad0f81e3c94a978fcb8a6e224d6fd5127d6cba75f599c491c45b7aa1522b8');
  expect(sha256(leafInput({ ...goldenEnvelope, payloadhash: sealedHash }))).toBe(
    '34e13c659c7c080491d201e05831806bdc4cd1443a3f33404613c5e0dea98535',
  );
});

test('E10 the sequence number is 8 raw bytes, also where one of them is a "|"', () => {
  const before =
    '1.0|0197a3c0-0000-7000-8000-000000000001|vak://test|vak.work.task|2026-01-02T03:04:05.123456789+00:00|ws_123|agent_456|';
  const after = `|${genesisHash}|${goldenEnvelope.payloadhash}`;
  const at = (seqnum: number, raw: string) => {
    const bytes = leafInput({ ...goldenEnvelope, seqnum });
    expect(toText(bytes.subarray(0, before.length))).toBe(before);
    expect(toHex(bytes.subarray(before.length, before.length + 8))).toBe(raw);
    expect(toText(bytes.subarray(before.length + 8))).toBe(after);
  };
  at(1, '0000000000000001');
  at(124, '000000000000007c');
  at(2 ** 53 - 1, '001fffffffffffff');
});

test('E10 the leaf of sequence 124', () => {
  const bytes = Buffer.concat([
    Buffer.from(
      '1.0|0197a3c0-0000-7000-8000-000000000001|vak://test|vak.work.task|2026-01-02T03:04:05.123456789+00:00|ws_123|agent_456|',
    ),
    Buffer.from('000000000000007c', 'hex'),
    Buffer.from(`|${'0'.repeat(64)}|1cb55820e73518961335cd72f31447276ffe621c21813ca726099297908d0af6`),
  ]);
  expect(sha256(leafInput({ ...goldenEnvelope, seqnum: 124 }))).toBe(sha256(bytes));
  expect(sha256(bytes)).toBe('e4f2d1ccb46e6f1c8286975a1ddbfa72e353250b4aa3ebed2f0e65f264f1b585');
});

test.each([
  ['05Z', '05+00:00'],
  ['05.0Z', '05+00:00'],
  ['05.000000000Z', '05+00:00'],
  ['05.1Z', '05.100+00:00'],
  ['05.120Z', '05.120+00:00'],
  ['05.100000Z', '05.100+00:00'],
  ['05.1234Z', '05.123400+00:00'],
  ['05.123456Z', '05.123456+00:00'],
  ['05.123456000Z', '05.123456+00:00'],
  ['05.1234567Z', '05.123456700+00:00'],
  ['05.123456789Z', '05.123456789+00:00'],
  ['05.000000001Z', '05.000000001+00:00'],
  ['05.001Z', '05.001+00:00'],
])('E10 the leaf has …%s as …%s', (time, expected) => {
  expect(leafTime(`2026-01-02T03:04:${time}`)).toBe(`2026-01-02T03:04:${expected}`);
});

test('E10 a time that is none is refused', () => {
  expect(() => leafTime('2026-02-30T00:00:00Z')).toThrow(/^time: /);
  expect(() => leafTime('2026-01-02T00:00:00+00:00')).toThrow(/^time: /);
});

test('E10 equal instants have equal leaves, others never', () => {
  const fraction = fc.array(fc.constantFrom('0', '1', '9'), { maxLength: 9 }).map((digits) => digits.join(''));
  const instant = (digits: string) => digits.padEnd(9, '0');
  fc.assert(
    fc.property(fraction, fraction, (one, other) => {
      const [a, b] = [one, other].map((digits) => leafTime(`2026-01-02T03:04:05${digits && `.${digits}`}Z`));
      expect(a === b).toBe(instant(one) === instant(other));
      expect(a).toMatch(/:05(\.\d{3}|\.\d{6}|\.\d{9})?\+00:00$/);
      expect(a).not.toMatch(/000\+00:00$/);
    }),
  );
});

test('E10 every field of the leaf counts', () => {
  const changes: readonly Partial<Envelope>[] = [
    { id: '0197a3c0-0000-7000-8000-000000000002' },
    { source: 'vak://tesu' },
    { type: 'vak.work.tasl' },
    { time: '2026-01-02T03:04:05.123456788Z' },
    { workspaceid: 'ws_124' },
    { agentid: 'agent_457' },
    { seqnum: 2 },
    { prevhash: `${'0'.repeat(63)}1` },
    { payloadhash: sealedHash },
  ];
  const leaves = [{}, ...changes].map((change) => sha256(leafInput({ ...goldenEnvelope, ...change })));
  expect(new Set(leaves).size).toBe(leaves.length);
});
