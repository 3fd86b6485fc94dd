/**
 * The list of notices: in the window's own row above the status bar, where it covers nothing; floating while the key store is closed.
 * Law: a tick is for what was done; what was refused or failed has a cross.
 */
import { Check, CircleX, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useWorkbench } from '../workbench.tsx';
import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { formatCount } from './format.ts';
import { IconButton } from './icon-button.tsx';
import type { Notice, NoticeOffer, NoticeStore } from './notice-store.ts';
import './notices.css';

const shownMs = 5000;
/** One that offers something is read and decided on. */
const offeredMs = 20_000;

/** How long it is shown; undefined: until it is dismissed. */
function shownFor(notice: Notice): number | undefined {
  if (notice.kind === 'info') return notice.offer === undefined ? shownMs : offeredMs;
  return notice.kind === 'refusal' ? shownMs : undefined;
}

const icons = { info: Check, refusal: CircleX, advice: TriangleAlert } as const;

/** What a notice leads to; whether that may be done is asked anew with every snapshot, as of any control. */
function Offer({ offer, onDone }: { readonly offer: NoticeOffer; readonly onDone: () => void }) {
  const disabledReason = useStore(useWorkbench().mirror, () => offer.whyNot?.());
  return (
    <Button
      data-testid="notice-offer"
      disabledReason={disabledReason}
      onClick={() => {
        onDone();
        offer.run();
      }}
    >
      {offer.label}
    </Button>
  );
}

function Line({
  notice,
  onDone,
}: {
  readonly notice: Exclude<Notice, { kind: 'error' }>;
  readonly onDone: () => void;
}) {
  const Icon = icons[notice.kind];
  const offer = notice.kind === 'info' ? notice.offer : undefined;
  return (
    <>
      <Icon className={`notice-icon notice-icon-${notice.kind}`} aria-hidden="true" />
      <p className="notice-text">{notice.text}</p>
      {offer !== undefined && <Offer offer={offer} onDone={onDone} />}
    </>
  );
}

function NoticeItem({ notice, dismiss }: { readonly notice: Notice; readonly dismiss: NoticeStore['dismiss'] }) {
  const { id, kind, count } = notice;
  const forMs = shownFor(notice);
  useEffect(() => {
    if (forMs === undefined) return;
    const timer = setTimeout(() => dismiss(id), forMs);
    return () => clearTimeout(timer);
  }, [forMs, id, dismiss]);
  return (
    <li className={`notice notice-${kind}`} data-kind={kind}>
      {notice.kind === 'error' ? (
        <ErrorNotice report={notice.report} />
      ) : (
        <Line notice={notice} onDone={() => dismiss(id)} />
      )}
      {count > 1 && <span className="notice-count">× {formatCount(count)}</span>}
      <IconButton icon={X} label="Dismiss" side="left" onClick={() => dismiss(id)} />
    </li>
  );
}

export interface NoticesProps {
  readonly notices: NoticeStore;
  /** Over the page, where there is no row for it. */
  readonly isFloating?: boolean;
}

export function Notices({ notices, isFloating = false }: NoticesProps) {
  const list = useStore(notices.store);
  return (
    <section
      className={isFloating ? 'notices notices-floating' : 'notices'}
      aria-label="Notices"
      aria-live="polite"
      aria-relevant="additions text"
      data-testid="notices"
    >
      <ul>
        {list.map((notice) => (
          // A repeated one is drawn anew, and so stays its full time again.
          <NoticeItem key={`${notice.id}.${notice.count}`} notice={notice} dismiss={notices.dismiss} />
        ))}
      </ul>
    </section>
  );
}
