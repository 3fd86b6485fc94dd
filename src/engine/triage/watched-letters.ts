/**
 * What is known of a workspace's dead letters on one engine (docs/spec/triage.md D2–D4).
 * Law: it only looks, rests between pages, and ends as soon as nobody can judge or it is not the engine in use any more.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { StateReader } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';
import type { StateWatch } from '../work/state-watch.ts';
import type { ReadingPace } from '../work/stream-reading.ts';
import { type GroupWord, watchGroupStates } from './group-states.ts';
import { createLetterReading, type LetterReading, type LetterReadingDeps } from './letter-reading.ts';

export interface RefusedState {
  readonly fingerprint: string;
  readonly why: string;
}

export interface WatchedLettersDeps extends Omit<LetterReadingDeps, 'pace' | 'capacity'> {
  readonly state: StateReader;
  /** Names what is known of grants and secrets. */
  readonly basis: () => number;
  readonly isOpen: () => boolean;
  readonly clock: Clock;
  /** Told when something more is known, twice a second at most while much is read. */
  readonly onChange: () => void;
  /** 100 000 unless told. */
  readonly capacity?: number;
}

export interface WatchedLetters extends Omit<LetterReading, 'read'> {
  /** Looks now. Throws what reading throws. */
  look(): Promise<void>;
  dispose(): void;
  /** When all was read last, ms since the epoch. */
  readAtMs(): number | null;
  saidOf(fingerprint: string): ReturnType<StateWatch<GroupWord>['of']>;
  /** Newest first. */
  refusedStates(): readonly RefusedState[];
  /** Changes whenever something about letters does. */
  version(): number;
}

const usualCapacity = 100_000;
/** Signatures are checked one by one: a page of them does not hold up the rest of the program. */
const pageLimit = 32;
const toldEveryMs = 500;
const maxRefused = 20;

/** What is said of groups; where the bucket is not there yet it is tried again at each look. */
function createGroupWords({ workspace, durable, state: reader, clock, onChange }: WatchedLettersDeps) {
  let watch: StateWatch<GroupWord> | undefined;
  let refused: readonly RefusedState[] = [];
  let version = 0;
  const changed = (): void => {
    version++;
    onChange();
  };
  return {
    begin(): void {
      try {
        watch ??= watchGroupStates({
          ...{ workspace, durable, reader, clock, onChange: changed },
          onRefused(fingerprint, why) {
            refused = [{ fingerprint, why }, ...refused].slice(0, maxRefused);
            changed();
          },
        });
      } catch (error) {
        if (!isVakError(error)) throw error;
      }
    },
    of: (fingerprint: string) => watch?.of(fingerprint),
    refused: () => refused,
    version: () => version,
    dispose: () => watch?.dispose(),
  };
}

/** Begins to watch; nothing is read before the first look. */
export function createWatchedLetters(deps: WatchedLettersDeps): WatchedLetters {
  const { clock, basis, isOpen, onChange, capacity = usualCapacity } = deps;
  const words = createGroupWords(deps);
  let isOver = false;
  let readAtMs: number | null = null;
  let toldMs = Number.NEGATIVE_INFINITY;

  async function rest(): Promise<void> {
    await new Promise<void>((resolve) => clock.defer(resolve));
    if (isOver) throw new VakError('aborted', 'the dead letters are not read on: another engine is in use');
    if (!isOpen()) throw new VakError('locked', 'the dead letters are not read on: the key store is locked');
    if (clock.monotonic() - toldMs < toldEveryMs) return;
    toldMs = clock.monotonic();
    onChange();
  }

  const pace: ReadingPace = { pageLimit, rest, basis };
  const reading = createLetterReading({ ...deps, capacity, pace });
  return {
    ...reading,
    async look() {
      words.begin();
      try {
        await reading.read();
      } catch (error) {
        // A workspace whose streams were not made yet has no dead letters.
        if (!isVakError(error, 'not-found')) throw error;
      }
      readAtMs = clock.now();
    },
    ...{ readAtMs: () => readAtMs, saidOf: words.of, refusedStates: words.refused },
    version: () => reading.book.version() + reading.ledger.version() + words.version(),
    dispose() {
      isOver = true;
      words.dispose();
    },
  };
}
