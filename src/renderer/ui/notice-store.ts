/** Notices above the status bar: errors stay until dismissed, the same one again only counts up. Bounded. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { describeError, type ErrorReport } from './describe-error.ts';

/** Most notices that are kept; the oldest goes first. */
export const maxNotices = 5;

interface NoticeBase {
  readonly id: number;
  /** How often it came since it stands. */
  readonly count: number;
}
/** What a notice can lead to. */
export interface NoticeOffer {
  /** "Show it". */
  readonly label: string;
  readonly run: () => void;
  /** Why it cannot be done now, shown before it is pressed; null: it changes nothing that a connection can forbid. */
  readonly whyNot: (() => string | undefined) | null;
}
/** Something that was done. */
export interface InfoNotice extends NoticeBase {
  readonly kind: 'info';
  readonly text: string;
  readonly offer?: NoticeOffer | undefined;
}
/** Something that was not done, and why. */
export interface RefusalNotice extends NoticeBase {
  readonly kind: 'refusal';
  readonly text: string;
}
/** Something that should be read. */
export interface AdviceNotice extends NoticeBase {
  readonly kind: 'advice';
  readonly text: string;
}
export interface FailureNotice extends NoticeBase {
  readonly kind: 'error';
  readonly report: ErrorReport;
}
export type Notice = InfoNotice | RefusalNotice | AdviceNotice | FailureNotice;

export interface NoticeStore {
  readonly store: StoreApi<readonly Notice[]>;
  /** Says that something was done, and offers what it leads to; goes by itself. */
  notify(text: string, offer?: NoticeOffer): void;
  /** Says that something cannot be done, and why; goes by itself. */
  refuse(text: string): void;
  /** Says what went otherwise than expected and lost nothing; stays. Gives what takes it away. */
  advise(text: string): () => void;
  /** Says what failed; stays. */
  reportError(doing: string, error: unknown): void;
  dismiss(id: number): void;
}

type NewNotice =
  | Pick<InfoNotice, 'kind' | 'text' | 'offer'>
  | Pick<RefusalNotice, 'kind' | 'text'>
  | Pick<AdviceNotice, 'kind' | 'text'>
  | Pick<FailureNotice, 'kind' | 'report'>;

function isSame(notice: Notice, added: NewNotice): boolean {
  if (notice.kind !== 'error') return added.kind === notice.kind && notice.text === added.text;
  return added.kind === 'error' && notice.report.doing === added.report.doing && notice.report.why === added.report.why;
}

export function createNoticeStore(): NoticeStore {
  const store = createStore<readonly Notice[]>(() => []);
  let lastId = 0;
  const add = (added: NewNotice): number => {
    const notices = store.getState();
    const standing = notices.find((notice) => isSame(notice, added));
    const count = (standing?.count ?? 0) + 1;
    const rest = notices.filter((notice) => notice !== standing);
    const id = standing?.id ?? ++lastId;
    store.setState([...rest, { ...added, id, count }].slice(-maxNotices), true);
    return id;
  };
  const dismiss = (id: number): void =>
    store.setState(
      store.getState().filter((notice) => notice.id !== id),
      true,
    );
  return {
    store,
    notify: (text, offer) => void add({ kind: 'info', text, offer }),
    refuse: (text) => void add({ kind: 'refusal', text }),
    advise(text) {
      const id = add({ kind: 'advice', text });
      return () => dismiss(id);
    },
    reportError: (doing, error) => void add({ kind: 'error', report: describeError(doing, error) }),
    dismiss,
  };
}
