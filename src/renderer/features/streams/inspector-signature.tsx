/** Who signed the message, with which right, and whether that holds (E13). */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { TrustReport } from '../../../shared/contract/trust-report.ts';
import { CopyFact, DetailFact, DetailFacts, TrustLine } from '../../ui/detail-facts.tsx';
import { SignatureBadge } from '../../ui/trust-badges.tsx';
import { signatureSentence } from '../../ui/trust-sentences.ts';
import { signatureWords } from '../../ui/trust-words.ts';

export function InspectorSignature({ trust }: { readonly trust: TrustReport }) {
  const { signature, marks } = trust;
  const isSigned = signature.kind === 'valid' || signature.kind === 'invalid';
  return (
    <>
      <p className="inspector-verdict">
        <TrustLine badge={<SignatureBadge mark={marks.signature} />}>
          {visibleText(signatureSentence(signature))}
        </TrustLine>
      </p>
      {isSigned && (
        <DetailFacts>
          <DetailFact name="state">
            <span className={signature.kind === 'invalid' ? 'streams-bad' : undefined}>
              {signatureWords[signature.kind].text}
            </span>
          </DetailFact>
          <CopyFact name="signer" value={signature.signer} />
          <CopyFact name="peer" value={signature.peer} />
          <DetailFact name="roles">
            {signature.roles.length === 0 ? (
              <span className="dim">no grant in force</span>
            ) : (
              visibleText(signature.roles.join(', '))
            )}
          </DetailFact>
        </DetailFacts>
      )}
    </>
  );
}
