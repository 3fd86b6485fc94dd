/**
 * An inclusion proof out of envelopes that somebody has: the leaf inputs from one of a chain to a signed checkpoint (protocol.md E14).
 * Law: pure; it holds what one proof may have of a few chains, and where something is lacking it says what.
 */
import { toBase64 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { isSameSender } from '../../shared/protocol/envelope-fields.ts';
import { leafInput } from '../../shared/protocol/leaf-input.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { type BundleProof, bundleBounds } from './bundle-format.ts';

/** Which envelope is to be proven. */
export interface ProofWanted {
  readonly seq: number;
  /** Undefined: of the only chain that has that place. */
  readonly source: string | undefined;
}

export interface ProofGathering {
  /** Takes an envelope and the bytes that it came as, in whatever order. */
  note(envelope: Envelope, bytes: Uint8Array): void;
  /** Throws `not-found` that says what is lacking, `invalid-input` for a place that several chains have. */
  proof(): BundleProof;
}

/** Chains that are held while nobody has said which. */
const maxChains = 64;

interface Checkpoint {
  readonly seq: number;
  readonly envelope: Envelope;
  readonly bytes: Uint8Array;
}

interface Held {
  /** Leaf inputs by their place, from the wanted one on. */
  readonly leaves: Map<number, Uint8Array>;
  readonly checkpoints: Checkpoint[];
}

const lacking = (what: string): VakError => new VakError('not-found', `chain prove: ${what}`);

/** The head that a checkpoint vouches for; undefined: it is none, or of another peer's chain. */
function vouchedBy(envelope: Envelope): { source: string; seq: number } | undefined {
  if (envelope.type !== 'vak.audit.checkpoint') return undefined;
  try {
    const { source, seq } = decodePayload('vak.audit.checkpoint', payloadBytesOf(envelope));
    return isSameSender(envelope.source, source) ? { source, seq } : undefined;
  } catch (error) {
    if (isVakError(error)) return undefined;
    throw error;
  }
}

function toProof(source: string, inputs: readonly Uint8Array[], { envelope, bytes }: Checkpoint): BundleProof {
  const { workspaceid: workspace, agentid: entity, time } = envelope;
  const subject = buildSubject({ plane: 'audit', workspace, entity, verb: 'checkpoint' });
  return {
    ...{ kind: 'proof', source },
    checkpoint: { subject, storedMs: Date.parse(time), envelope: toBase64(bytes) },
    leaves: inputs.map(toBase64),
  };
}

/** Creates it with nothing known. */
export function createProofGathering({ seq: from, source }: ProofWanted): ProofGathering {
  const chains = new Map<string, Held>();
  const end = from + bundleBounds.proofLeaves;

  function chainOf(name: string): Held | undefined {
    if (source !== undefined && name !== source) return undefined;
    const known = chains.get(name);
    if (known !== undefined || chains.size >= maxChains) return known;
    const held: Held = { leaves: new Map(), checkpoints: [] };
    chains.set(name, held);
    return held;
  }

  function chosen(): readonly [source: string, chain: Held] {
    const having = [...chains].filter(([, { leaves }]) => leaves.has(from));
    const [first, second] = having;
    if (first === undefined) {
      throw lacking(`place ${from} of ${source === undefined ? 'a chain' : visibleText(source)} is not in the input`);
    }
    if (second === undefined) return first;
    const names = having.slice(0, 4).map(([name]) => visibleText(name));
    throw new VakError(
      'invalid-input',
      `chain prove: several chains have place ${from}: name one as --source, ${names.join(', ')}`,
    );
  }

  return {
    note(envelope, bytes) {
      const seq = envelope.seqnum;
      if (seq >= from && seq < end) chainOf(envelope.source)?.leaves.set(seq, leafInput(envelope));
      const vouched = vouchedBy(envelope);
      // Those of what is claimed lie in the chain of the rest (E14).
      if (vouched !== undefined && vouched.seq >= from && vouched.seq < end) {
        chainOf(vouched.source)?.checkpoints.push({ seq: vouched.seq, envelope, bytes: bytes.slice() });
      }
    },
    proof() {
      const [name, { leaves, checkpoints }] = chosen();
      const [checkpoint] = checkpoints.toSorted((a, b) => a.seq - b.seq);
      if (checkpoint === undefined) {
        throw lacking(`no checkpoint of ${visibleText(name)} from place ${from} to ${end - 1} is in the input`);
      }
      const inputs: Uint8Array[] = [];
      for (let seq = from; seq <= checkpoint.seq; seq++) {
        const input = leaves.get(seq);
        if (input === undefined) {
          throw lacking(
            `place ${seq} of ${visibleText(name)}, before its checkpoint of ${checkpoint.seq}, is not in the input`,
          );
        }
        inputs.push(input);
      }
      return toProof(name, inputs, checkpoint);
    },
  };
}
