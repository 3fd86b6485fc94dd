/**
 * A worker's chain heads: what main kept of the peer's last session, and a word to main of how far this one has come (E12).
 * Law: main is told at most once a second and at the end; what it is told may be older than the truth, never newer.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { WorkerFrame } from './worker-frames.ts';

/** Time between two words to main, ms. */
export const headEveryMs = 1_000;

/** What the store is made of. */
export interface ChannelHeadStoreDeps {
  readonly post: (frame: WorkerFrame) => void;
  readonly clock: Clock;
  /** As main said; undefined: none is known. */
  readonly resumes: ChainHead | undefined;
}

/** Creates the store of a worker's one, ephemeral chain. Disposing it tells main at once what it has not been told. */
export function createChannelHeadStore({ post, clock, resumes }: ChannelHeadStoreDeps): HeadStore & Disposable {
  let untold: ChainHead | undefined;
  let timer: Disposable | undefined;

  function flush(): void {
    timer?.dispose();
    timer = undefined;
    if (untold === undefined) return;
    const { source, seq, leaf } = untold;
    untold = undefined;
    post({ kind: 'head', source, seq, leaf });
  }

  return {
    previous: (_peer, kind) => (kind === 'e' ? resumes : undefined),
    keep(_peer, kind, head) {
      if (kind !== 'e') return;
      untold = head;
      timer ??= clock.setTimer(headEveryMs, flush);
    },
    dispose: flush,
  };
}
