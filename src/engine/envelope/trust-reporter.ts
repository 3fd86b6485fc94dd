/**
 * Everything that the inspector shows of a message's trust (product.md "Streams").
 * Law: it tells what was decided about the message and why, and shows nothing that is secret.
 */
import type {
  AttributeReport,
  ChainReport,
  NeighbourReport,
  SealReport,
  SignatureReport,
  TraceReport,
  TrustReport,
} from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { aadFieldsOf, aadOf } from '../../shared/protocol/envelope-aad.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { knownAttributes } from '../../shared/protocol/foreign-parts.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import { parseTraceparent, readTraceContext } from '../../shared/protocol/trace-context.ts';
import type { HeldMessage, MessageBuffer } from '../feeds/message-buffer.ts';
import type { EnvelopeReader, ReadEnvelope } from './envelope-reader.ts';
import type { Intake } from './intake.ts';
import { explainLink } from './link-words.ts';
import { marksOf } from './message-trust.ts';
import type { EnvelopeOpener } from './open-envelope.ts';

export interface TrustReporter {
  report(held: HeldMessage): TrustReport;
}

/** What reports are made from. */
export interface TrustReporterDeps {
  readonly buffer: MessageBuffer;
  readonly reader: EnvelopeReader;
  readonly intake: Pick<Intake, 'admit' | 'checkSignature' | 'open'>;
  readonly opener: EnvelopeOpener;
}

/** Attributes in the order of protocol.md §3, without the payload. */
export function attributesOf(envelope: Envelope): readonly AttributeReport[] {
  const values: Readonly<Record<string, unknown>> = {
    ...envelope,
    ...envelope.seal,
    ...envelope.signed,
    specversion: '1.0',
  };
  const known = [...knownAttributes].flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ name, value: String(value), isExtension: false }];
  });
  return [
    ...known,
    ...envelope.extensions.map(({ name, valueText }) => ({ name, value: valueText, isExtension: true })),
  ];
}

function traceOf({ traceparent, tracestate, causationid }: Envelope): TraceReport | null {
  const parsed = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (traceparent === undefined || parsed === undefined) return null;
  return {
    version: parsed.version.toString(16).padStart(2, '0'),
    traceId: parsed.traceId,
    spanId: parsed.spanId,
    isSampled: (parsed.flags & 1) === 1,
    traceparent,
    tracestate: readTraceContext(traceparent, tracestate)?.tracestate ?? null,
    causationId: causationid ?? null,
  };
}

/** Creates a reporter over the engine's buffer. */
export function createTrustReporter({ buffer, reader, intake, opener }: TrustReporterDeps): TrustReporter {
  function neighbourOf(held: HeldMessage | undefined): NeighbourReport | null {
    const reading = held === undefined ? undefined : reader.read(held.data);
    if (held === undefined || reading?.kind !== 'envelope') return null;
    const { envelope, leaf } = reading;
    return { seq: held.seq, chainSeq: envelope.seqnum, leaf, prevHash: envelope.prevhash };
  }

  function nextOf({ seq }: HeldMessage): HeldMessage | undefined {
    for (let at = seq + 1; at <= buffer.newestSeq; at++) {
      const held = buffer.get(at);
      if (held?.trust.link?.previousSeq === seq) return held;
    }
    return undefined;
  }

  function chainOf(held: HeldMessage, { envelope, leaf, payloadHash }: ReadEnvelope): ChainReport | null {
    const { link } = held.trust;
    if (link === undefined) return null;
    const previous = link.previousSeq === undefined ? undefined : buffer.get(link.previousSeq);
    return {
      source: envelope.source,
      chainSeq: envelope.seqnum,
      leaf,
      prevHash: envelope.prevhash,
      payloadHash: envelope.payloadhash,
      actualPayloadHash: payloadHash,
      verdict: link.verdict,
      isFirstSeen: link.isFirst,
      why: explainLink(link, envelope.seqnum),
      previous: neighbourOf(previous),
      next: neighbourOf(nextOf(held)),
      resumes: envelope.resumes ?? null,
    };
  }

  function sealOf(held: HeldMessage, { envelope }: ReadEnvelope, isSigned: boolean): SealReport {
    const { seal } = envelope;
    if (seal === undefined) return { kind: held.trust.seal === 'exempt' ? 'exempt' : 'plain' };
    const previous = held.trust.link?.previousSeq;
    const before = neighbourOf(previous === undefined ? undefined : buffer.get(previous));
    const opened = intake.open(held);
    const hints = {
      subject: held.subject,
      isSignatureValid: isSigned,
      ...(before === null ? {} : { previousSeq: before.chainSeq }),
    };
    const failure = opened.kind === 'opened' ? null : opener.diagnose(envelope, hints);
    return {
      kind: 'sealed',
      algorithm: seal.encalg,
      keyId: seal.keyid,
      keyParts: parseKeyId(seal.keyid) ?? null,
      nonce: seal.nonce,
      aad: aadOf(envelope),
      aadFields: aadFieldsOf(envelope).map((field) => ({ ...field, isWrong: failure?.culprit === field.name })),
      sealedBytes: payloadBytesOf(envelope).length,
      failure,
    };
  }

  function reportEnvelope(held: HeldMessage, reading: ReadEnvelope): TrustReport {
    const { envelope } = reading;
    const signature: SignatureReport = intake.checkSignature(held);
    const seal = sealOf(held, reading, signature.kind === 'valid');
    // What the policy says of it in the end.
    intake.admit(held);
    return {
      wire: 'cloudevents',
      malformed: null,
      attributes: attributesOf(envelope),
      contentType: envelope.datacontenttype ?? null,
      payloadBytes: payloadBytesOf(envelope).length,
      seal,
      chain: chainOf(held, reading),
      signature,
      trace: traceOf(envelope),
      marks: marksOf(held.trust),
      refusal: held.trust.refusal ?? null,
    };
  }

  return {
    report(held) {
      const reading = reader.read(held.data);
      if (reading.kind === 'envelope') return reportEnvelope(held, reading);
      const envelope = reading.kind === 'vak-rs' ? reading.envelope : undefined;
      return {
        wire: reading.kind,
        malformed: reading.kind === 'none' ? { field: reading.field, why: reading.why } : null,
        attributes: envelope === undefined ? [] : attributesOf(envelope),
        contentType: envelope?.datacontenttype ?? null,
        payloadBytes: envelope === undefined ? held.data.length : payloadBytesOf(envelope).length,
        seal: { kind: 'none' },
        chain: null,
        signature: { kind: 'none' },
        trace: envelope === undefined ? null : traceOf(envelope),
        marks: marksOf(held.trust),
        refusal: held.trust.refusal ?? null,
      };
    },
  };
}
