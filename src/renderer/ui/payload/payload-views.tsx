/** An opened payload as JSON, as text, as bytes; what is no JSON is shown as text and says what was tried. */
import { useMemo } from 'react';
import { DetailFact, DetailFacts } from '../detail-facts.tsx';
import { ByteStrip } from './byte-strip.tsx';
import { type DecodeFacts, decodeSteps, whyNoJson } from './decode-report.ts';
import type { NoJson } from './payload-desk.ts';
import { PayloadHex } from './payload-hex.tsx';
import { type PayloadSource, sourceOf } from './payload-source.ts';
import { PayloadText } from './payload-text.tsx';
import { PayloadTree } from './payload-tree.tsx';
import { usePayloadJson } from './use-payload-json.ts';
import './payload.css';

export type PayloadMode = 'json' | 'text' | 'hex';

interface ReportProps {
  readonly why: NoJson;
  readonly head: Uint8Array;
  readonly facts: DecodeFacts | undefined;
}

/** Open for whoever wants to know: the reason stands in the one line above. */
function DecodeReport({ why, head, facts }: ReportProps) {
  return (
    <details className="payload-report" data-testid="decode-report">
      <summary>What was tried</summary>
      <DetailFacts>
        {decodeSteps(why, head, facts).map(({ name, text, isFault }) => (
          <DetailFact key={name} name={name}>
            <span className={isFault ? 'tone-wait' : undefined}>{text}</span>
          </DetailFact>
        ))}
      </DetailFacts>
    </details>
  );
}

export interface SourceViewsProps {
  readonly source: PayloadSource;
  readonly mode: PayloadMode;
  readonly onMode: (mode: PayloadMode) => void;
  /** What the envelope says of the payload. */
  readonly facts?: DecodeFacts | undefined;
  /** Writes all of it to a file. */
  readonly onSave?: (() => Promise<unknown>) | undefined;
}

/** Views of bytes that may come in slices. */
export function SourceViews({ source, mode, onMode, facts, onSave }: SourceViewsProps) {
  const json = usePayloadJson(source, mode === 'json');
  const { state } = json;
  const why = state.kind === 'read' && state.reading.kind === 'other' ? state.reading.why : undefined;
  const shown = mode === 'json' && why !== undefined ? 'text' : mode;
  const reason = why === undefined ? undefined : `Not JSON: ${whyNoJson(why)}`;
  return (
    <>
      <ByteStrip<PayloadMode>
        source={source}
        onSave={onSave}
        label="Payload as"
        testId="payload-mode"
        chosen={shown}
        onChoose={onMode}
        choices={[
          { id: 'json', title: 'JSON', disabledReason: reason },
          { id: 'text', title: 'Text' },
          { id: 'hex', title: 'Hex' },
        ]}
      />
      {mode === 'json' && why !== undefined && source.sizeBytes > 0 && (
        <div className="payload-why" data-testid="payload-not-json">
          {reason}. Shown as text.
          <DecodeReport why={why} head={source.head} facts={facts} />
        </div>
      )}
      {shown === 'json' && <PayloadTree sizeBytes={source.sizeBytes} json={json} onShowText={() => onMode('text')} />}
      {shown === 'text' && <PayloadText source={source} />}
      {shown === 'hex' && <PayloadHex source={source} />}
    </>
  );
}

/** Views of bytes that are here whole. */
export function PayloadViews({ bytes, ...props }: { readonly bytes: Uint8Array } & Omit<SourceViewsProps, 'source'>) {
  const source = useMemo(() => sourceOf(bytes), [bytes]);
  return <SourceViews source={source} {...props} />;
}
