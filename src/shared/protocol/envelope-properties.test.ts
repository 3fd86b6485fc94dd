import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBase64Url } from '../base/base64url.ts';
import { toHex } from '../base/bytes.ts';
import { isVakError } from '../base/vak-error.ts';
import type { Envelope } from './envelope.ts';
import { decodeEnvelope, encodeEnvelope, payloadBytesOf } from './envelope-codec.ts';
import { checkEnvelope } from './envelope-fields.ts';
import { knownAttributes } from './foreign-parts.ts';
import { leafInput } from './leaf-input.ts';
import { signatureInput } from './signature-input.ts';
import { decodeVakRs, encodeVakRs } from './vak-rs-codec.ts';

const hex = (length: number) => fc.uint8Array({ minLength: length / 2, maxLength: length / 2 }).map(toHex);
const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** Text of any script, quotes and backslashes among it, without what CloudEvents forbids. */
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 30 })
  .map((some) => `x${some.replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}|]/gu, '"\\')}`);
const source = fc.oneof(
  fc.tuple(token, token, token).map((parts) => `vak://${parts.join('/')}`),
  text,
);
const time = fc
  .tuple(
    fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
    fc.stringMatching(/^(\.[0-9]{1,9})?$/),
  )
  .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}Z`);
const id = (length: number) => hex(length).filter((digits) => /[^0]/.test(digits));
const traceparent = fc.tuple(id(32), id(16), hex(2)).map(([trace, span, flags]) => `00-${trace}-${span}-${flags}`);
const seal = fc.record({
  encalg: fc.constant('AES-256-GCM' as const),
  keyid: fc.stringMatching(/^[A-Za-z0-9_.-]{1,192}$/),
  nonce: hex(24),
});
const signed = fc.record({
  signer: fc.stringMatching(/^U[A-Z2-7]{55}$/),
  signature: fc.uint8Array({ minLength: 64, maxLength: 64 }).map(toBase64Url),
});
const extensions = fc.uniqueArray(
  fc.record({
    name: fc
      .stringMatching(/^[a-z0-9]{1,20}$/)
      .filter((name) => !knownAttributes.has(name) && name !== 'data' && name !== 'dataschema'),
    valueText: fc.oneof(
      text.map((some) => JSON.stringify(some)),
      fc.constantFrom('18446744073709551615', '1e400', '-0', '1.10', 'true', 'false', '"\\u0041\\/"'),
    ),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
);
const bytesData = fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ kind: 'bytes' as const, bytes }));
const anyData = fc.oneof(
  bytesData,
  fc.constant({ kind: 'none' as const }),
  fc.jsonValue().map((value) => ({ kind: 'json' as const, text: JSON.stringify(value, null, 1) })),
);

/** Any envelope that E1 and E2 let pass. */
const envelopes: fc.Arbitrary<Envelope> = fc
  .record({
    id: fc.uuid(),
    source,
    type: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}(\.[A-Za-z0-9_-]{1,20}){0,5}$/),
    time,
    datacontenttype: optional(text),
    subject: optional(text),
    data: anyData,
    traceparent: optional(traceparent),
    tracestate: optional(text),
    workspaceid: token,
    agentid: token,
    sessionid: optional(token),
    parentagentid: optional(token),
    seqnum: fc.oneof(fc.nat(), fc.maxSafeNat()),
    prevhash: hex(64),
    payloadhash: hex(64),
    causationid: optional(token),
    resumes: optional(fc.tuple(source, fc.maxSafeNat(), hex(64)).map(([from, seq, leaf]) => `${from}#${seq}:${leaf}`)),
    seal: optional(seal),
    signed: optional(signed),
    extensions,
  })
  .filter((envelope) => {
    try {
      checkEnvelope(envelope);
      return true;
    } catch {
      return false;
    }
  });

describe('envelopes of any kind', () => {
  it('E2 decode∘encode = identity, and what is written is written again the same', () => {
    fc.assert(
      fc.property(envelopes, (envelope) => {
        const bytes = encodeEnvelope(envelope);
        const back = decodeEnvelope(bytes);
        expect(back).toEqual(envelope);
        expect(toHex(encodeEnvelope(back))).toBe(toHex(bytes));
        expect(toHex(leafInput(back))).toBe(toHex(leafInput(envelope)));
      }),
      { numRuns: 1000 },
    );
  });

  it('E5 decode∘encode = identity over what vak-rs can hold', () => {
    const held = fc.tuple(envelopes, bytesData, traceparent, text).map(
      ([envelope, data, trace, type]): Envelope => ({
        ...envelope,
        data,
        traceparent: trace,
        datacontenttype: type,
        causationid: undefined,
        resumes: undefined,
        signed: undefined,
        extensions: [],
      }),
    );
    fc.assert(
      fc.property(held, (envelope) => {
        const back = decodeVakRs(encodeVakRs(envelope));
        expect(back).toEqual(envelope);
        expect(toHex(leafInput(back))).toBe(toHex(leafInput(envelope)));
      }),
      { numRuns: 1000 },
    );
  });

  it('E13 any single bit of a signed envelope that is changed is refused, or changes what is hashed or signed', () => {
    const ours = fc.tuple(envelopes, bytesData, traceparent, token, signed).map(
      ([envelope, data, trace, session, by]): Envelope => ({
        ...envelope,
        data,
        traceparent: trace,
        sessionid: session,
        signed: by,
        extensions: [],
      }),
    );
    const covered = (envelope: Envelope) =>
      [
        envelope.signed?.signer,
        envelope.signed?.signature,
        toHex(payloadBytesOf(envelope)),
        toHex(leafInput(envelope)),
        toHex(signatureInput(envelope, '00'.repeat(32))),
      ].join();
    let flipped = 0;
    fc.assert(
      fc.property(ours, (envelope) => {
        const bytes = encodeEnvelope(envelope);
        const before = covered(envelope);
        for (let bit = 0; bit < bytes.length * 8; bit++) {
          const spoiled = bytes.slice();
          spoiled[bit >> 3] = (spoiled[bit >> 3] as number) ^ (1 << (bit & 7));
          flipped++;
          try {
            if (covered(decodeEnvelope(spoiled)) === before) expect.unreachable(`bit ${bit} is not covered`);
          } catch (error) {
            if (!isVakError(error)) throw error;
          }
        }
      }),
      { numRuns: 5 },
    );
    expect(flipped).toBeGreaterThan(20_000);
  });
});
