/** An opened payload as JSON, as text, as bytes; what is no JSON is shown as text and says why. */
import { ByteStrip } from './byte-strip.tsx';
import { PayloadHex } from './payload-hex.tsx';
import { PayloadText } from './payload-text.tsx';
import { PayloadTree } from './payload-tree.tsx';
import { usePayloadJson } from './use-payload-json.ts';
import './payload.css';

export type PayloadMode = 'json' | 'text' | 'hex';

export interface PayloadViewsProps {
  readonly bytes: Uint8Array;
  readonly mode: PayloadMode;
  readonly onMode: (mode: PayloadMode) => void;
}

export function PayloadViews({ bytes, mode, onMode }: PayloadViewsProps) {
  const json = usePayloadJson(bytes, mode === 'json');
  const why = json.reading.kind === 'other' ? json.reading.why : undefined;
  const shown = mode === 'json' && why !== undefined ? 'text' : mode;
  return (
    <>
      <ByteStrip<PayloadMode>
        bytes={bytes}
        label="Payload as"
        testId="payload-mode"
        chosen={shown}
        onChoose={onMode}
        choices={[
          { id: 'json', title: 'JSON', disabledReason: why === undefined ? undefined : `Not JSON: ${why}` },
          { id: 'text', title: 'Text' },
          { id: 'hex', title: 'Hex' },
        ]}
      />
      {mode === 'json' && why !== undefined && bytes.length > 0 && (
        <p className="payload-why" data-testid="payload-not-json">
          Not JSON: {why}. Shown as text.
        </p>
      )}
      {shown === 'json' && <PayloadTree sizeBytes={bytes.length} json={json} onShowText={() => onMode('text')} />}
      {shown === 'text' && <PayloadText bytes={bytes} />}
      {shown === 'hex' && <PayloadHex bytes={bytes} />}
    </>
  );
}
