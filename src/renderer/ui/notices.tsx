/** The list of notices above the status bar. */
import { Check, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { ErrorNotice } from './error-notice.tsx';
import { formatCount } from './format.ts';
import { IconButton } from './icon-button.tsx';
import type { Notice, NoticeStore } from './notice-store.ts';
import './notices.css';

const infoShownMs = 5000;

function NoticeItem({ notice, dismiss }: { readonly notice: Notice; readonly dismiss: NoticeStore['dismiss'] }) {
  const { id, kind, count } = notice;
  useEffect(() => {
    if (kind !== 'info') return;
    const timer = setTimeout(() => dismiss(id), infoShownMs);
    return () => clearTimeout(timer);
  }, [kind, id, dismiss]);
  return (
    <li className={`notice notice-${kind}`}>
      {notice.kind === 'error' ? (
        <ErrorNotice report={notice.report} />
      ) : (
        <>
          {kind === 'info' ? (
            <Check className="notice-ok" aria-hidden="true" />
          ) : (
            <TriangleAlert className="notice-wait" aria-hidden="true" />
          )}
          <p className="notice-text">{notice.text}</p>
        </>
      )}
      {count > 1 && <span className="notice-count">× {formatCount(count)}</span>}
      <IconButton icon={X} label="Dismiss" side="left" onClick={() => dismiss(id)} />
    </li>
  );
}

export function Notices({ notices }: { readonly notices: NoticeStore }) {
  const list = useStore(notices.store);
  return (
    <section className="notices" aria-label="Notices" aria-live="polite" aria-relevant="additions text">
      <ul>
        {list.map((notice) => (
          // A repeated one is drawn anew, and so stays its full time again.
          <NoticeItem key={`${notice.id}.${notice.count}`} notice={notice} dismiss={notices.dismiss} />
        ))}
      </ul>
    </section>
  );
}
