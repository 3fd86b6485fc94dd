import { afterEach, expect, test } from 'vitest';
import {
  type CampaignWorld,
  openCampaignWorld,
  planOf,
  readLetters,
  takenOf,
} from '../../../tests/support/campaign-place.ts';
import { archiveLetters } from './letter-acts.ts';
import { createLetterAnswers } from './letter-answers.ts';
import type { LetterEntry } from './letter-book.ts';

let world: CampaignWorld;
afterEach(() => world.close());

test('D7 what one operator has begun to retry another one does not archive; what was archived all the same is not published', async () => {
  world = await openCampaignWorld();
  const letters = await world.buryMany(6);
  const olga = await world.operate();
  world.worker = () => 'done';
  const slow = { isCanary: false, ratePerSec: 1, reason: undefined };
  const { operationId } = await world.during(olga.campaigns.begin(planOf(letters), slow));
  await world.runUntil(() => world.taken.length === 1);
  const { book, ledger } = await readLetters(world);
  const answering = { book, ledger, receiptPlaces: () => [], saidOf: () => undefined, version: () => 1 };
  const opener = { whyClosed: () => undefined };
  const answers = createLetterAnswers({ letters: () => answering, opener, clock: world.clock });
  const last = book.get(letters.at(-1)?.seq ?? 0) as LetterEntry;
  expect(answers.whyLeftOut(last, 'archive')).toBe(
    `olga retries it, operation ${operationId}: wait for its end, or cancel it`,
  );
  // Planned before it was begun.
  const oscar = world.peer('oscar', 'operator');
  const archive = { letters: [last], scope: 'x', isArchived: true, operationId: 'op', environment: 'here' };
  await world.during(
    archiveLetters({ ...archive, reason: undefined, signal: new AbortController().signal }, async (action) => {
      await world.append(oscar, action, 'vak.audit.acme.oscar.action');
    }),
  );
  await world.runUntil(() => olga.campaigns.state(operationId)?.state === 'done');
  expect(await takenOf(world, letters)).toEqual([1, 1, 1, 1, 1, 0]);
  expect(olga.campaigns.state(operationId)?.counts).toMatchObject({ done: 5, refused: 1 });
  const kept = JSON.parse(world.disk.get(operationId) ?? 'null');
  const refused = kept.items.filter((one: { outcome: string }) => one.outcome === 'refused');
  expect(refused).toMatchObject([{ seq: last.seq, why: 'oscar has archived it: restore it first.' }]);
  const after = await readLetters(world);
  expect([after.ledger.holderOf(last.seq, world.clock.now()), after.ledger.stateOf(last)]).toEqual([
    undefined,
    'archived',
  ]);
});
