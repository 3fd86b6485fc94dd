/** The whole message as it came. */
import { ByteStrip } from './byte-strip.tsx';
import { InspectorHex } from './inspector-hex.tsx';
import { InspectorText } from './inspector-text.tsx';

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
      {mode === 'text' ? <InspectorText bytes={bytes} /> : <InspectorHex bytes={bytes} />}
    </>
  );
}
