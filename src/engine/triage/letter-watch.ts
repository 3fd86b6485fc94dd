/**
 * Keeps an eye on the dead letters of the workspace, whichever engine is behind the app (docs/spec/triage.md D2).
 * Law: it is woken as the watch of the work is; what is known of one engine is never shown as another's.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ErrorShape } from '../../shared/base/vak-error.ts';
import { createEngineWatch, type EngineWatchDeps } from '../work/engine-watch.ts';
import { auditSubject } from '../work/purge-records.ts';
import { createWatchedLetters, type WatchedLetters, type WatchedLettersDeps } from './watched-letters.ts';

export interface LetterWatch extends Disposable {
  /** What is known on the engine in use; undefined before the first look. */
  letters(): WatchedLetters | undefined;
  /** Why the last look failed; null: it did not. */
  problem(): ErrorShape | null;
  /** Keys or connection have changed. */
  follow(): void;
}

export type LetterWatchDeps = Omit<WatchedLettersDeps, 'durable'> &
  Omit<EngineWatchDeps<WatchedLetters>, 'hints' | 'name' | 'open' | 'live'> & {
    readonly live: EngineWatchDeps<WatchedLetters>['live'] & Pick<WatchedLettersDeps, 'durable'>;
  };

/** What says that there is a letter, or that something was done about one. Receipts come all the time, most of them about no letter. */
const hintsOf = (ws: string): readonly string[] => [`vak.dlq.${ws}.>`, auditSubject(ws)];

/** Creates it at rest; `follow` begins. */
export function createLetterWatch(deps: LetterWatchDeps): LetterWatch {
  const { workspace, live } = deps;
  const watch = createEngineWatch<WatchedLetters>({
    ...{ ...deps, name: 'dead letters', hints: hintsOf(workspace) },
    open: () => createWatchedLetters({ ...deps, durable: live.durable }),
  });
  return { letters: watch.current, problem: watch.problem, follow: watch.follow, dispose: watch.dispose };
}
