/**
 * Envelopes as they go into a bundle: each once, as it was stored (docs/spec/triage.md D11).
 * Law: what is sealed stays so; of what is not sealed the payload is withheld where secrets are to be taken out.
 */
import { toBase64 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import type { EnvelopeReading, ReadEnvelope } from '../envelope/envelope-reader.ts';
import type { BundleEnvelope } from './bundle-format.ts';

/** An envelope that lies somewhere. */
export interface FoundEnvelope extends Pick<BundleEnvelope, 'of' | 'letter' | 'subject' | 'storedMs'> {
  readonly data: Uint8Array;
  readonly reading: EnvelopeReading;
}

export interface BundleEnvelopes {
  /** The line of an envelope; undefined: it is there already, or is no envelope. */
  lineOf(found: FoundEnvelope): BundleEnvelope | undefined;
  /** All that have a line. */
  known(): readonly KnownEnvelope[];
  /** Peers that signed them. */
  peers(): ReadonlySet<string>;
}

/** What is remembered of an envelope that has a line. */
export interface KnownEnvelope {
  readonly source: string;
  readonly seq: number;
  readonly storedMs: number;
}

/** The envelope without its payload; leaf and signature hold without it. */
function withoutPayload(envelope: Envelope): Uint8Array {
  return encodeEnvelope({ ...envelope, data: { kind: 'none' } });
}

const isEnvelope = (reading: EnvelopeReading): reading is ReadEnvelope => reading.kind === 'envelope';

/** Creates it without any. */
export function createBundleEnvelopes(isRedacted: boolean): BundleEnvelopes {
  const leaves = new Set<string>();
  const known: KnownEnvelope[] = [];
  const peers = new Set<string>();
  return {
    lineOf({ of, letter, subject, storedMs, data, reading }) {
      if (!isEnvelope(reading) || leaves.has(reading.leaf)) return undefined;
      const { id, seal, source, seqnum, agentid } = reading.envelope;
      leaves.add(reading.leaf);
      peers.add(agentid);
      known.push({ source, seq: Number(seqnum), storedMs });
      const isWithheld = isRedacted && seal === undefined;
      const envelope = toBase64(isWithheld ? withoutPayload(reading.envelope) : data);
      return { kind: 'envelope', of, letter, id, subject, storedMs, isWithheld, envelope };
    },
    known: () => known,
    peers: () => peers,
  };
}
