/**
 * Vocabulary of the IPC contract (architecture.md §3): calls, snapshots, feeds.
 * Law: a feature is declared once here; both ends are derived from the declaration.
 */
import type { z } from 'zod';
import type { ErrorShape } from '../base/vak-error.ts';

/** A request with one answer. `Output` exists for the types only. */
export interface CallSpec<Input extends z.ZodType = z.ZodType, Output = unknown> {
  readonly kind: 'call';
  readonly input: Input;
  readonly output?: Output;
}

/** A whole value, pushed when it changes, at most ten times a second; a large one less often. */
export interface SnapshotSpec<Value = unknown> {
  readonly kind: 'snapshot';
  readonly value?: Value;
}

/** A fast, lossy, bounded flow of frames over a MessagePort of its own. */
export interface FeedSpec<Params extends z.ZodType = z.ZodType, Frame = unknown> {
  readonly kind: 'feed';
  readonly params: Params;
  readonly frame?: Frame;
}

/** Any declaration of a feature. */
export type Spec = CallSpec | SnapshotSpec | FeedSpec;
/** Feature name → member name → declaration. */
export type Contract = Readonly<Record<string, Readonly<Record<string, Spec>>>>;

/** Declares a call: `call(schema)<Result>()`. */
export function call<Input extends z.ZodType>(input: Input): <Output>() => CallSpec<Input, Output> {
  return () => ({ kind: 'call', input });
}

/** Declares a snapshot: `snapshot<Value>()`. */
export function snapshot<Value>(): SnapshotSpec<Value> {
  return { kind: 'snapshot' };
}

/** Declares a feed: `feed(schema)<Frame>()`. */
export function feed<Params extends z.ZodType>(params: Params): <Frame>() => FeedSpec<Params, Frame> {
  return () => ({ kind: 'feed', params });
}

type MembersOf<Feature, S extends Spec> = { [K in keyof Feature as Feature[K] extends S ? K : never]: Feature[K] };

/** What a service gets beside its input. */
export interface CallContext {
  /** Aborts when the caller cancels or its window goes. */
  readonly signal: AbortSignal;
}

/** The engine's side: one function a call. A missing one does not compile. */
export type Services<C extends Contract> = {
  readonly [F in keyof C]: {
    readonly [K in keyof MembersOf<C[F], CallSpec>]: C[F][K] extends CallSpec<infer Input, infer Output>
      ? (input: z.infer<Input>, context: CallContext) => Promise<Output> | Output
      : never;
  };
};

/** The renderer's side: the same calls as promises, cancellable. */
export type Client<C extends Contract> = {
  readonly [F in keyof C]: {
    readonly [K in keyof MembersOf<C[F], CallSpec>]: C[F][K] extends CallSpec<infer Input, infer Output>
      ? (input: z.input<Input>, options?: { signal?: AbortSignal }) => Promise<Output>
      : never;
  };
};

type Joined<C extends Contract, S extends Spec> = {
  [F in keyof C & string]: { [K in keyof MembersOf<C[F], S> & string]: `${F}.${K}` }[keyof MembersOf<C[F], S> & string];
}[keyof C & string];

type SpecAt<C extends Contract, Name extends string> = Name extends `${infer F}.${infer K}` ? C[F][K] : never;

/** `feature.member` of every call. */
export type CallName<C extends Contract> = Joined<C, CallSpec>;
/** `feature.member` of every snapshot. */
export type SnapshotName<C extends Contract> = Joined<C, SnapshotSpec>;
/** Value of a snapshot by name. */
export type SnapshotValue<C extends Contract, N extends string> =
  SpecAt<C, N> extends SnapshotSpec<infer V> ? V : never;
/** `feature.member` of every feed. */
export type FeedName<C extends Contract> = Joined<C, FeedSpec>;
/** Parameters of a feed by name. */
export type FeedParams<C extends Contract, N extends string> =
  SpecAt<C, N> extends FeedSpec<infer P, infer _F> ? z.infer<P> : never;
/** Frame of a feed by name. */
export type FeedFrame<C extends Contract, N extends string> =
  SpecAt<C, N> extends FeedSpec<infer _P, infer F> ? F : never;

/** Every answer of main to `bridge:invoke`. */
export type ResultEnvelope =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorShape };

/**
 * One pushed snapshot; `version` rises by one with each change of that name. `text` is its value as JSON: a text passes from process to
 * process and from the preload script to the page without being taken apart.
 */
export interface SnapshotUpdate {
  readonly name: string;
  readonly version: number;
  readonly text: string;
}

/** What main posts over a feed port: a frame as one JSON text, or the reason why it ends. */
export type FeedMessage = { readonly frame: string } | { readonly error: ErrorShape };
/** What the renderer posts back: credits for frames that were painted. */
export interface FeedCredit {
  readonly credits: number;
}

/** The bridge object in the page; exactly these members, for ever. */
export interface Bridge {
  invoke(callId: string, method: string, input: unknown): Promise<ResultEnvelope>;
  cancel(callId: string): void;
  onSnapshot(listener: (update: SnapshotUpdate) => void): () => void;
  /** Main answers with a `message` event on `window` whose data is `{ bridgeFeed: feedId }` and whose only port is the feed. */
  openFeed(feedId: string, name: string, params: unknown): void;
}

/** Names of the four IPC channels. */
export const channels = {
  invoke: 'bridge:invoke',
  cancel: 'bridge:cancel',
  snapshot: 'bridge:snapshot',
  feed: 'bridge:feed',
} as const;
