import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createScratchFolder } from '../../../tests/support/identity-fixture.ts';
import { type LetterPlace, openLetterPlace } from '../../../tests/support/letter-place.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { createSecret } from '../identity/secret.ts';

const context = { signal: new AbortController().signal };
let place: LetterPlace;
const scratch = createScratchFolder();
afterEach(() => place.close());

const page = async (filter = '') => (await place.calls.page({ filter, fromIndex: 0, limit: 50 }, context)).rows;
const plan = (action: 'retry' | 'archive' | 'export', filter = '') =>
  place.calls.plan({ selection: { filter }, action }, context);

/** A new secret seals, and the first one is out of use in that way. */
function change(state: 'revoked' | 'gone') {
  const [first, ...rest] = place.workspace.secrets ?? [];
  if (first === undefined) throw new Error('there is no secret');
  const next = { ...first, id: 's2', secret: createSecret(utf8('another secret of acme')), state: 'active' as const };
  const old = state === 'gone' ? [] : [{ ...first, state }];
  place.workspace.secrets = [...old, ...rest.filter(({ id }) => id !== 's2'), next];
  return () => {
    place.workspace.secrets = [first, next];
  };
}

test('D2 letters under a revoked secret are listed, archived and exported, and say why they are not edited', async () => {
  place = await openLetterPlace();
  const [one, two] = [await place.bury(), await place.bury()];
  const forged = await place.bury({ by: place.peer('oscar', 'observer'), byName: 'oscar' });
  change('revoked');
  await place.begin();
  await place.until(() => place.letters.letters()?.book.size() === 2);
  const why = 'Secret s1 was revoked: nothing that it sealed is opened any more.';
  const known = { errorClass: 'sealed', reason: why, closedWhy: why, isSealed: true, queue: '', state: 'open' };
  expect(await page()).toMatchObject([
    { ...known, seq: two.seq },
    { ...known, seq: one.seq },
  ]);
  // Who may end no task has no letter, whether it opens or not.
  expect(place.watch.work()?.refusedWork.newest()[0]).toMatchObject({ seq: forged.seq, from: 'oscar' });
  expect(await plan('retry')).toMatchObject({ count: 0, leftOut: [{ why, count: 2 }] });
  const report = await place.during(place.calls.letter({ seq: one.seq }, context));
  expect(report).toMatchObject({ by: 'wanda', signature: { kind: 'valid' }, attemptList: [] });
  expect(report.closedWhy).toContain(why);
  expect(await place.during(place.calls.open({ seq: one.seq }, context))).toMatchObject({ kind: 'failed' });

  const path = join(scratch.path, 'closed.vakbundle');
  place.prompt.answer(path);
  const { planId: exported } = await plan('export');
  await place.during(place.bundles.calls.exportBundle({ planId: exported, isRedacted: true }, context));
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line)).filter(({ of }) => of === 'letter')).toHaveLength(2);

  const { planId } = await plan('archive', 'error:sealed');
  await place.during(place.calls.archive({ planId }, context));
  await place.until(() => place.state().counts.archived === 2);
  expect(await page()).toEqual([]);
});

test('D2 a letter whose secret comes later is read then, in its own place', async () => {
  place = await openLetterPlace();
  const first = await place.bury();
  const back = change('gone');
  const second = await place.bury();
  await place.begin();
  await place.until(() => place.letters.letters()?.book.size() === 2);
  const classes = async () => (await page()).map(({ seq, errorClass }) => [seq, errorClass]);
  expect(await classes()).toEqual([
    [second.seq, 'exit.7'],
    [first.seq, 'sealed'],
  ]);
  back();
  await place.until(() => place.letters.letters()?.book.get(first.seq)?.errorClass === 'exit.7');
  expect(await classes()).toEqual([
    [second.seq, 'exit.7'],
    [first.seq, 'exit.7'],
  ]);
});
