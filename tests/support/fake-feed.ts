/** Feeds and frames of a page without an engine and without a screen: a test hands over frames, and says when one is drawn. */
import type { FeedHandlers, OpenFeed } from '../../src/renderer/bridge/client.ts';
import type { FrameClock } from '../../src/renderer/state/frame-clock.ts';
import type { AppContract } from '../../src/shared/contract/app-contract.ts';

export interface FakeFeed<Params, Frame> {
  readonly params: Params;
  readonly handlers: FeedHandlers<Frame>;
  credits: number;
  isDisposed: boolean;
}

export interface FakeFeeds<Params, Frame> {
  /** In the order in which they were opened. */
  readonly opened: readonly FakeFeed<Params, Frame>[];
  readonly openFeed: OpenFeed<AppContract>;
}

export function createFakeFeeds<Params, Frame>(): FakeFeeds<Params, Frame> {
  const opened: FakeFeed<Params, Frame>[] = [];
  const openFeed = (_name: string, params: Params, handlers: FeedHandlers<Frame>) => {
    const feed: FakeFeed<Params, Frame> = { params, handlers, credits: 0, isDisposed: false };
    opened.push(feed);
    return {
      returnCredits: () => {
        feed.credits++;
      },
      dispose: () => {
        feed.isDisposed = true;
      },
    };
  };
  return { opened, openFeed: openFeed as unknown as OpenFeed<AppContract> };
}

export interface FakeFrames {
  readonly frameClock: FrameClock;
  /** Draws a frame if one was asked for, and says whether. */
  draw(): boolean;
}

export function createFakeFrames(): FakeFrames {
  let onFrame = (): void => {};
  let isRequested = false;
  return {
    frameClock: {
      subscribe: (listener) => {
        onFrame = listener;
        return { dispose: () => {} };
      },
      request: () => {
        isRequested = true;
      },
    },
    draw() {
      const was = isRequested;
      isRequested = false;
      if (was) onFrame();
      return was;
    },
  };
}
