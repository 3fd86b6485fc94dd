/**
 * What is being done in the Rooms view: what is selected, which question is open, what stands at the side, which timeline is held.
 * Law: a question keeps the room, the member or the message that it was asked about, whatever is selected meanwhile.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RoomMemberReport, RoomMessageItem, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import type { Composer } from './composer.ts';
import type { DroppedFile, RoomCalls } from './room-calls.ts';
import { createTimeline, type Timeline, type TimelineDeps } from './timeline-store.ts';

/** Several files that are asked about before they go. */
export type GivenFiles =
  | { readonly kind: 'dropped'; readonly files: readonly DroppedFile[] }
  /** Chosen from disk: the engine knows where they lie. */
  | { readonly kind: 'chosen'; readonly choiceId: string; readonly files: readonly { name: string; size: number }[] };

/** A file that was pasted or dropped, and whose turn has not come. */
export interface WaitingFile {
  readonly room: string;
  readonly file: DroppedFile;
}

interface About {
  readonly create: object;
  readonly invite: { readonly room: RoomSummary };
  readonly topic: { readonly room: RoomSummary };
  readonly leave: { readonly room: RoomSummary };
  readonly close: { readonly room: RoomSummary };
  readonly kick: { readonly room: RoomSummary; readonly member: RoomMemberReport };
  readonly role: { readonly room: RoomSummary; readonly member: RoomMemberReport };
  readonly redact: { readonly room: RoomSummary; readonly item: RoomMessageItem };
  readonly react: { readonly room: RoomSummary; readonly item: RoomMessageItem };
  readonly files: { readonly room: RoomSummary; readonly given: GivenFiles };
  readonly image: { readonly room: RoomSummary; readonly item: RoomMessageItem };
}

/** What is asked, and about what. */
export type RoomQuestion = { readonly [K in keyof About]: { readonly kind: K } & About[K] }[keyof About];

/** At the side, in place of the members. */
export type RoomSide =
  | { readonly kind: 'readers'; readonly room: string; readonly item: RoomMessageItem }
  | { readonly kind: 'search' };

export interface RoomWorkState {
  readonly filter: string;
  /** Key of the selected row of the timeline that is shown. */
  readonly selectedKey: string | undefined;
  /** Signing key of the selected member. */
  readonly selectedMember: string | undefined;
  readonly question: RoomQuestion | undefined;
  readonly side: RoomSide | undefined;
  readonly searchText: string;
  /** Whether the search is in every room. */
  readonly isSearchWide: boolean;
  readonly timeline: Timeline | undefined;
  readonly waiting: readonly WaitingFile[];
}

export interface RoomWork {
  readonly store: StoreApi<RoomWorkState>;
  readonly calls: RoomCalls;
  readonly composer: Composer;
  set(change: Partial<Omit<RoomWorkState, 'timeline' | 'question' | 'waiting'>>): void;
  ask(question: RoomQuestion): void;
  close(): void;
  /** Shows a room: its timeline from the end on, and what was being written there. */
  open(room: RoomSummary): void;
  /** No room is shown any more: what was read of it goes, what was written stays. */
  leave(): void;
  /** Sends what is being written; a new message is where it comes: at the end. Throws what the engine throws. */
  submit(room: string): Promise<void>;
  /** Sends one file at once, asks before several are sent. */
  attachFiles(room: RoomSummary, files: readonly DroppedFile[]): Promise<void>;
  /** Has the person choose files, and does the same with them. */
  attach(room: RoomSummary): Promise<void>;
  /** Sends several, one after the other. */
  sendFiles(room: string, given: GivenFiles): Promise<void>;
  /** One that waits is not sent. */
  cancelWaiting(file: DroppedFile): void;
  /** Goes to a message of the room that is shown, and selects it. */
  goTo(messageId: string): Promise<void>;
}

export interface RoomWorkDeps {
  readonly calls: RoomCalls;
  readonly composer: Composer;
  readonly page: TimelineDeps['page'];
}

/** What is sent comes at the end of the room's timeline, if that is the one that is shown. */
async function toEndOf(store: RoomWork['store'], room: string): Promise<void> {
  const { timeline } = store.getState();
  if (timeline?.room === room) await timeline.toEnd();
}

/** Creates it with nothing shown. */
export function createRoomWork({ calls, composer, page }: RoomWorkDeps): RoomWork {
  const store = createStore<RoomWorkState>(() => ({
    ...{ filter: '', selectedKey: undefined, selectedMember: undefined, question: undefined, side: undefined },
    ...{ searchText: '', isSearchWide: true, timeline: undefined, waiting: [] },
  }));
  return {
    store,
    calls,
    composer,
    set: (change) => store.setState(change),
    ask: (question) => store.setState({ question }),
    close: () => store.setState({ question: undefined }),
    open(summary) {
      const { timeline, side } = store.getState();
      const { room } = summary;
      if (timeline?.room === room) return;
      if (timeline !== undefined) composer.flush(timeline.room);
      composer.open(room, summary.draft);
      const opened = createTimeline({ room, page, firstUnreadSeq: summary.firstUnreadSeq });
      const kept = side?.kind === 'search' ? side : undefined;
      store.setState({ timeline: opened, selectedKey: undefined, selectedMember: undefined, side: kept });
      if (summary.standing !== 'invited') void opened.toEnd();
    },
    async attachFiles(room, files) {
      if (files.length > 1) store.setState({ question: { kind: 'files', room, given: { kind: 'dropped', files } } });
      else {
        await calls.attachFiles(room.room, files);
        await toEndOf(store, room.room);
      }
    },
    async attach(room) {
      const choice = await calls.attach(room.room);
      if (choice === null) return await toEndOf(store, room.room);
      const files = choice.files.map(({ name, sizeBytes: size }) => ({ name, size }));
      store.setState({
        question: { kind: 'files', room, given: { kind: 'chosen', choiceId: choice.choiceId, files } },
      });
    },
    async sendFiles(room, given) {
      if (given.kind === 'chosen') {
        await calls.attachChosen(room, given.choiceId);
        return await toEndOf(store, room);
      }
      const own = given.files.map((file) => ({ room, file }));
      const isOwn = (one: WaitingFile): boolean => own.includes(one);
      store.setState(({ waiting }) => ({ waiting: [...waiting, ...own] }));
      const take = (file: DroppedFile): boolean => {
        const { waiting } = store.getState();
        const next = waiting.find((one) => isOwn(one) && one.file === file);
        store.setState({ waiting: waiting.filter((one) => one !== next) });
        return next !== undefined;
      };
      try {
        await calls.attachFiles(room, given.files, take);
      } finally {
        store.setState(({ waiting }) => ({ waiting: waiting.filter((one) => !isOwn(one)) }));
      }
      await toEndOf(store, room);
    },
    cancelWaiting: (file) => store.setState(({ waiting }) => ({ waiting: waiting.filter((one) => one.file !== file) })),
    leave() {
      const { timeline } = store.getState();
      if (timeline !== undefined) composer.flush(timeline.room);
      store.setState({ timeline: undefined, selectedKey: undefined, selectedMember: undefined, side: undefined });
    },
    async submit(room) {
      const isChange = composer.store.getState()[room]?.mode.kind === 'edit';
      const isSent = await composer.submit(room);
      if (isSent && !isChange) await toEndOf(store, room);
    },
    async goTo(messageId) {
      store.setState({ selectedKey: `m:${messageId}` });
      await store.getState().timeline?.toMessage(messageId);
    },
  };
}
