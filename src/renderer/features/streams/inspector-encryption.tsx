/** How the payload was sealed (E6, E7), what is bound to it, and why it does not open (E9). */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { SealReport, TrustReport } from '../../../shared/contract/trust-report.ts';
import { CopyFact, DetailFact, DetailFacts, TrustLine } from '../../ui/detail-facts.tsx';
import { formatBytes } from '../../ui/format.ts';
import { SealFailure } from '../../ui/seal-failure.tsx';
import { SealBadge } from '../../ui/trust-badges.tsx';
import { sealSentence } from '../../ui/trust-sentences.ts';

type Sealed = Extract<SealReport, { readonly kind: 'sealed' }>;

/** `2026-11-29` of `20261129`. */
const dayOf = (day: string): string => day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');

function KeyFacts({ seal }: { readonly seal: Sealed }) {
  const { keyParts } = seal;
  return (
    <DetailFacts title="Key">
      <CopyFact name="key id" value={seal.keyId} />
      {keyParts === null ? (
        <DetailFact name="parts">
          <span className="dim">a key id of another form; it opens only through an alias</span>
        </DetailFact>
      ) : (
        <>
          <DetailFact name="secret">{visibleText(keyParts.secretId)}</DetailFact>
          <DetailFact name="peer">{visibleText(keyParts.peer)}</DetailFact>
          <DetailFact name="day">{visibleText(dayOf(keyParts.day))}</DetailFact>
          <DetailFact name="boot">{visibleText(keyParts.boot)}</DetailFact>
        </>
      )}
    </DetailFacts>
  );
}

function BoundFacts({ seal }: { readonly seal: Sealed }) {
  return (
    <DetailFacts title="Bound to the payload (AAD)">
      <CopyFact name="whole" value={seal.aad} copyName="AAD" />
      {seal.aadFields.map(({ name, value, isWrong }) => (
        <CopyFact key={name} name={visibleText(name)} value={value} isWrong={isWrong} />
      ))}
    </DetailFacts>
  );
}

export function InspectorEncryption({ trust }: { readonly trust: TrustReport }) {
  const { seal, marks } = trust;
  const line = (
    <p className="inspector-verdict">
      <TrustLine badge={<SealBadge mark={marks.seal} />}>{visibleText(sealSentence(seal, marks.seal))}</TrustLine>
    </p>
  );
  if (seal.kind !== 'sealed') return line;
  return (
    <>
      {seal.failure === null ? line : <SealFailure failure={seal.failure} seal={seal} />}
      <DetailFacts>
        <DetailFact name="algorithm">{visibleText(seal.algorithm)}</DetailFact>
        <CopyFact name="nonce" value={seal.nonce} />
        <DetailFact name="sealed size">{formatBytes(seal.sealedBytes)}</DetailFact>
      </DetailFacts>
      <KeyFacts seal={seal} />
      <BoundFacts seal={seal} />
    </>
  );
}
