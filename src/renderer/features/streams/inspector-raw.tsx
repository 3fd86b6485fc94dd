/** The whole message as it came. */
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import { ByteStrip } from '../../ui/payload/byte-strip.tsx';
import { PayloadHex } from '../../ui/payload/payload-hex.tsx';
import { PayloadText } from '../../ui/payload/payload-text.tsx';
import { useMessageSource } from './message-source.ts';

export type RawMode = 'text' | 'hex';

export interface InspectorRawProps {
  readonly message: BufferedMessage;
  readonly mode: RawMode;
  readonly onMode: (mode: RawMode) => void;
}

export function InspectorRaw({ message: { seq, stream, bytes, sizeBytes }, mode, onMode }: InspectorRawProps) {
  const { source, onSave } = useMessageSource({ seq, stream, part: 'message', bytes, sizeBytes });
  return (
    <>
      <ByteStrip<RawMode>
        source={source}
        onSave={onSave}
        label="Message as"
        testId="raw-mode"
        chosen={mode}
        onChoose={onMode}
        choices={[
          { id: 'text', title: 'Text' },
          { id: 'hex', title: 'Hex' },
        ]}
      />
      {mode === 'text' ? <PayloadText source={source} /> : <PayloadHex source={source} />}
    </>
  );
}
