/**
 * What is being written, a draft for each room: a new message, a reply, or a change of an own one.
 * Law: what was typed is lost by nothing but sending or taking it back; a change leaves the draft as it was.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RoomMessageItem } from '../../../shared/contract/rooms-contract.ts';
import type { RoomCalls } from './room-calls.ts';
import { lineOf } from './room-words.ts';

/** Most of a message, in bytes of UTF-8 (R13). */
export const maxMessageBytes = 65_536;

export type ComposeMode =
  | { readonly kind: 'new' }
  | { readonly kind: 'reply'; readonly messageId: string; readonly peer: string; readonly line: string }
  /** `draft`: what stood there before, and comes back. */
  | { readonly kind: 'edit'; readonly messageId: string; readonly former: string; readonly draft: string };

export interface Draft {
  readonly text: string;
  readonly mode: ComposeMode;
}

export interface ComposerDeps {
  readonly calls: Pick<RoomCalls, 'send' | 'edit' | 'setDraft' | 'setTyping'>;
  /** Runs something later; gives what stops it. */
  readonly later: (ms: number, run: () => void) => () => void;
  readonly now: () => number;
}

export interface Composer {
  readonly store: StoreApi<Readonly<Record<string, Draft>>>;
  /** The room is shown: what was kept of it comes back, unless something is being written there. */
  open(room: string, kept: string): void;
  type(room: string, text: string): void;
  reply(room: string, item: RoomMessageItem): void;
  edit(room: string, item: RoomMessageItem): void;
  /** Takes a reply or a change back. */
  cancel(room: string): void;
  /** Sends what stands there; answers whether there was something. Throws what the engine throws, with the text put back. */
  submit(room: string): Promise<boolean>;
  /** Keeps what is not kept yet: another room is shown, or the window goes. */
  flush(room: string): void;
}

const keepAfterMs = 800;
const typingEveryMs = 4_000;
const none: Draft = { text: '', mode: { kind: 'new' } };

/** Bytes of UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Creates it with nothing written. */
export function createComposer({ calls, later, now }: ComposerDeps): Composer {
  const store = createStore<Readonly<Record<string, Draft>>>(() => ({}));
  const timers = new Map<string, () => void>();
  const kept = new Map<string, string>();
  let typing: { readonly room: string; readonly sinceMs: number } | undefined;

  const draftOf = (room: string): Draft => store.getState()[room] ?? none;
  const put = (room: string, draft: Draft): void => store.setState({ [room]: draft });
  /** What comes back after a restart: never the words of a change. */
  const lasting = ({ text, mode }: Draft): string => (mode.kind === 'edit' ? mode.draft : text);

  function keep(room: string): void {
    timers.get(room)?.();
    timers.delete(room);
    const text = lasting(draftOf(room));
    if (kept.get(room) === text) return;
    kept.set(room, text);
    calls.setDraft(room, text);
  }

  function tellTyping(room: string, isTyping: boolean): void {
    const isSame = typing?.room === room;
    if (!isTyping) {
      if (isSame) calls.setTyping(room, false);
      if (isSame) typing = undefined;
      return;
    }
    if (isSame && now() - (typing?.sinceMs ?? 0) < typingEveryMs) return;
    if (typing !== undefined && !isSame) calls.setTyping(typing.room, false);
    typing = { room, sinceMs: now() };
    calls.setTyping(room, true);
  }

  const back = ({ text, mode }: Draft): Draft => ({
    text: mode.kind === 'edit' ? mode.draft : text,
    mode: { kind: 'new' },
  });

  async function handOn(room: string, { text: typed, mode }: Draft): Promise<void> {
    const text = typed.trim();
    if (mode.kind === 'new') await calls.send({ room, text });
    else if (mode.kind === 'reply') await calls.send({ room, text, replyTo: mode.messageId });
    else if (text !== mode.former.trim()) await calls.edit({ room, messageId: mode.messageId, text });
  }

  /** Something may have been begun meanwhile: it stays, and comes after what was not sent. */
  function putBack(room: string, draft: Draft, rest: Draft): void {
    const begun = draftOf(room);
    if (begun.text === rest.text && begun.mode.kind === 'new') put(room, draft);
    else put(room, { ...begun, text: `${draft.text}\n\n${begun.text}` });
  }

  return {
    store,
    open(room, text) {
      if (store.getState()[room] !== undefined) return;
      kept.set(room, text);
      put(room, { text, mode: { kind: 'new' } });
    },
    type(room, text) {
      put(room, { ...draftOf(room), text });
      timers.get(room)?.();
      timers.set(
        room,
        later(keepAfterMs, () => keep(room)),
      );
      tellTyping(room, text.trim() !== '');
    },
    reply(room, item) {
      const { messageId, peer } = item;
      const draft = back(draftOf(room));
      put(room, { ...draft, mode: { kind: 'reply', messageId, peer, line: lineOf(item).slice(0, 200) } });
    },
    edit(room, { messageId, text }) {
      const draft = back(draftOf(room)).text;
      put(room, { text: text ?? '', mode: { kind: 'edit', messageId, former: text ?? '', draft } });
    },
    cancel: (room) => put(room, back(draftOf(room))),
    async submit(room) {
      const draft = draftOf(room);
      if (draft.text.trim() === '') return false;
      const rest = back({ text: '', mode: draft.mode });
      put(room, rest);
      tellTyping(room, false);
      try {
        await handOn(room, draft);
      } catch (error) {
        putBack(room, draft, rest);
        throw error;
      } finally {
        keep(room);
      }
      return true;
    },
    flush(room) {
      keep(room);
      tellTyping(room, false);
    },
  };
}
