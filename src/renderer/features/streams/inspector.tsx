/** The selected message from all its sides. Its bytes are fetched when it is selected and dropped with the selection. */
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import { packMarks } from '../../../shared/protocol/trust-marks.ts';
import type { Choice } from '../../ui/choice.ts';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import type { PayloadMode } from '../../ui/payload/payload-views.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useWorkbench } from '../../workbench.tsx';
import { InspectorChain } from './inspector-chain.tsx';
import { InspectorEncryption } from './inspector-encryption.tsx';
import { InspectorOverview } from './inspector-overview.tsx';
import { InspectorPayload } from './inspector-payload.tsx';
import { InspectorRaw, type RawMode } from './inspector-raw.tsx';
import { InspectorSignature } from './inspector-signature.tsx';
import { InspectorTrace } from './inspector-trace.tsx';
import { ReadFailure } from './read-failure.tsx';
import './inspector.css';

type TabId = 'overview' | 'payload' | 'encryption' | 'chain' | 'signature' | 'trace' | 'raw';
const tabs: readonly Choice<TabId>[] = [
  { id: 'overview', title: 'Overview' },
  { id: 'payload', title: 'Payload' },
  { id: 'encryption', title: 'Encryption' },
  { id: 'chain', title: 'Chain' },
  { id: 'signature', title: 'Signature' },
  { id: 'trace', title: 'Trace' },
  { id: 'raw', title: 'Raw' },
];

type Reading =
  | { readonly kind: 'reading' }
  | { readonly kind: 'read'; readonly message: BufferedMessage }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface InspectorProps {
  readonly seq: number | undefined;
  /** The stream in which it lies; null: it was heard live. */
  readonly stream: string | null;
  readonly onClose: () => void;
  /** Selects another message. */
  readonly onSelect: (seq: number) => void;
  /** What reading has shown of a message's trust. */
  readonly onLearn: (seq: number, marks: number) => void;
}

/** Reads one message; the call is cancelled when another one is selected. */
function useMessage({ seq, stream, onLearn }: Pick<InspectorProps, 'seq' | 'stream' | 'onLearn'>): Reading {
  const { client } = useWorkbench();
  const [read, setRead] = useState<{ readonly seq: number; readonly reading: Reading } | undefined>();
  useEffect(() => {
    if (seq === undefined) return;
    const calls = new AbortController();
    const keep = (reading: Reading): void => {
      if (!calls.signal.aborted) setRead({ seq, reading });
    };
    client.streams.read({ seq, stream }, { signal: calls.signal }).then(
      (message) => {
        keep({ kind: 'read', message });
        if (!calls.signal.aborted) onLearn(seq, packMarks(message.trust.marks));
      },
      (error: unknown) => keep({ kind: 'failed', error }),
    );
    return () => {
      calls.abort();
      setRead(undefined);
    };
  }, [client, seq, stream, onLearn]);
  return read !== undefined && read.seq === seq ? read.reading : { kind: 'reading' };
}

/** How bytes are shown: kept while messages are gone through, for whoever compares them wants them in one form. */
interface Modes {
  readonly payload: PayloadMode;
  readonly raw: RawMode;
}

interface ContentProps extends Pick<InspectorProps, 'onSelect' | 'onLearn'> {
  readonly tab: TabId;
  readonly message: BufferedMessage;
  readonly modes: Modes;
  readonly onModes: (modes: Modes) => void;
  readonly onShowEncryption: () => void;
}

function Content({ tab, message, modes, onModes, onSelect, onLearn, onShowEncryption }: ContentProps) {
  switch (tab) {
    case 'overview':
      return <InspectorOverview message={message} />;
    case 'payload':
      return (
        <InspectorPayload
          key={message.seq}
          message={message}
          mode={modes.payload}
          onMode={(payload) => onModes({ ...modes, payload })}
          onShowEncryption={onShowEncryption}
          onLearn={onLearn}
        />
      );
    case 'encryption':
      return <InspectorEncryption trust={message.trust} />;
    case 'chain':
      return <InspectorChain trust={message.trust} onSelect={onSelect} />;
    case 'signature':
      return <InspectorSignature trust={message.trust} />;
    case 'trace':
      return <InspectorTrace trace={message.trust.trace} />;
    case 'raw':
      return (
        <InspectorRaw
          key={message.seq}
          message={message}
          mode={modes.raw}
          onMode={(raw) => onModes({ ...modes, raw })}
        />
      );
  }
}

function InspectorHead({ title, seq, onClose }: Pick<InspectorProps, 'seq' | 'onClose'> & { readonly title: string }) {
  return (
    <header className="streams-panel-head">
      <h2 className="streams-title">
        {title} {seq !== undefined && <span className="data">#{formatCount(seq)}</span>}
      </h2>
      <div className="streams-head-actions">
        <IconButton
          icon={X}
          label="Close the inspector"
          keys="Mod+I"
          side="left"
          onClick={onClose}
          data-testid="inspector-close"
        />
      </div>
    </header>
  );
}

export function Inspector({ seq, stream, onClose, onSelect, onLearn }: InspectorProps) {
  const [tab, setTab] = useState<TabId>('overview');
  const [modes, setModes] = useState<Modes>({ payload: 'json', raw: 'text' });
  const content = useRef<HTMLDivElement>(null);
  const reading = useMessage({ seq, stream, onLearn });
  const title =
    seq === undefined ? 'Inspector' : reading.kind === 'read' ? visibleText(reading.message.type) : 'Message';
  /** The button that was pressed goes with what it showed: the focus stays in the panel. */
  const keepFocus = (): void => content.current?.closest<HTMLElement>('[role=tabpanel]')?.focus();
  return (
    <>
      <InspectorHead title={title} seq={seq} onClose={onClose} />
      {seq === undefined ? (
        <p className="inspector-wait dim">Select a message to see its fields, its payload and its trust.</p>
      ) : (
        <Tabs label="Views of the message" tabs={tabs} selected={tab} onSelect={setTab}>
          <div ref={content} className="inspector-content" data-testid={`inspector-${tab}`}>
            {reading.kind === 'reading' && <p className="inspector-wait dim">Reading the message…</p>}
            {reading.kind === 'failed' && (
              <ReadFailure doing="Read the message" error={reading.error} isStored={stream !== null} />
            )}
            {reading.kind === 'read' && (
              <Content
                tab={tab}
                message={reading.message}
                modes={modes}
                onModes={setModes}
                onLearn={onLearn}
                onSelect={(next) => {
                  keepFocus();
                  onSelect(next);
                }}
                onShowEncryption={() => {
                  keepFocus();
                  setTab('encryption');
                }}
              />
            )}
          </div>
        </Tabs>
      )}
    </>
  );
}
