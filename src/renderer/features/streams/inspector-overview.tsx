/** What a message is, whether it may be trusted, and every attribute of its envelope. */
import { Terminal } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import type { TrustReport } from '../../../shared/contract/trust-report.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { CopyFact, DetailFact, DetailFacts, DetailNotice, TrustLine } from '../../ui/detail-facts.tsx';
import { formatBytes, formatCount, formatDateTime, formatRelative, thinSpace } from '../../ui/format.ts';
import { refusalWords } from '../../ui/refusal-words.ts';
import { ChainBadge, SealBadge, SignatureBadge } from '../../ui/trust-badges.tsx';
import { chainSentence, sealSentence, signatureSentence } from '../../ui/trust-sentences.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';

function exactSize(bytes: number): string {
  const exact = `${formatCount(bytes)}${thinSpace}B`;
  return bytes < 1024 ? exact : `${formatBytes(bytes)} · ${exact}`;
}

/** What is wrong with it, before anything else. */
function Problems({ trust: { refusal, malformed } }: { readonly trust: TrustReport }) {
  return (
    <>
      {refusal !== null && (
        <DetailNotice title={`Refused: ${refusalWords[refusal.reason]}`} data-testid="inspector-refusal">
          <p>{visibleText(refusal.why)}</p>
          <p className="dim">It is in quarantine and is never handled.</p>
        </DetailNotice>
      )}
      {malformed !== null && (
        <DetailNotice title="Not a sound envelope" data-testid="inspector-malformed">
          {malformed.field !== null && (
            <p>
              Field <span className="data">{visibleText(malformed.field)}</span>
            </p>
          )}
          <p>{visibleText(malformed.why)}</p>
        </DetailNotice>
      )}
    </>
  );
}

function TrustFacts({ trust }: { readonly trust: TrustReport }) {
  const { marks, seal, signature, chain } = trust;
  return (
    <DetailFacts title="Trust">
      <DetailFact name="seal">
        <TrustLine badge={<SealBadge mark={marks.seal} />}>{visibleText(sealSentence(seal, marks.seal))}</TrustLine>
      </DetailFact>
      <DetailFact name="signature">
        <TrustLine badge={<SignatureBadge mark={marks.signature} />}>
          {visibleText(signatureSentence(signature))}
        </TrustLine>
      </DetailFact>
      <DetailFact name="chain">
        <TrustLine badge={<ChainBadge mark={marks.chain} />}>
          {visibleText(chainSentence(chain, marks.chain))}
        </TrustLine>
      </DetailFact>
    </DetailFacts>
  );
}

function AttributeFacts({ attributes }: Pick<TrustReport, 'attributes'>) {
  if (attributes.length === 0) return null;
  return (
    <DetailFacts title="Envelope">
      {attributes.map(({ name, value, isExtension }, at) => (
        <CopyFact
          // biome-ignore lint/suspicious/noArrayIndexKey: the attributes of one message never change.
          key={at}
          name={visibleText(name)}
          value={value}
          copyName={`attribute ${visibleText(name)}`}
          note={
            isExtension && (
              <span className="inspector-extension" title="Extension: unknown to the protocol, kept as it came">
                {' '}
                ext
              </span>
            )
          }
        />
      ))}
    </DetailFacts>
  );
}

const wireWords: Readonly<Record<TrustReport['wire'], string>> = {
  cloudevents: 'CloudEvents JSON',
  'vak-rs': 'JSON of the Rust crate vak-bus',
  none: 'no envelope',
};

export function InspectorOverview({ message }: { readonly message: BufferedMessage }) {
  const { trust } = message;
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  return (
    <>
      <Problems trust={trust} />
      <DetailFacts>
        <CopyFact name="stream" value={message.stream} />
        <DetailFact name="seq">{formatCount(message.seq)}</DetailFact>
        <DetailFact name={message.stream === null ? 'time' : 'stored'}>
          {formatDateTime(message.atMs, zone)} <span className="dim">· {formatRelative(message.atMs, nowMs)}</span>
        </DetailFact>
        <CopyFact name="subject" value={message.subject} />
        <CopyFact name="type" value={message.type} />
        <CopyFact name="session" value={message.session} />
        <CopyFact name="peer" value={message.peer} />
        <DetailFact name="size">{exactSize(message.sizeBytes)}</DetailFact>
        <DetailFact name="payload">{exactSize(trust.payloadBytes)}</DetailFact>
        <DetailFact name="format">{wireWords[trust.wire]}</DetailFact>
      </DetailFacts>
      <TrustFacts trust={trust} />
      <AttributeFacts attributes={trust.attributes} />
      <div className="inspector-commands">
        <ActionButton action="streams.copyNatsPub" icon={Terminal} label="Copy as nats pub" />
        {message.stream !== null && (
          <ActionButton action="streams.copyNatsGet" icon={Terminal} label="Copy as nats stream get" />
        )}
      </div>
    </>
  );
}
