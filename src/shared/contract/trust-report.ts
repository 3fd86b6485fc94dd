/**
 * What the inspector shows of one message: its envelope, and for each kind of trust what was found and why.
 * Law: everything here may be shown; no key, no secret, and an opened payload only in `OpenedPayload`.
 */
import type { LinkVerdict } from '../protocol/chain-verdict.ts';
import type { TrustMarks } from '../protocol/trust-marks.ts';

/** An attribute of the envelope, by its name on the wire. */
export interface AttributeReport {
  readonly name: string;
  readonly value: string;
  /** Unknown to the protocol, kept as it came (E2). */
  readonly isExtension: boolean;
}

/** Parts of a key id (E7). */
export interface KeyIdReport {
  readonly secretId: string;
  readonly peer: string;
  /** `yyyymmdd`. */
  readonly day: string;
  readonly boot: string;
}

/** Why a sealed payload does not open (E9). */
export type OpenFailureKind =
  | 'locked'
  | 'unknown-secret'
  | 'revoked-secret'
  | 'expired-secret'
  | 'foreign-key'
  | 'tag-mismatch'
  | 'malformed';

export interface OpenFailure {
  readonly kind: OpenFailureKind;
  /** A sentence for people: what is wrong, and what to do next. */
  readonly why: string;
  /** `tag-mismatch`: what was changed, where it could be found out: an AAD field, `ciphertext` or `key`. */
  readonly culprit: string | null;
}

export type SealReport =
  | { readonly kind: 'none' | 'plain' | 'exempt' }
  | {
      readonly kind: 'sealed';
      readonly algorithm: string;
      readonly keyId: string;
      /** Null for a key id of another form. */
      readonly keyParts: KeyIdReport | null;
      /** 24 hex digits. */
      readonly nonce: string;
      /** Additional authenticated data (E6), whole and field by field. */
      readonly aad: string;
      readonly aadFields: readonly { readonly name: string; readonly value: string; readonly isWrong: boolean }[];
      readonly sealedBytes: number;
      readonly failure: OpenFailure | null;
    };

/** Another message of the same source in the buffer. */
export interface NeighbourReport {
  /** Place in the engine's buffer. */
  readonly seq: number;
  readonly chainSeq: number;
  readonly leaf: string;
  readonly prevHash: string;
}

export interface ChainReport {
  readonly source: string;
  readonly chainSeq: number;
  readonly leaf: string;
  readonly prevHash: string;
  readonly payloadHash: string;
  /** Of the payload that came; differs from `payloadHash` if it was changed. */
  readonly actualPayloadHash: string;
  readonly verdict: LinkVerdict;
  /** The first envelope of its source that was seen here. */
  readonly isFirstSeen: boolean;
  /** A sentence for people. */
  readonly why: string;
  readonly previous: NeighbourReport | null;
  readonly next: NeighbourReport | null;
  readonly resumes: string | null;
}

export type SignatureReport =
  | { readonly kind: 'none' | 'unsigned' }
  | ({ readonly kind: 'valid' } & SignerReport)
  /**
   * `fault`: the signature is none of that key over these bytes, or the sender may not say this.
   * `isFinal`: whatever is granted, it never counts; else a grant that is not known here yet may still say otherwise (I4).
   */
  | ({ readonly kind: 'invalid'; readonly fault: 'signature' | 'sender'; readonly isFinal: boolean } & SignerReport);

/** Who signed, and why that counts or does not. */
interface SignerReport {
  readonly signer: string;
  /** The peer that `agentid` names. */
  readonly peer: string;
  /** Roles of the grant in force; empty if there is none. */
  readonly roles: readonly string[];
  /** Queues of that grant. */
  readonly queues: readonly string[];
  readonly why: string;
}

export interface TraceReport {
  readonly version: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  readonly traceparent: string;
  /** Null: absent, or dropped because it breaks the limits of W3C trace context. */
  readonly tracestate: string | null;
  readonly causationId: string | null;
}

/** Why a message is never handled. */
export const refusalReasons = [
  'malformed',
  'misplaced',
  'plain',
  'unsigned',
  'chain',
  'signature',
  'sender',
  'unopenable',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** A sentence for people. */
  readonly why: string;
}

export interface TrustReport {
  /** `cloudevents`: an envelope of ours; `vak-rs`: the JSON of the Rust crate (E5); `none`: neither. */
  readonly wire: 'cloudevents' | 'vak-rs' | 'none';
  /** Why it is no envelope; `field` is the first one that breaks its rule, if it got that far. */
  readonly malformed: { readonly field: string | null; readonly why: string } | null;
  readonly attributes: readonly AttributeReport[];
  /** Of the payload as sent. */
  readonly contentType: string | null;
  readonly payloadBytes: number;
  readonly marks: TrustMarks;
  readonly seal: SealReport;
  readonly chain: ChainReport | null;
  readonly signature: SignatureReport;
  readonly trace: TraceReport | null;
  readonly refusal: Refusal | null;
}

/** A payload, opened in main on request. */
export type OpenedPayload =
  | { readonly kind: 'opened'; readonly bytes: Uint8Array; readonly wasSealed: boolean }
  | { readonly kind: 'failed'; readonly failure: OpenFailure };
