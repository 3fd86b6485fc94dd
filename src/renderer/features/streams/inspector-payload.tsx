/** The payload, opened in main when it is asked for and dropped with the selection: as JSON, as text, as bytes. */
import { useEffect, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage, OpenedHead } from '../../../shared/contract/streams-contract.ts';
import type { TrustReport } from '../../../shared/contract/trust-report.ts';
import { packMarks } from '../../../shared/protocol/trust-marks.ts';
import { Button } from '../../ui/button.tsx';
import type { DecodeFacts } from '../../ui/payload/decode-report.ts';
import { type PayloadMode, SourceViews } from '../../ui/payload/payload-views.tsx';
import { SealFailure } from '../../ui/seal-failure.tsx';
import { sealedBy } from '../../ui/trust-sentences.ts';
import { useWorkbench } from '../../workbench.tsx';
import { useMessageSource } from './message-source.ts';
import { ReadFailure } from './read-failure.tsx';

type Opening =
  | { readonly kind: 'opening' }
  | { readonly kind: 'answered'; readonly payload: OpenedHead }
  | { readonly kind: 'lost'; readonly error: unknown };

export interface InspectorPayloadProps {
  readonly message: BufferedMessage;
  readonly mode: PayloadMode;
  readonly onMode: (mode: PayloadMode) => void;
  readonly onShowEncryption: () => void;
  /** What opening has shown of the message's trust. */
  readonly onLearn: (seq: number, marks: number) => void;
}

/** Opens the payload of one message; what came is gone with the component. */
function useOpened({ message, onLearn }: Pick<InspectorPayloadProps, 'message' | 'onLearn'>): Opening {
  const { client } = useWorkbench();
  const [opening, setOpening] = useState<Opening>({ kind: 'opening' });
  useEffect(() => {
    const calls = new AbortController();
    const keep = (next: Opening): void => {
      if (!calls.signal.aborted) setOpening(next);
    };
    client.streams.open({ seq: message.seq, stream: message.stream }, { signal: calls.signal }).then(
      (payload) => {
        keep({ kind: 'answered', payload });
        const { marks, seal } = message.trust;
        if (seal.kind !== 'sealed' || calls.signal.aborted) return;
        onLearn(message.seq, packMarks({ ...marks, seal: payload.kind === 'opened' ? 'opens' : 'fails' }));
      },
      (error: unknown) => keep({ kind: 'lost', error }),
    );
    return () => calls.abort();
  }, [client, message, onLearn]);
  return opening;
}

/** What opening it took, and what it is said to be. */
function factsOf({ seal, contentType, wire }: TrustReport): DecodeFacts | undefined {
  if (wire === 'none') return undefined;
  const key = seal.kind === 'sealed' ? `opened with ${visibleText(sealedBy(seal))}` : 'not sealed: none was needed';
  return { key, contentType };
}

interface OpenedViewsProps extends Pick<InspectorPayloadProps, 'message' | 'mode' | 'onMode'> {
  readonly opened: OpenedHead & { readonly kind: 'opened' };
}

function OpenedViews({ message, opened: { bytes, sizeBytes }, mode, onMode }: OpenedViewsProps) {
  const { source, onSave } = useMessageSource({
    seq: message.seq,
    stream: message.stream,
    part: 'payload',
    bytes,
    sizeBytes,
  });
  return <SourceViews source={source} mode={mode} onMode={onMode} facts={factsOf(message.trust)} onSave={onSave} />;
}

export function InspectorPayload(props: InspectorPayloadProps) {
  const { message, mode, onMode, onShowEncryption } = props;
  const opening = useOpened(props);
  if (opening.kind === 'opening') return <p className="inspector-wait dim">Opening the payload…</p>;
  if (opening.kind === 'lost')
    return <ReadFailure doing="Open the payload" error={opening.error} isStored={message.stream !== null} />;
  const { payload } = opening;
  if (payload.kind === 'opened') return <OpenedViews message={message} opened={payload} mode={mode} onMode={onMode} />;
  return (
    <SealFailure failure={payload.failure} seal={message.trust.seal}>
      <Button onClick={onShowEncryption}>Show the encryption</Button>
    </SealFailure>
  );
}
