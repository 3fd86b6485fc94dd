import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../tests/support/room-people.ts';
import { placeIn, roomWith } from '../../tests/support/room-places.ts';
import type { KnownCard } from '../engine/rooms/card-boxes.ts';
import { type BotEar, createBotEar, type Question } from './bot-ear.ts';

let people: RoomPeople;
let cleo: Person;
let bot: Person;
let room: string;
beforeEach(async () => {
  people = await openRoomPeople();
  [cleo, bot] = [await people.person('cleo'), await people.person('bot')];
  room = await roomWith(people, cleo, [bot]);
});
afterEach(() => people.close());

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);
const hear = (ear: BotEar): Promise<readonly Question[]> => run(ear.hear());
const texts = (all: readonly Question[]): string[] => all.map(({ text }) => text);

async function ask(text: string): Promise<void> {
  await cleo.say(room, text);
  await people.settle(bot);
}

test('R72 a mention is a question, once; what mentions nobody, another, or is the bot’s own word is none', async () => {
  const ear = createBotEar(placeIn(room, bot));
  expect(await hear(ear)).toEqual([]);
  await ask('hello all');
  await ask('@bots and not@bot');
  await ask('@bot: are you there?');
  await bot.say(room, 'I am @bot');
  await people.settle(bot);
  expect(texts(await hear(ear))).toEqual(['@bot: are you there?']);
  expect(await hear(ear)).toEqual([]);
});

test('R72 a reply to what the bot said is a question without a mention; one to another’s words, or by a bot, is none', async () => {
  const earWith = (kind: KnownCard['kind']): BotEar => {
    const card = { ...{ peer: 'cleo', sign: cleo.asker.key, name: 'Cleo', kind }, isAgent: false, offered: null };
    return createBotEar({ ...placeIn(room, bot), cards: { find: () => ({ ...card, state: 'pinned' }) } });
  };
  const said = await bot.say(room, 'it is 4 o’clock');
  const other = await cleo.say(room, 'good evening');
  await people.settle(cleo);
  const heardBy = async (ear: BotEar): Promise<string[]> => {
    for (const [target, text] of [
      [said, 'in which zone?'],
      [other, 'to myself'],
    ] as const) {
      await run(cleo.desk(room).sender.say({ kind: 'reply', target, text }));
      await run(cleo.desk(room).look());
    }
    await people.settle(bot);
    return texts(await hear(ear));
  };
  expect(await heardBy(earWith('human'))).toEqual(['in which zone?']);
  await people.settle(cleo);
  expect(await heardBy(earWith('bot'))).toEqual([]);
});

test('R72 what was asked while it was away is heard at its start, what was dealt with is not heard again', async () => {
  const ear = createBotEar(placeIn(room, bot));
  await ask('@bot one');
  const [one] = await hear(ear);
  if (one === undefined) throw new Error('nothing was asked');
  await run(ear.done(one));
  const away = bot;
  await cleo.say(room, '@bot two');
  bot = await people.restart(away);
  await people.settle(bot);
  expect(texts(await hear(createBotEar(placeIn(room, bot))))).toEqual(['@bot two']);
});

test('R72 after a kill what has an answer is not asked again, whatever was begun before it, and what has none is', async () => {
  const ear = createBotEar(placeIn(room, bot));
  await ask('@bot one');
  await ask('@bot two');
  const [one, two] = await hear(ear);
  if (one === undefined || two === undefined) throw new Error('two were asked');
  await run(bot.desk(room).sender.say({ kind: 'reply', target: two.messageId, text: 'yes' }));
  await run(ear.done(two));
  // Its answer waits, or lies there: neither is asked for again.
  expect(texts(await hear(createBotEar(placeIn(room, bot))))).toEqual(['@bot one']);
  await run(bot.desk(room).look());
  const again = createBotEar(placeIn(room, bot));
  const [open] = await hear(again);
  expect(open?.text).toBe('@bot one');
  if (open !== undefined) await run(again.done(open));
  expect(await hear(createBotEar(placeIn(room, bot)))).toEqual([]);
});
