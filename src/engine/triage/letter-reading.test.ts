import { afterEach, expect, test } from 'vitest';
import { failureCauses } from '../../../tests/support/failure-causes.ts';
import { createChance } from '../../../tests/support/failure-chance.ts';
import { type LetterPlace, openLetterPlace } from '../../../tests/support/letter-place.ts';
import { createWatchedLetters } from './watched-letters.ts';

/** `npm run endurance` reads as many as a bad night leaves. */
const size = process.env['VAK_ENDURANCE'] === undefined ? 400 : 50_000;
const context = { signal: new AbortController().signal };
let place: LetterPlace;
afterEach(() => place.close());

test('D2 a long stream is read in pages between which all else goes on, and ends where nobody can judge', async () => {
  place = await openLetterPlace();
  const chance = createChance(5);
  for (let at = 0; at < size; at++) {
    const {
      errorClass,
      reason,
      stack = '',
    } = failureCauses[at % failureCauses.length]?.occur(chance) ?? { errorClass: '', reason: '' };
    await place.bury({
      failure: { errorClass, reason: reason.slice(0, 300), ...(stack === '' ? {} : { stack: stack.slice(-2_500) }) },
    });
  }
  const { fabric, workspace, clock } = place;
  const { judge, reader, basis } = workspace;
  let [judged, mostAtOnce, rests, isOpen] = [0, 0, 0, true];
  let onRest: (count: number) => void = () => {};
  const watch = () =>
    createWatchedLetters({
      ...{ workspace: 'acme', durable: fabric.durable, reader, basis, onRefused: () => {}, onChange: () => {} },
      state: { read: () => ({ kind: 'unknown' }) },
      isOpen: () => isOpen,
      judge(message) {
        judged++;
        return judge(message);
      },
      clock: {
        ...clock,
        defer(callback) {
          mostAtOnce = Math.max(mostAtOnce, judged);
          judged = 0;
          onRest(++rests);
          clock.defer(callback);
        },
      },
    });
  const watched = watch();
  onRest = (count) => {
    isOpen = count !== 3;
  };
  await expect(place.during(watched.look())).rejects.toMatchObject({ code: 'locked' });
  expect(watched.progress()).toEqual({ readCount: 96, streamCount: size });
  await place.during(watched.look());
  expect([watched.book.size(), watched.progress().readCount, watched.readAtMs()]).toEqual([size, size, clock.now()]);
  expect(mostAtOnce).toBeLessThanOrEqual(32);
  const before = judged;
  await place.during(watched.look());
  expect(judged).toBe(before);
  watched.dispose();
  // Another engine is in use: what was known of this one is not read on.
  const gone = watch();
  onRest = () => gone.dispose();
  await expect(place.during(gone.look())).rejects.toMatchObject({ code: 'aborted' });
}, 900_000);

test('D12 answers about all letters are there at once', async () => {
  place = await openLetterPlace();
  await place.bury({ failure: { reason: 'no route' } });
  await place.begin();
  await place.until(() => place.letters.letters()?.book.size() === 1);
  const book = place.letters.letters()?.book;
  const [first] = book?.all() ?? [];
  const chance = createChance(6);
  for (let at = 0; at < size && first !== undefined; at++) {
    const failure = failureCauses[at % failureCauses.length]?.occur(chance) ?? { errorClass: '', reason: '' };
    const own = {
      seq: 10 + at,
      id: `l${at}`,
      envelopeId: `t${at}`,
      taskLeaf: `${at}`,
      failedAt: '2026-01-01T00:00:00Z',
    };
    book?.note({ ...first, ...own, ...failure, reason: failure.reason.slice(0, 300) });
  }
  const startMs = performance.now();
  const found = await place.calls.groups({ filter: '-error:nothing', by: 'cause', limit: 500 }, context);
  await place.calls.page({ filter: 'exit job', fromIndex: 0, limit: 200 }, context);
  const state = place.state();
  expect([found.matchingCount, state.counts.open]).toEqual([size + 1, size + 1]);
  expect(performance.now() - startMs).toBeLessThan(3_000);
}, 300_000);
