/** The selected message: what it is, its text, its bytes. Bytes are fetched when asked for and dropped with the selection. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { useWorkbench } from '../../workbench.tsx';
import { InspectorHex } from './inspector-hex.tsx';
import { InspectorOverview } from './inspector-overview.tsx';
import { InspectorText } from './inspector-text.tsx';
import './inspector.css';

type TabId = 'overview' | 'text' | 'hex';
const tabs: readonly Tab<TabId>[] = [
  { id: 'overview', title: 'Overview' },
  { id: 'text', title: 'Text' },
  { id: 'hex', title: 'Hex' },
];

type Reading =
  | { readonly kind: 'reading' }
  | { readonly kind: 'read'; readonly message: BufferedMessage }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Reads one message; the call is cancelled when another one is selected. */
function useMessage(seq: number | undefined): Reading {
  const { client } = useWorkbench();
  const [read, setRead] = useState<{ readonly seq: number; readonly reading: Reading } | undefined>();
  useEffect(() => {
    if (seq === undefined) return;
    const calls = new AbortController();
    const keep = (reading: Reading): void => {
      if (!calls.signal.aborted) setRead({ seq, reading });
    };
    client.streams.read({ seq }, { signal: calls.signal }).then(
      (message) => keep({ kind: 'read', message }),
      (error: unknown) => keep({ kind: 'failed', error }),
    );
    return () => calls.abort();
  }, [client, seq]);
  return read !== undefined && read.seq === seq ? read.reading : { kind: 'reading' };
}

function Failure({ error }: { readonly error: unknown }) {
  const report = describeError('Read the message', error);
  const left = {
    why: 'The message has left the engine’s buffer: newer messages took its place.',
    next: 'Pause the table before reading next time, or filter by session so that fewer rows pass.',
  };
  return (
    <div className="inspector-failure">
      <ErrorNotice report={isVakError(error, 'not-found') ? { ...report, ...left } : report} />
    </div>
  );
}

function Content({ tab, reading }: { readonly tab: TabId; readonly reading: Reading }) {
  if (reading.kind === 'failed') return <Failure error={reading.error} />;
  if (reading.kind === 'reading') return <p className="inspector-wait dim">Reading the bytes…</p>;
  const { message } = reading;
  if (tab === 'overview') return <InspectorOverview message={message} />;
  if (tab === 'text') return <InspectorText key={message.seq} bytes={message.bytes} />;
  return <InspectorHex key={message.seq} bytes={message.bytes} />;
}

export interface InspectorProps {
  readonly seq: number | undefined;
  readonly onClose: () => void;
}

export function Inspector({ seq, onClose }: InspectorProps) {
  const [tab, setTab] = useState<TabId>('overview');
  const reading = useMessage(seq);
  const title =
    seq === undefined ? 'Inspector' : reading.kind === 'read' ? visibleText(reading.message.type) : 'Message';
  return (
    <>
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
      {seq === undefined ? (
        <p className="inspector-wait dim">Select a message to see its fields and its bytes.</p>
      ) : (
        <Tabs label="Views of the message" tabs={tabs} selected={tab} onSelect={setTab}>
          <div className="inspector-content" data-testid={`inspector-${tab}`}>
            <Content tab={tab} reading={reading} />
          </div>
        </Tabs>
      )}
    </>
  );
}
