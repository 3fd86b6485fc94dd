/**
 * The two hashes of an envelope: of its payload as it came, and its leaf in the chain (protocol.md E10).
 * Law: both are SHA-256 over bytes that the codec gives; nothing is taken from what the envelope says about itself.
 */
import { hash } from 'node:crypto';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { leafInput } from '../../shared/protocol/leaf-input.ts';

/** SHA-256 of the payload bytes as they came (the sealed ones, if sealed), 64 lower hex digits. */
export function payloadHashOf(envelope: Envelope): string {
  return hash('sha256', payloadBytesOf(envelope), 'hex');
}

/** The leaf: SHA-256 of E10's input, 64 lower hex digits. It covers the payload through `payloadhash` alone. */
export function leafOf(envelope: Envelope): string {
  return hash('sha256', leafInput(envelope), 'hex');
}
