/**
 * What is being done with dead letters: what is selected, which dialog is open, and the calls behind the actions.
 * Law: a bulk action goes by the plan that was shown; an opened payload and its draft are in memory only, and go with the opening.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { CampaignState, GroupState, LetterPlan, LetterReport } from '../../../shared/contract/dlq-contract.ts';
import type { Workbench } from '../../workbench.tsx';
import { type LetterPane, type LetterScope, looksAtArchived, selectionOf } from './letter-scope.ts';
import { lettersWords } from './letter-words.ts';

export type PlannedAction = 'retry' | 'archive' | 'restore' | 'export';

interface AskedPlan {
  readonly scope: LetterScope;
  readonly plan: LetterPlan;
}

/** What a dialog asks about. */
export type Asking =
  | ({ readonly kind: 'retry' } & AskedPlan)
  | ({ readonly kind: 'archive' | 'restore' } & AskedPlan)
  | ({ readonly kind: 'export' } & AskedPlan)
  | { readonly kind: 'edit'; readonly letter: LetterReport; readonly bytes: Uint8Array }
  | { readonly kind: 'say'; readonly cause: SaidCause };

/** A cause, and what was said of it. */
export interface SaidCause {
  readonly fingerprint: string;
  readonly title: string;
  readonly state: GroupState;
  readonly assignee: string | null;
  readonly note: string | null;
  /** Undefined: not known here. */
  readonly newestSeq: number | undefined;
}

export interface LetterWorkState {
  readonly pane: LetterPane;
  readonly group: string | null;
  readonly letter: number | null;
  /** Row that the cursor went to before its letter was known: until it is, nothing is done with a letter. */
  readonly awaitedRow: number | null;
  readonly isOpen: boolean;
  readonly picked: ReadonlySet<number>;
  readonly isAll: boolean;
  readonly asking: Asking | undefined;
  /** Edited payloads that were not sent, by the place of their letter. */
  readonly drafts: ReadonlyMap<number, Uint8Array>;
  /** The archive of this window that can be undone: its last one; null: there is none. */
  readonly undoable: string | null;
}

export interface RetryAsked {
  readonly isCanary: boolean;
  readonly ratePerSec: number;
  readonly queue: string | undefined;
  readonly reason: string | undefined;
}

export interface EditAsked {
  readonly bytes: Uint8Array;
  readonly queue: string | undefined;
  readonly reason: string | undefined;
}

export interface LetterWork {
  readonly store: StoreApi<LetterWorkState>;
  selectGroup(group: string | null): void;
  selectLetter(letter: number): void;
  /** Goes to a row whose letter is not known yet. */
  awaitRow(index: number): void;
  /** Other letters are listed: nothing of the former ones is acted on any more. */
  startOver(): void;
  openLetter(letter: number): void;
  closeLetter(): void;
  togglePick(letter: number): void;
  /** Picks them beside those that are picked. */
  pick(letters: readonly number[]): void;
  pickAll(): void;
  clearPicks(): void;
  /** Freezes what an action would touch, and asks. */
  plan(kind: PlannedAction, scope: LetterScope): Promise<void>;
  /** Brings back what is archived of the scope, which it asks about; where that is not what is looked at, undoes the last archive. */
  restore(scope: LetterScope | undefined): Promise<void>;
  /** Opens the task, which is put on record, and asks how to change it. */
  edit(seq: number): Promise<void>;
  say(cause: SaidCause): void;
  keepDraft(seq: number, bytes: Uint8Array | undefined): void;
  /** These do what was asked, and reject with why not. */
  retry(asked: RetryAsked): Promise<void>;
  setArchived(reason: string | undefined): Promise<void>;
  sendEdited(asked: EditAsked): Promise<void>;
  /** Main asks where to; closing that leaves the question open. */
  exportBundle(isRedacted: boolean, reason: string | undefined): Promise<void>;
  setGroup(cause: SaidCause, change: Partial<Pick<SaidCause, 'state' | 'assignee' | 'note'>>): Promise<void>;
  stop(campaign: CampaignState): Promise<void>;
  close(): void;
}

export interface LetterWorkDeps extends Pick<Workbench, 'notify' | 'refuse' | 'reportError'> {
  readonly client: Pick<
    Workbench['client']['dlq'],
    'plan' | 'retry' | 'editRetry' | 'archive' | 'restore' | 'setGroup' | 'cancel' | 'open' | 'letter' | 'exportBundle'
  >;
  /** Why nothing can be changed here now; undefined: it can. */
  readonly whyNot: () => string | undefined;
}

const none: ReadonlySet<number> = new Set();
/** Picked letters that one call takes. */
const maxPicked = 10_000;

const optional = <Name extends string>(name: Name, value: string | undefined) =>
  (value === undefined || value.trim() === '' ? {} : { [name]: value.trim() }) as { readonly [N in Name]?: string };

/** Standard base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** Creates it with nothing selected. */
export function createLetterWork(deps: LetterWorkDeps): LetterWork {
  const { client, whyNot, notify, refuse, reportError } = deps;
  const store = createStore<LetterWorkState>(() => ({
    ...{ pane: 'groups', group: null, letter: null, awaitedRow: null, isOpen: false, picked: none, isAll: false },
    ...{ asking: undefined, drafts: new Map(), undoable: null },
  }));
  const close = (): void => store.setState({ asking: undefined });

  function pick(letters: readonly number[]): void {
    const picked = new Set([...store.getState().picked, ...letters]);
    if (picked.size > maxPicked)
      refuse(`Select: at most ${lettersWords(maxPicked)} by hand; select all that match instead`);
    else store.setState({ picked, isAll: false, pane: 'letters' });
  }

  async function plan(kind: PlannedAction, scope: LetterScope): Promise<void> {
    const asked = await client.plan({ selection: selectionOf(scope, kind), action: kind });
    store.setState({ asking: { kind, scope, plan: asked } });
  }

  /** Brings back what that operation has archived, and nothing that was archived before it. */
  async function undo(archivedBy: string): Promise<void> {
    const { planId, count: found } = await client.plan({ selection: { archivedBy }, action: 'restore' });
    if (store.getState().undoable === archivedBy) store.setState({ undoable: null });
    if (found === 0) return refuse('Undo the archive: nothing of it is archived here any more.');
    const { count } = await client.restore({ planId });
    notify(`${lettersWords(count)} restored.`);
  }

  async function restore(scope: LetterScope | undefined): Promise<void> {
    const { undoable } = store.getState();
    const isMeant = scope !== undefined && (undoable === null || looksAtArchived(scope));
    const asked = isMeant
      ? await client.plan({ selection: selectionOf(scope, 'restore'), action: 'restore' })
      : undefined;
    if (isMeant && asked !== undefined && asked.count > 0) {
      store.setState({ asking: { kind: 'restore', scope, plan: asked } });
    } else if (undoable !== null) await undo(undoable);
    else refuse('Restore: nothing of this is archived; the filter state:archived lists what is.');
  }

  function done(text: string, offer?: Parameters<Workbench['notify']>[1]): void {
    store.setState({ asking: undefined, picked: none, isAll: false });
    notify(text, offer);
  }

  return {
    store,
    selectGroup(group) {
      const rest = group === store.getState().group ? {} : { letter: null, isOpen: false };
      store.setState({ group, awaitedRow: null, pane: 'groups', picked: none, isAll: false, ...rest });
    },
    startOver: () =>
      store.setState({ letter: null, awaitedRow: null, isOpen: false, pane: 'groups', picked: none, isAll: false }),
    selectLetter: (letter) => store.setState({ letter, awaitedRow: null, pane: 'letters' }),
    awaitRow: (awaitedRow) => store.setState({ awaitedRow, pane: 'letters' }),
    openLetter: (letter) => store.setState({ letter, awaitedRow: null, pane: 'letters', isOpen: true }),
    closeLetter: () => store.setState({ isOpen: false }),
    togglePick(letter) {
      const picked = new Set(store.getState().picked);
      if (picked.delete(letter)) store.setState({ picked, isAll: false, pane: 'letters' });
      else pick([letter]);
    },
    pick,
    pickAll: () => store.setState({ isAll: true, picked: none }),
    clearPicks: () => store.setState({ isAll: false, picked: none }),
    plan,
    restore,
    async edit(seq) {
      const letter = await client.letter({ seq });
      const opened = await client.open({ seq });
      if (opened.kind === 'opened') store.setState({ asking: { kind: 'edit', letter, bytes: opened.bytes } });
      else refuse(`Edit letter ${seq}: ${visibleText(opened.failure.why)}`);
    },
    say: (cause) => store.setState({ asking: { kind: 'say', cause } }),
    keepDraft(seq, bytes) {
      const drafts = new Map(store.getState().drafts);
      if (bytes === undefined) drafts.delete(seq);
      else drafts.set(seq, bytes);
      store.setState({ drafts });
    },
    async retry({ isCanary, ratePerSec, queue, reason }) {
      const { asking } = store.getState();
      if (asking?.kind !== 'retry') return;
      const { planId, count } = asking.plan;
      await client.retry({ planId, isCanary, ratePerSec, ...optional('queue', queue), ...optional('reason', reason) });
      done(
        `The retry of ${lettersWords(count)} has begun${isCanary ? ', with a canary' : ''}. What came of each is told above the letters.`,
      );
    },
    async setArchived(reason) {
      const { asking } = store.getState();
      if (asking?.kind !== 'archive' && asking?.kind !== 'restore') return;
      const given = { planId: asking.plan.planId, ...optional('reason', reason) };
      if (asking.kind === 'restore') return done(`${lettersWords((await client.restore(given)).count)} restored.`);
      const { operationId, count } = await client.archive(given);
      store.setState({ undoable: operationId });
      const run = () => void undo(operationId).catch((error: unknown) => reportError('Restore the letters', error));
      done(`${lettersWords(count)} archived.`, { label: 'Restore', whyNot, run });
    },
    async sendEdited({ bytes, queue, reason }) {
      const { asking, drafts } = store.getState();
      if (asking?.kind !== 'edit') return;
      const { seq } = asking.letter;
      await client.editRetry({
        seq,
        data: toBase64(bytes),
        ...optional('queue', queue),
        ...optional('reason', reason),
      });
      store.setState({ drafts: new Map([...drafts].filter(([one]) => one !== seq)) });
      done(`Letter ${seq} is retried with what you wrote, sealed and signed by you.`);
    },
    async exportBundle(isRedacted, reason) {
      const { asking } = store.getState();
      if (asking?.kind !== 'export') return;
      const { planId, count } = asking.plan;
      const { path } = await client.exportBundle({ planId, isRedacted, ...optional('reason', reason) });
      done(`${lettersWords(count)} are in ${visibleText(path)}, signed by you; vak bundle verify reads it.`);
    },
    async setGroup({ fingerprint, newestSeq }, change) {
      await client.setGroup({ fingerprint, ...(newestSeq === undefined ? {} : { uptoSeq: newestSeq }), ...change });
    },
    async stop({ operationId, title }) {
      await client.cancel({ operationId });
      notify(`${visibleText(title)}: stopped. What has not begun does not begin; what was published goes on.`);
    },
    close,
  };
}
