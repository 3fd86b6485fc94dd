/** What a message is, whether it may be trusted, and every attribute of its envelope. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import type { TrustReport } from '../../../shared/contract/trust-report.ts';
import { formatBytes, formatCount, formatDateTime, formatRelative, thinSpace } from '../../ui/format.ts';
import { refusalWords } from '../../ui/refusal-words.ts';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { CopyFact, Fact, Facts, InspectorNotice, TrustLine } from './inspector-facts.tsx';
import { ChainBadge, SealBadge, SignatureBadge } from './trust-badges.tsx';
import { chainSentence, sealSentence, signatureSentence } from './trust-sentences.ts';

function exactSize(bytes: number): string {
  const exact = `${formatCount(bytes)}${thinSpace}B`;
  return bytes < 1024 ? exact : `${formatBytes(bytes)} · ${exact}`;
}

/** What is wrong with it, before anything else. */
function Problems({ trust: { refusal, malformed } }: { readonly trust: TrustReport }) {
  return (
    <>
      {refusal !== null && (
        <InspectorNotice title={`Refused: ${refusalWords[refusal.reason]}`} data-testid="inspector-refusal">
          <p>{visibleText(refusal.why)}</p>
          <p className="dim">It is in quarantine and is never handled.</p>
        </InspectorNotice>
      )}
      {malformed !== null && (
        <InspectorNotice title="Not a sound envelope" data-testid="inspector-malformed">
          {malformed.field !== null && (
            <p>
              Field <span className="data">{visibleText(malformed.field)}</span>
            </p>
          )}
          <p>{visibleText(malformed.why)}</p>
        </InspectorNotice>
      )}
    </>
  );
}

function TrustFacts({ trust }: { readonly trust: TrustReport }) {
  const { marks, seal, signature, chain } = trust;
  return (
    <Facts title="Trust">
      <Fact name="seal">
        <TrustLine badge={<SealBadge mark={marks.seal} />}>{visibleText(sealSentence(seal, marks.seal))}</TrustLine>
      </Fact>
      <Fact name="signature">
        <TrustLine badge={<SignatureBadge mark={marks.signature} />}>
          {visibleText(signatureSentence(signature))}
        </TrustLine>
      </Fact>
      <Fact name="chain">
        <TrustLine badge={<ChainBadge mark={marks.chain} />}>{visibleText(chainSentence(chain))}</TrustLine>
      </Fact>
    </Facts>
  );
}

function AttributeFacts({ attributes }: Pick<TrustReport, 'attributes'>) {
  if (attributes.length === 0) return null;
  return (
    <Facts title="Envelope">
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
    </Facts>
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
      <Facts>
        <Fact name="seq">{formatCount(message.seq)}</Fact>
        <Fact name="time">
          {formatDateTime(message.atMs, zone)} <span className="dim">· {formatRelative(message.atMs, nowMs)}</span>
        </Fact>
        <CopyFact name="subject" value={message.subject} />
        <CopyFact name="type" value={message.type} />
        <CopyFact name="session" value={message.session} />
        <CopyFact name="peer" value={message.peer} />
        <Fact name="size">{exactSize(message.bytes.length)}</Fact>
        <Fact name="payload">{exactSize(trust.payloadBytes)}</Fact>
        <Fact name="format">{wireWords[trust.wire]}</Fact>
      </Facts>
      <TrustFacts trust={trust} />
      <AttributeFacts attributes={trust.attributes} />
    </>
  );
}
