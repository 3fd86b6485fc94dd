/**
 * The hash of a command's whole output, as its receipt names it (protocol.md W6, W11).
 * Law: SHA-256 over `L("vak-output-v1", SHA-256(stdout), SHA-256(stderr))`: how the two came between each other changes nothing.
 */
import { createHash, hash } from 'node:crypto';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import type { OutputStream } from './command-output.ts';

export interface OutputHash {
  push(stream: OutputStream, bytes: Uint8Array): void;
  /** 64 lower hex digits. To be called once, at the end. */
  digest(): string;
}

/** Creates the hash of one command. */
export function createOutputHash(): OutputHash {
  const hashes = { stdout: createHash('sha256'), stderr: createHash('sha256') };
  return {
    push(stream, bytes) {
      hashes[stream].update(bytes);
    },
    digest: () =>
      hash('sha256', labelledFields('vak-output-v1', [hashes.stdout.digest(), hashes.stderr.digest()]), 'hex'),
  };
}
