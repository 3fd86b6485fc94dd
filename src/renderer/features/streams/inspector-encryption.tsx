/** How the payload was sealed (E6, E7), what is bound to it, and why it does not open (E9). */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { SealReport, TrustReport } from '../../../shared/contract/trust-report.ts';
import { formatBytes } from '../../ui/format.ts';
import { CopyFact, Fact, Facts, TrustLine } from './inspector-facts.tsx';
import { SealFailure } from './seal-failure.tsx';
import { SealBadge } from './trust-badges.tsx';
import { sealSentence } from './trust-sentences.ts';

type Sealed = Extract<SealReport, { readonly kind: 'sealed' }>;

/** `2026-11-29` of `20261129`. */
const dayOf = (day: string): string => day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');

function KeyFacts({ seal }: { readonly seal: Sealed }) {
  const { keyParts } = seal;
  return (
    <Facts title="Key">
      <CopyFact name="key id" value={seal.keyId} />
      {keyParts === null ? (
        <Fact name="parts">
          <span className="dim">a key id of another form; it opens only through an alias</span>
        </Fact>
      ) : (
        <>
          <Fact name="secret">{visibleText(keyParts.secretId)}</Fact>
          <Fact name="peer">{visibleText(keyParts.peer)}</Fact>
          <Fact name="day">{visibleText(dayOf(keyParts.day))}</Fact>
          <Fact name="boot">{visibleText(keyParts.boot)}</Fact>
        </>
      )}
    </Facts>
  );
}

function BoundFacts({ seal }: { readonly seal: Sealed }) {
  return (
    <Facts title="Bound to the payload (AAD)">
      <CopyFact name="whole" value={seal.aad} copyName="AAD" />
      {seal.aadFields.map(({ name, value, isWrong }) => (
        <CopyFact key={name} name={visibleText(name)} value={value} isWrong={isWrong} />
      ))}
    </Facts>
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
      <Facts>
        <Fact name="algorithm">{visibleText(seal.algorithm)}</Fact>
        <CopyFact name="nonce" value={seal.nonce} />
        <Fact name="sealed size">{formatBytes(seal.sealedBytes)}</Fact>
      </Facts>
      <KeyFacts seal={seal} />
      <BoundFacts seal={seal} />
    </>
  );
}
