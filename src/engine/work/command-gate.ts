/**
 * Who may command a worker: each request is an envelope, and is let through once or refused with its true cause (E13, I4, E11).
 * Law: nothing of a request is used before its place, payload hash, signature and the signer's grant were found right.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { rolesThatMayPublish } from '../../shared/protocol/acl.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import { parseSubject, typeOfSubject } from '../../shared/protocol/subject.ts';
import { readTraceContext, type TraceContext } from '../../shared/protocol/trace-context.ts';
import { createSignatureCheck } from '../envelope/envelope-signature.ts';
import { payloadHashOf } from '../envelope/hashing.ts';
import type { SerialFloor } from '../identity/serial-floor.ts';
import type { RecordChecks } from '../identity/signed-record.ts';
import { createSignerResolution, type SignerResolution } from '../identity/signer-resolution.ts';
import type { Clock } from '../ports/clock.ts';
import type { Directory, Stored } from '../ports/directory.ts';

/** A request that may be followed. */
export interface Command {
  readonly payload: Uint8Array;
  /** Of whoever asks. */
  readonly trace: TraceContext;
}

export interface CommandGate {
  /** Opens a request as it came on its subject. Throws `invalid-payload` if it is no envelope, `forbidden` if it must not be followed. */
  open(message: { readonly subject: string; readonly data: Uint8Array }): Command;
}

/** What the gate is made of. */
export interface CommandGateDeps {
  readonly workspace: string;
  /** Root's public nkey. */
  readonly rootPublic: string;
  /** Grants of those who may command, as main knows them. */
  readonly commanders: readonly Grant[];
  readonly clock: Pick<Clock, 'now'>;
  readonly checks: RecordChecks;
}

/** Oldest request that is followed, ms: one that was held back on its way is none any more. */
const maxAgeMs = 60_000;
/** Most sources of commanders that are remembered; a worker lives shorter than that many restarts of them. */
const maxSources = 64;

/** Judges signers by the grants that were given, for ever: newer ones do not reach a worker. */
function resolutionOver({ workspace, rootPublic, commanders, checks }: CommandGateDeps): SignerResolution {
  const grants = new Map<string, readonly Stored<Grant>[]>();
  for (const record of commanders)
    grants.set(record.peer, [...(grants.get(record.peer) ?? []), { record, storedMs: 0 }]);
  const directory: Pick<Directory, 'grants' | 'grantedPeers'> = {
    grants: (peer) => grants.get(peer) ?? [],
    grantedPeers: () => [...grants.keys()],
  };
  const floor: Pick<SerialFloor, 'judge' | 'raise'> = { judge: () => 'known', raise() {} };
  return createSignerResolution({ ws: workspace, rootPublic, directory, floor, checks });
}

/** What the signature leaves open: that the envelope was written for this subject, and that its payload is the one that it names (E13). */
function misplacement(envelope: Envelope, subject: string): string | undefined {
  if (envelope.subject !== subject) return 'It was written for another subject.';
  if (envelope.type !== typeOfSubject(parseSubject(subject))) return 'Its type is not that of its subject.';
  if (payloadHashOf(envelope) !== envelope.payloadhash) return 'Its payload is not the one that was signed.';
  return undefined;
}

/** Creates the gate of one worker. */
export function createCommandGate(deps: CommandGateDeps): CommandGate {
  const { workspace, clock, checks } = deps;
  const signatures = createSignatureCheck({
    verifier: checks.verifier,
    resolution: resolutionOver(deps),
    rolesFor: (subject, { agentid, sessionid = '' }) => ({
      roles: rolesThatMayPublish(subject, { workspace, peer: agentid, session: sessionid }),
    }),
  });
  /** The last seq of each source that was let through. */
  const lastSeqs = new Map<string, number>();

  function unsound(envelope: Envelope, subject: string): string | undefined {
    const report = signatures.check(envelope, subject, clock.now());
    if (report.kind === 'valid') return undefined;
    return report.kind === 'invalid' ? report.why : 'It is not signed.';
  }

  /** Its time is signed: what was said long ago, or is said to come, is not for now. */
  function staleness({ time }: Envelope): string | undefined {
    const ageMs = clock.now() - Date.parse(time);
    return Math.abs(ageMs) <= maxAgeMs ? undefined : `It is not of now: its time is ${time}.`;
  }

  /** Why an envelope may be one that came before, or undefined; then its seq is taken. */
  function repetition({ source, seqnum }: Envelope): string | undefined {
    const last = lastSeqs.get(source);
    if (last === undefined && lastSeqs.size >= maxSources)
      return 'Too many sources command this worker; start it again.';
    if (last !== undefined && seqnum <= last) return `Reordered: number ${seqnum} of its source came after ${last}.`;
    lastSeqs.set(source, seqnum);
    return undefined;
  }

  return {
    open({ subject, data }) {
      const { verb } = parseSubject(subject);
      const envelope = decodeEnvelope(data);
      const why =
        misplacement(envelope, subject) ?? unsound(envelope, subject) ?? staleness(envelope) ?? repetition(envelope);
      if (why !== undefined) throw new VakError('forbidden', `${verb} was refused: ${why}`);
      const trace = readTraceContext(envelope.traceparent, envelope.tracestate);
      if (trace === undefined) {
        throw new VakError('invalid-payload', `${verb}: expected a traceparent`, { details: { field: 'traceparent' } });
      }
      return { payload: payloadBytesOf(envelope), trace };
    },
  };
}
