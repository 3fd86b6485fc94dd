import { beforeEach, describe, expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { grantWith, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createEnvelopeAuthor, type EnvelopeAuthor } from '../envelope/envelope-author.ts';
import { signEnvelope } from '../envelope/envelope-signature.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { type CommandGate, createCommandGate } from './command-gate.ts';

const clock = createFakeClock();
const randomness = createSeededRandomness(5);
const runSubject = 'vak.control.acme.worker-1.run';
const checks = createRecordChecks();
const coordinator = signerOf(1);
const trace = startTrace(randomness.bytes);
let gate: CommandGate;
let author: EnvelopeAuthor;

const grantOf = (fields: Parameters<typeof grantWith>[0] = {}) =>
  grantWith({ peer: 'swarm', sign: coordinator.nkey, roles: ['coordinator'], ...fields });
const gateFor = (commanders: readonly Grant[]): CommandGate =>
  createCommandGate({ workspace: 'acme', rootPublic: root.nkey, commanders, clock, checks });

function authorOf(change: { peer?: string; session?: string; signer?: NkeySigner } = {}) {
  return createEnvelopeAuthor({
    ...{ workspace: 'acme', peer: 'swarm', session: 'swarm-a-e', kind: 'e', signer: coordinator, ...change },
    ...{ clock, randomness, heads: createMemoryHeadStore() },
  });
}

/** A request as it goes over the bus. */
function write(by: EnvelopeAuthor = author, subject = runSubject): Uint8Array {
  let written: Uint8Array | undefined;
  by.publish({ subject, payload: utf8('{"n":1}'), trace }, (bytes) => {
    written = bytes;
  });
  if (written === undefined) throw new Error('nothing was handed over');
  return written;
}

const refused = (data: Uint8Array, by = gate): VakError => refusal(() => by.open({ subject: runSubject, data }));

const signedAnew = (change: Partial<Envelope>, signer = coordinator): Uint8Array =>
  encodeEnvelope(signEnvelope({ ...decodeEnvelope(write()), signed: undefined, ...change }, signer));

beforeEach(() => {
  gate = gateFor([grantOf()]);
  author = authorOf();
});

describe('command gate', () => {
  test('E13 I4 a request that a granted coordinator signed is let through, with its trace', () => {
    const { payload, trace: came } = gate.open({ subject: runSubject, data: write() });
    expect(toText(payload)).toBe('{"n":1}');
    expect(came).toEqual(trace);
    const more = gateFor([grantOf({ roles: ['observer', 'coordinator'] })]);
    expect(toText(more.open({ subject: runSubject, data: write() }).payload)).toBe('{"n":1}');
  });

  test('E13 a request that was held back on its way, or is said to come, is refused', () => {
    const held = write();
    const other = signedAnew({ time: new Date(clock.now() + 61_000).toISOString() });
    expect(refused(other).message).toMatch(/not of now/);
    clock.advance(60_001);
    expect(refused(held).message).toMatch(/not of now/);
    expect(toText(gate.open({ subject: runSubject, data: write() }).payload)).toBe('{"n":1}');
  });

  test('E8 a command is never sealed', () => {
    expect(decodeEnvelope(write())).toMatchObject({ seal: undefined, type: 'vak.control.run' });
  });

  test('E13 an unsigned request is refused', () => {
    const data = encodeEnvelope({ ...decodeEnvelope(write()), signed: undefined });
    expect(refused(data)).toMatchObject({ code: 'forbidden', message: 'run was refused: It is not signed.' });
  });

  test('E13 a request that was changed after it was signed is refused', () => {
    const envelope = decodeEnvelope(write());
    const other = { kind: 'bytes', bytes: utf8('{"n":2}') } as const;
    const cases: readonly (readonly [Partial<Envelope>, RegExp])[] = [
      [{ data: other }, /payload is not the one/],
      [{ seqnum: envelope.seqnum + 1 }, /does not verify/],
      [{ traceparent: envelope.traceparent?.replace(/..$/, '00') ?? '' }, /does not verify/],
      [{ causationid: 'x' }, /does not verify/],
    ];
    for (const [change, why] of cases) {
      const error = refused(encodeEnvelope({ ...envelope, ...change }));
      expect(error.code).toBe('forbidden');
      expect(error.message).toMatch(why);
    }
  });

  test('E13 A4 a misaddressed request is refused, though its signature is right', () => {
    expect(refused(write(author, 'vak.control.acme.worker-2.run')).message).toMatch(/another subject/);
    expect(refused(write(author, 'vak.control.acme.worker-1.cancel')).message).toMatch(/another subject/);
    expect(refused(signedAnew({ type: 'vak.control.cancel' })).message).toMatch(/type is not that/);
    expect(refused(signedAnew({ source: 'vak://acme/other/swarm-a-e' })).message).toMatch(/source and agentid/);
    expect(refused(signedAnew({ sessionid: 'swarm-b-e' })).message).toMatch(/source and sessionid/);
  });

  test('I4 a key that was not granted, to that peer, in that workspace, with that role, or no more, may not command', () => {
    const stranger = signerOf(9);
    expect(refused(write(authorOf({ signer: stranger }))).message).toMatch(/not the one that swarm was granted/);
    expect(refused(write(authorOf({ peer: 'worker-2' }))).message).toMatch(/key is that of swarm/);
    expect(refused(write(), gateFor([])).message).toMatch(/no grant/);
    expect(refused(write(), gateFor([grantOf({ roles: ['worker'], queues: ['local'] })])).message).toMatch(
      /needs coordinator; swarm held worker/,
    );
    expect(refused(write(), gateFor([grantOf({ roles: [] })])).message).toMatch(/revoked/);
    const ended = Math.floor(clock.now() / 1000) - 1;
    expect(refused(write(), gateFor([grantOf({ notAfter: ended })])).message).toMatch(/ended at/);
    const forged = { ...grantOf({ roles: ['observer'] }), roles: ['coordinator' as const] };
    expect(refused(write(), gateFor([forged])).code).toBe('forbidden');
    const foreign = signedAnew({ workspaceid: 'other', source: 'vak://other/swarm/swarm-a-e' });
    expect(refused(foreign).message).toMatch(/Workspace other is not known/);
  });

  test('E11 a request is followed once: its own number and every lower one is refused afterwards', () => {
    const [first, second, third] = [write(), write(), write()];
    gate.open({ subject: runSubject, data: second });
    for (const data of [first, second]) {
      expect(refused(data)).toMatchObject({ code: 'forbidden' });
      expect(refused(data).message).toMatch(/Reordered: number [01] of its source came after 1/);
    }
    expect(toText(gate.open({ subject: runSubject, data: third }).payload)).toBe('{"n":1}');
    // Another session of the commander counts for itself.
    expect(toText(gate.open({ subject: runSubject, data: write(authorOf({ session: 'swarm-b-e' })) }).payload)).toBe(
      '{"n":1}',
    );
  });

  test('E11 a request that is refused takes no number of the source whose name it bears', () => {
    const honest = write();
    const forged = signedAnew({ seqnum: 1_000 }, signerOf(9));
    expect(refused(forged).code).toBe('forbidden');
    expect(toText(gate.open({ subject: runSubject, data: honest }).payload)).toBe('{"n":1}');
  });

  test('E11 memory is bounded: beyond 64 sources a new one is refused, the known ones go on', () => {
    const authors = Array.from({ length: 64 }, (_, index) => authorOf({ session: `swarm-${index}-e` }));
    for (const one of authors) gate.open({ subject: runSubject, data: write(one) });
    expect(refused(write(authorOf({ session: 'swarm-64-e' }))).message).toMatch(/Too many sources/);
    gate.open({ subject: runSubject, data: write(authors[0]) });
  });

  test.each([
    ['no JSON', utf8('{')],
    ['no UTF-8', Uint8Array.of(0xff)],
    ['a bare request', utf8('{"taskId":"t","task":{"command":["true"]}}')],
    ['nothing', new Uint8Array()],
    ['too much', new Uint8Array(1024 * 1024 + 1)],
  ])('E2 %s is refused as invalid-payload', (_what, data) => {
    expect(['invalid-payload', 'limit-exceeded']).toContain(refused(data).code);
  });
});
