/**
 * The envelope: one message of the fabric as a value (protocol.md §3), a CloudEvents event with the attributes of E1.
 * Law: a value of this type has passed every check of E1 and E2; its texts are the ones that came, digit for digit.
 */

/** Payload as it was sent. `json`: a foreign event's `data`, as the raw slice of its JSON text (E2). */
export type EnvelopeData =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'none' };

/** An attribute that the protocol does not know; `valueText` is its JSON as it came. */
export interface ExtensionAttribute {
  readonly name: string;
  readonly valueText: string;
}

/** How a payload is sealed (E6). All three are present, or none. */
export interface SealAttributes {
  readonly encalg: 'AES-256-GCM';
  readonly keyid: string;
  /** 24 lower hex digits. */
  readonly nonce: string;
}

/** Who signed (E13). Both are present, or none. */
export interface SignatureAttributes {
  /** Public nkey, `U…`. */
  readonly signer: string;
  /** base64url of 64 bytes. */
  readonly signature: string;
}

/** Attributes are named as on the wire; what is absent is `undefined`. */
export interface Envelope {
  /** UUID in lower hex. */
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** RFC 3339 with `T` and `Z`, as it came. */
  readonly time: string;
  readonly datacontenttype: string | undefined;
  /** The bus subject that it was written for. */
  readonly subject: string | undefined;
  readonly data: EnvelopeData;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly workspaceid: string;
  readonly agentid: string;
  readonly sessionid: string | undefined;
  readonly parentagentid: string | undefined;
  /** 0 to 2^53−1. */
  readonly seqnum: number;
  /** 64 lower hex digits each. */
  readonly prevhash: string;
  readonly payloadhash: string;
  readonly causationid: string | undefined;
  readonly resumes: string | undefined;
  readonly seal: SealAttributes | undefined;
  readonly signed: SignatureAttributes | undefined;
  /** Unknown attributes in the order in which they came (E2). */
  readonly extensions: readonly ExtensionAttribute[];
}

/** `prevhash` of a chain's first envelope (E10). */
export const genesisHash = '0'.repeat(64);
