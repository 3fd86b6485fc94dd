/** What the report of a message says of its seal, signature and chain, each in one sentence. Pure; nothing is made visible here. */
import type {
  ChainReport,
  OpenFailure,
  OpenFailureKind,
  SealReport,
  SignatureReport,
} from '../../shared/contract/trust-report.ts';
import type { ChainMark, SealMark } from '../../shared/protocol/trust-marks.ts';

/** Why a payload does not open, as a title. */
export const openFailureWords: Readonly<Record<OpenFailureKind, string>> = {
  locked: 'The key store is locked',
  'unknown-secret': 'Its secret is not known here',
  'revoked-secret': 'Its secret was revoked',
  'expired-secret': 'Its secret may no longer open anything',
  'foreign-key': 'Its key belongs to another sender',
  'tag-mismatch': 'It is not what was sealed',
  malformed: 'Its seal is malformed',
};

type Sealed = Extract<SealReport, { readonly kind: 'sealed' }>;

/** Who sealed it and with which secret, as far as the key id says. */
export function sealedBy({ keyId, keyParts }: Sealed): string {
  return keyParts === null ? `key ${keyId}` : `secret ${keyParts.secretId} of peer ${keyParts.peer}`;
}

/** `the sealed bytes`, `the attribute seqnum`; null when it could not be found out. */
export function culpritWords({ culprit }: OpenFailure): string | null {
  if (culprit === null) return null;
  if (culprit === 'ciphertext') return 'the sealed bytes';
  return culprit === 'key' ? 'the key' : `the attribute ${culprit}`;
}

export function sealSentence(report: SealReport, mark: SealMark): string {
  switch (report.kind) {
    case 'none':
      return 'No envelope, so nothing is sealed.';
    case 'plain':
      return 'Sent plain: whoever listens on the bus can read it.';
    case 'exempt':
      return 'Not sealed by the envelope: messages of this type never are.';
    case 'sealed': {
      if (report.failure !== null) return `${openFailureWords[report.failure.kind]}: ${report.failure.why}`;
      return `${report.algorithm}, ${mark === 'opens' ? 'opens with' : 'not opened yet, by'} ${sealedBy(report)}.`;
    }
  }
}

export function signatureSentence(report: SignatureReport): string {
  switch (report.kind) {
    case 'none':
      return 'No envelope, so no signature.';
    case 'unsigned':
      return 'Not signed: nobody vouches for it.';
    case 'valid':
    case 'invalid':
      return report.why;
  }
}

export function chainSentence(report: ChainReport | null, mark: ChainMark): string {
  if (report !== null) return report.why;
  return mark === 'unplaced'
    ? 'Read from a stream, which holds only a part of the chain of its source: its place is not judged here.'
    : 'No envelope, so no chain.';
}
