/** The fields of a message, whole, each with its way to copy it. */
import { type ReactNode, useEffect, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { BufferedMessage } from '../../../shared/contract/streams-contract.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatBytes, formatCount, formatDateTime, formatRelative, thinSpace } from '../../ui/format.ts';
import { useViewState } from '../../workbench.tsx';

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="dim">{name}</dt>
      <dd className="data">{children}</dd>
    </>
  );
}

/** The present, each second while it is looked at. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function exactSize(bytes: number): string {
  const exact = `${formatCount(bytes)}${thinSpace}B`;
  return bytes < 1024 ? exact : `${formatBytes(bytes)} · ${exact}`;
}

export function InspectorOverview({ message }: { readonly message: BufferedMessage }) {
  const zone = useViewState((state) => state.timeZone);
  const now = useNow();
  return (
    <>
      <dl className="inspector-facts">
        <Fact name="seq">{formatCount(message.seq)}</Fact>
        <Fact name="time">
          {formatDateTime(message.atMs, zone)} <span className="dim">· {formatRelative(message.atMs, now)}</span>
        </Fact>
        <Fact name="subject">{visibleText(message.subject)}</Fact>
        <Fact name="type">{visibleText(message.type)}</Fact>
        <Fact name="session">
          {message.session === null ? <span className="dim">none</span> : visibleText(message.session)}
        </Fact>
        <Fact name="peer">
          {message.peer === null ? <span className="dim">unknown</span> : visibleText(message.peer)}
        </Fact>
        <Fact name="size">{exactSize(message.bytes.length)}</Fact>
      </dl>
      <div className="inspector-actions">
        <CopyButton text={message.subject}>Copy subject</CopyButton>
        {message.session !== null && <CopyButton text={message.session}>Copy session</CopyButton>}
        {message.peer !== null && <CopyButton text={message.peer}>Copy peer</CopyButton>}
      </div>
    </>
  );
}
