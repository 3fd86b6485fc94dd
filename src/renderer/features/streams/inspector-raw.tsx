/** The whole message as it came. */
import { ByteStrip } from '../../ui/payload/byte-strip.tsx';
import { PayloadHex } from '../../ui/payload/payload-hex.tsx';
import { PayloadText } from '../../ui/payload/payload-text.tsx';

export type RawMode = 'text' | 'hex';

export interface InspectorRawProps {
  readonly bytes: Uint8Array;
  readonly mode: RawMode;
  readonly onMode: (mode: RawMode) => void;
}

export function InspectorRaw({ bytes, mode, onMode }: InspectorRawProps) {
  return (
    <>
      <ByteStrip<RawMode>
        bytes={bytes}
        label="Message as"
        testId="raw-mode"
        chosen={mode}
        onChoose={onMode}
        choices={[
          { id: 'text', title: 'Text' },
          { id: 'hex', title: 'Hex' },
        ]}
      />
      {mode === 'text' ? <PayloadText bytes={bytes} /> : <PayloadHex bytes={bytes} />}
    </>
  );
}
