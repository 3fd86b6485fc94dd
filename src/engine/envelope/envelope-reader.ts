/**
 * Reads the bytes of a message as an envelope, once however many ask (quality.md §1: open once a process).
 * Law: whatever comes has a reading; what is no envelope is told with its first wrong field.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { decodeVakRs, looksLikeVakRs } from '../../shared/protocol/vak-rs-codec.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import { leafOf, payloadHashOf } from './hashing.ts';

/** An envelope with the hashes of what came (E10), in lower hex. */
export interface ReadEnvelope {
  readonly kind: 'envelope';
  readonly envelope: Envelope;
  /** Of the payload as it came; `envelope.payloadhash` is what its sender says. */
  readonly payloadHash: string;
  readonly leaf: string;
}

/** `vak-rs`: the JSON of the Rust crate (E5). `field`: the first that breaks its rule. */
export type EnvelopeReading =
  | ReadEnvelope
  | { readonly kind: 'vak-rs'; readonly envelope: Envelope }
  | { readonly kind: 'none'; readonly field: string | null; readonly why: string };

export interface EnvelopeReader {
  /** The same array is read once while it is remembered; nobody may write to it. Never throws. */
  read(data: Uint8Array): EnvelopeReading;
}

/** Readings that are remembered: what lies between a message's arrival and its row, some second of thousands of peers. */
const rememberedReadings = 4096;
/** Most bytes of messages whose readings are remembered; a reading holds some three times as much. */
const rememberedBytes = 8 * 1024 * 1024;
/** Largest message that is looked at as vak-rs: its payload is an array of numbers, dear to read, and it is only shown. */
const maxVakRsBytes = 64 * 1024;

interface Remembered {
  readonly reading: EnvelopeReading;
  readonly sizeBytes: number;
}

function readVakRs(data: Uint8Array): EnvelopeReading | undefined {
  if (data.length > maxVakRsBytes || !looksLikeVakRs(data)) return undefined;
  try {
    return { kind: 'vak-rs', envelope: decodeVakRs(data) };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): EnvelopeReading {
  if (!isVakError(error)) throw error;
  const field = error.details?.['field'];
  return { kind: 'none', field: typeof field === 'string' ? field : null, why: error.message };
}

function readNow(data: Uint8Array): EnvelopeReading {
  try {
    const envelope = decodeEnvelope(data);
    return { kind: 'envelope', envelope, payloadHash: payloadHashOf(envelope), leaf: leafOf(envelope) };
  } catch (error) {
    return readVakRs(data) ?? failed(error);
  }
}

/** Creates a reader with a bounded memory. */
export function createEnvelopeReader(): EnvelopeReader {
  const known = createBoundedCache<Remembered, Uint8Array>(rememberedReadings, {
    maxWeight: rememberedBytes,
    weightOf: ({ sizeBytes }) => sizeBytes,
  });
  /** Most who ask for one ask for that which was asked for last. */
  let lastData: Uint8Array | undefined;
  let lastReading: EnvelopeReading | undefined;

  function find(data: Uint8Array): EnvelopeReading {
    const remembered = known.get(data);
    if (remembered !== undefined) return remembered.reading;
    const reading = readNow(data);
    known.set(data, { reading, sizeBytes: data.length });
    return reading;
  }

  return {
    read(data) {
      if (data === lastData && lastReading !== undefined) return lastReading;
      lastReading = find(data);
      lastData = data;
      return lastReading;
    },
  };
}
