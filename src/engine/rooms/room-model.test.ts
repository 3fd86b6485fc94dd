import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRoomPeople, type Person, type RoomPeople } from '../../../tests/support/room-people.ts';
import { isVakError } from '../../shared/base/vak-error.ts';

const isEndurance = process.env['VAK_ENDURANCE'] === '1';
const seedCount = isEndurance ? 60 : 4;
const steps = isEndurance ? 120 : 40;
const names = ['ada', 'ben', 'cleo', 'dan', 'eva'] as const;
type Name = (typeof names)[number];

/** What anybody would say of the room with paper and pencil: who is in, and who may read which text. */
function createModel(owner: Name) {
  const members = new Set<Name>([owner]);
  const invited = new Set<Name>();
  const said: { readonly text: string; readonly readers: Set<Name> }[] = [];
  return {
    members,
    invited,
    said,
    say: (text: string) => said.push({ text, readers: new Set(members) }),
    readable: (name: Name): string[] => said.filter(({ readers }) => readers.has(name)).map(({ text }) => text),
  };
}

/** A small generator, so that a seed says all. */
function createDice(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return { next, pick: <T>(all: readonly T[]): T | undefined => all[next(all.length)] };
}

let people: RoomPeople;
beforeEach(async () => {
  people = await openRoomPeople();
});
afterEach(() => people.close());

const run = <T>(work: Promise<T>): Promise<T> => people.place.run(work);

/** What may fail for others were faster or the service did not answer: the room is as the model says then too, for nothing was done. */
async function tried(work: Promise<unknown>): Promise<boolean> {
  try {
    await run(work);
    return true;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

async function play(seed: number): Promise<void> {
  const dice = createDice(seed);
  const persons = new Map<Name, Person>();
  for (const name of names) persons.set(name, await people.person(`${name}-${seed}`));
  const of = (name: Name): Person => persons.get(name) as Person;
  const owner = names[dice.next(names.length)] as Name;
  const { room } = await run(of(owner).rooms.create({ name: `Seed ${seed}`, topic: '', history: 'joined' }));
  const model = createModel(owner);
  const keyOf = (name: Name): string => of(name).asker.key;
  const desk = (name: Name) => of(name).desk(room);
  /** Some of the peers look, in any order; the others are behind. */
  const someLook = async (): Promise<void> => {
    for (const name of names) if (dice.next(3) === 0) await run(of(name).rooms.look());
  };
  const outside = (): Name[] => names.filter((name) => !model.members.has(name) && !model.invited.has(name));
  const others = (): Name[] => [...model.members].filter((name) => name !== owner);

  /** What the ended process had under way with its files ends first; time stands still for that. */
  async function restart(name: Name): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        persons.set(name, await people.restart(of(name)));
        return;
      } catch (error) {
        if (!isVakError(error, 'timeout') || tries === 20) throw error;
      }
    }
  }

  const acts: Record<string, () => Promise<void>> = {
    async invite() {
      const name = dice.pick(outside());
      if (name === undefined) return;
      const peer = of(name).name;
      if (!(await tried(desk(owner).commit({ type: 'INVITE', peer, role: 'member' }, { subject: keyOf(name) }))))
        return;
      model.invited.add(name);
      await run(of(owner).rooms.exchange.invite(desk(owner).reader.log(), peer));
      await run(of(name).rooms.look());
    },
    async join() {
      const name = dice.pick([...model.invited]);
      if (name === undefined) return;
      await run(of(name).rooms.look());
      if (!(await tried(desk(name).commit({ type: 'JOIN', peer: of(name).name })))) return;
      model.invited.delete(name);
      model.members.add(name);
    },
    async decline() {
      const name = dice.pick([...model.invited]);
      if (name === undefined || dice.next(2) === 0) return;
      await run(of(name).rooms.look());
      if (await tried(desk(name).commit({ type: 'DECLINE' }))) model.invited.delete(name);
    },
    async leave() {
      const name = dice.pick(others());
      if (name !== undefined && (await tried(desk(name).commit({ type: 'LEAVE' })))) model.members.delete(name);
    },
    async kick() {
      const name = dice.pick(others());
      if (name === undefined) return;
      if (await tried(desk(owner).commit({ type: 'KICK' }, { subject: keyOf(name) }))) model.members.delete(name);
    },
    async rotate() {
      const name = dice.pick([...model.members]);
      if (name !== undefined) await tried(desk(name).commit({ type: 'REKEY', cause: 'hand' }));
    },
    async rotateAtOnce() {
      const all = [...model.members].filter(() => dice.next(2) === 0);
      await run(Promise.all(all.map((name) => tried(desk(name).commit({ type: 'REKEY', cause: 'hand' })))));
    },
    /** Whatever of it is done by then: its key is with those who may have it, or another one comes. */
    async crashInRotating() {
      const name = dice.pick([...model.members]);
      if (name === undefined) return;
      const work = tried(desk(name).commit({ type: 'REKEY', cause: 'hand' }));
      for (let turns = dice.next(12); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      await restart(name);
      await run(work);
    },
    /** Somebody publishes what was stored once more. */
    async replay() {
      const subject = `vak.rooms.acme.${room}.messages`;
      const { durable } = people.place.fabric;
      const { messages } = await run(durable.stream('VAK_ROOMS_acme').read({ subject, limit: 100 }));
      const data = dice.pick(messages)?.data;
      if (data !== undefined) await run(durable.append(subject, data));
    },
    async crash() {
      const name = dice.pick(names);
      if (name !== undefined) await restart(name);
    },
    async send() {
      const name = dice.pick([...model.members]);
      if (name === undefined) return;
      // A key that has not come yet comes first: the model says who may read what is stored, not when.
      await people.settle(of(owner), of(name));
      const text = `${name} ${model.said.length}`;
      await of(name).say(room, text);
      await run(desk(name).look());
      expect(desk(name).sender.sending(), `seed ${seed}: ${text} is stored`).toEqual([]);
      model.say(text);
    },
  };
  const once = Object.keys(acts);
  const bag = [...once, 'invite', 'invite', 'join', 'join', 'join', 'send', 'send', 'send'];
  for (let step = 0; step < steps; step++) {
    await acts[dice.pick(bag) ?? 'send']?.();
    await someLook();
  }

  for (const name of names) await run(of(name).rooms.look());
  await people.settle(...persons.values());
  // A key that was asked for is given by then, if it may be.
  await people.place.pass(31_000);
  await people.settle(...persons.values());
  for (const name of names) {
    const found = of(name)
      .rooms.list()
      .find((one) => one.room === room);
    if (found !== undefined) await run(found.reader.loadOlder(1_000));
    const texts =
      found === undefined
        ? []
        : of(name)
            .texts(room)
            .filter((text) => !text.startsWith('['));
    expect({ seed, name, texts }).toEqual({ seed, name, texts: model.readable(name) });
  }
}

test.each(Array.from({ length: seedCount }, (_, index) => index + 1))(
  'R4 R5 R6 R7 R8 whatever five peers do, in whatever order they hear of it, killed in between: who can read what is what the model says (seed %i)',
  play,
  60_000,
);
