/**
 * Judges the signed requests of control subjects, for whoever answers them (protocol.md S5, E11, E13, I4).
 * Law: nothing of a request is used before its place, payload hash, signature and the signer's grant were found right; each is let through
 * once, or refused with its true cause.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { parseSubject, typeOfSubject } from '../../shared/protocol/subject.ts';
import { readTraceContext, type TraceContext } from '../../shared/protocol/trace-context.ts';
import { payloadHashOf } from '../envelope/hashing.ts';
import type { CheckSignature } from '../envelope/seeking-check.ts';
import type { Clock } from '../ports/clock.ts';
import { maxRequestAgeMs, type RequestSources } from './request-sources.ts';

/** A request as it came on its subject. */
export interface RequestMessage {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** A request that may be followed. */
export interface SoundRequest {
  readonly payload: Uint8Array;
  /** Of whoever asks. */
  readonly trace: TraceContext;
  readonly peer: string;
  /** The key that signed, which is granted to that peer: `U…`. */
  readonly sign: string;
}

export interface RequestGate {
  /**
   * Opens a request; `type`: the one that it must have, that of its subject unless told. Throws `invalid-payload` if it is no envelope,
   * `forbidden` if it must not be followed, `locked` while nobody can tell, `limit-exceeded` when too many ask.
   */
  open(message: RequestMessage, type?: string): SoundRequest;
}

export interface RequestGateDeps {
  readonly checkSignature: CheckSignature;
  readonly sources: RequestSources;
  readonly clock: Pick<Clock, 'now'>;
}

/** What the signature leaves open: that the envelope was written for this subject, and that its payload is the one that it names (E13). */
function misplacement(envelope: Envelope, { subject, type }: { subject: string; type: string }): string | undefined {
  if (envelope.subject !== subject) return 'It was written for another subject.';
  if (envelope.type !== type) return 'Its type is not that of its subject.';
  if (payloadHashOf(envelope) !== envelope.payloadhash) return 'Its payload is not the one that was signed.';
  return undefined;
}

/** Creates the gate of whoever answers. */
export function createRequestGate({ checkSignature, sources, clock }: RequestGateDeps): RequestGate {
  function unsound({ report, verb }: { report: SignatureReport | undefined; verb: string }): string | undefined {
    if (report === undefined) {
      throw new VakError('locked', `${verb}: who may ask is not known here yet; ask again later`, { retryable: true });
    }
    if (report.kind === 'valid') return undefined;
    return report.kind === 'invalid' ? report.why : 'It is not signed.';
  }

  /** Its time is signed: what was said long ago, or is said to come, is not for now. */
  function staleness({ time }: Envelope): string | undefined {
    const ageMs = clock.now() - Date.parse(time);
    return Math.abs(ageMs) <= maxRequestAgeMs ? undefined : `It is not of now: its time is ${time}.`;
  }

  return {
    open({ subject, data }, type = typeOfSubject(parseSubject(subject))) {
      const { verb } = parseSubject(subject);
      const envelope = decodeEnvelope(data);
      const judged = (): SignatureReport | undefined => checkSignature(envelope, subject, clock.now());
      const why =
        misplacement(envelope, { subject, type }) ??
        unsound({ report: judged(), verb }) ??
        staleness(envelope) ??
        sources.take(envelope);
      if (why !== undefined) throw new VakError('forbidden', `${verb} was refused: ${why}`);
      const trace = readTraceContext(envelope.traceparent, envelope.tracestate);
      if (trace === undefined) {
        throw new VakError('invalid-payload', `${verb}: expected a traceparent`, { details: { field: 'traceparent' } });
      }
      return { payload: payloadBytesOf(envelope), trace, peer: envelope.agentid, sign: envelope.signed?.signer ?? '' };
    },
  };
}
