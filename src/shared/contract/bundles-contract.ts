/**
 * An incident bundle that is opened in the window: what it says, and whether that is what was signed (docs/spec/triage.md D11, D14).
 * Law: all of it is another's word; every text was made visible, every list is bounded, and nothing of it changes the bus.
 */
import { z } from 'zod';
import { call, snapshot } from './define-contract.ts';
import type { LetterAnswer, LetterAround, LetterReport, LetterRow } from './dlq-contract.ts';
import { offeredId } from './links-contract.ts';

/** A bundle that is being looked through, twice: bytes of both times. */
export interface BundleOpening {
  /** Name of the file. */
  readonly name: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/**
 * `sound`: all is as it was signed, by whom this profile knows. `unknown`: as it was signed, and nobody here knows whose key that is.
 * `changed`: something is not as it was signed, or the signer is not who it says.
 */
export type BundleVerdict = 'sound' | 'unknown' | 'changed';

/** A line that is not as it was signed, and why. */
export interface BundleFault {
  /** From 1. */
  readonly line: number;
  readonly kind: string;
  readonly why: string;
}

export interface BundleSigned {
  readonly kind: 'valid' | 'sound' | 'invalid' | 'none';
  /** Public nkey; null: there is none. */
  readonly signer: string | null;
  /** This profile has pinned that very key for the peer that is named. */
  readonly isPinned: boolean;
  /** It names another root than the workspace of that name has here: it is of another workspace. */
  readonly isOtherRoot: boolean;
  /** What is wrong with it; null: nothing. */
  readonly why: string | null;
}

export interface BundleReport {
  readonly bundleId: string;
  /** Name of the file. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly verdict: BundleVerdict;
  readonly signed: BundleSigned;
  /** As the manifest says; null: there is none. */
  readonly made: {
    readonly workspace: string;
    readonly by: string;
    /** Null: it names no time that there is. */
    readonly atMs: number | null;
    readonly operationId: string;
  } | null;
  readonly lineCount: number;
  readonly badLineCount: number;
  /** The last line of a file that was cut off before its end; null: it has its end. */
  readonly cutAtLine: number | null;
  /** The first of them; what is wrong with the file as a whole is in `errors`. */
  readonly faults: readonly BundleFault[];
  readonly errors: readonly string[];
  /** `grantedCount`: signed as the root of this profile granted. `unknownCount`: the signature holds, by whom is not known here. */
  readonly envelopes: {
    readonly count: number;
    readonly grantedCount: number;
    readonly unknownCount: number;
    readonly provenCount: number;
  };
  /** What it is about; null: it does not say. */
  readonly about: {
    readonly environment: string;
    readonly scope: string;
    readonly reason: string | null;
    readonly isRedacted: boolean;
  } | null;
  /** Lines by their kind, envelopes by what they are of. */
  readonly parts: readonly { readonly kind: string; readonly count: number }[];
  /** What was taken out, by its kind. */
  readonly redacted: readonly { readonly kind: string; readonly count: number }[];
  readonly leftOut: readonly { readonly why: string; readonly count: number }[];
  readonly notes: readonly string[];
  /** Letters that can be shown; those that cannot be read as one. */
  readonly letterCount: number;
  readonly unreadableCount: number;
}

/** An envelope of a letter in a bundle, and what was found of it here. */
export interface BundledEnvelope {
  readonly of: string;
  readonly id: string;
  readonly type: string;
  readonly by: string;
  readonly payload: 'ok' | 'changed' | 'withheld';
  readonly signature: 'valid' | 'sound' | 'unsigned' | 'invalid';
  readonly isProven: boolean;
}

export interface BundledLetter {
  readonly letter: LetterReport;
  /** Every line of it is as it was signed. */
  readonly isIntact: boolean;
  /** The opened task in the words of whoever made the bundle; null: there is none. */
  readonly task: { readonly bytes: Uint8Array | null; readonly problem: string | null } | null;
  readonly around: LetterAround;
  readonly envelopes: readonly BundledEnvelope[];
}

export interface BundlesState {
  /** Null: none is being looked through. */
  readonly opening: BundleOpening | null;
  /** The one that is open; null: none is. */
  readonly bundleId: string | null;
}

const bundleId = z.string().min(1).max(64);

export const bundlesContract = {
  /**
   * Asks which file, or takes the one that waits as `linkId` (links-contract.ts), looks through all of it, and keeps it open until another one is, it is closed, or the key store is locked.
   * Throws `aborted` when nothing was chosen or it was stopped, `forbidden` when it cannot be read, `invalid-input` for what is no bundle,
   * `limit-exceeded` for what is larger than one may be, `conflict` when that file does not wait any more.
   */
  open: call(z.object({ linkId: offeredId }))<BundleReport>(),
  /** Rows of those of its letters that a filter means, as they stand in the file, newest first. Throws `conflict` for one that is not open any more. */
  page: call(
    z.object({
      ...{ bundleId, filter: z.string().max(2048), fromIndex: z.int().min(0), limit: z.int().min(1).max(200) },
    }),
  )<Omit<LetterAnswer, 'version'> & { readonly rows: readonly LetterRow[] }>(),
  /** A letter of it. Throws `conflict` also when the file was changed since it was looked through. */
  letter: call(z.object({ bundleId, seq: z.int().positive() }))<BundledLetter>(),
  /** Nothing happens if it is not open any more. */
  close: call(z.object({ bundleId }))<void>(),
  state: snapshot<BundlesState>(),
} as const;
