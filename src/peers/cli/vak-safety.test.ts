import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { json, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';

const program = prepareVak();
const { vak, newSelf } = program;

interface Safety {
  readonly state: string;
  readonly number: string;
  readonly text: string;
  readonly compared?: string;
}

const safety = async (...args: string[]): Promise<Safety> =>
  json<Safety>((await vak(['safety', ...args, '--json'])).stdout);

function cardFile(name: string, card: object): string {
  const path = join(program.folder, name);
  writeFileSync(path, JSON.stringify(card));
  return path;
}

test('I2 vak safety: two profiles see the same number and text; compared, each is verified for the other', async () => {
  const { rootPublic } = await newSelf();
  const operatorCard = join(program.folder, 'operator.card.json');
  writeFileSync(operatorCard, (await vak(['id', 'card'])).stdout);
  program.switchProfile('bob');
  await newSelf('--identity', 'bob', '--root', rootPublic);
  const bobCard = join(program.folder, 'bob.card.json');
  writeFileSync(bobCard, (await vak(['id', 'card'])).stdout);
  const there = await safety('operator', '--card', operatorCard);
  program.switchProfile('profile');
  expect(await vak(['safety', 'bob'])).toMatchObject({
    code: 1,
    stderr: oneLine(/bob: no card of it was seen here; give --card/),
  });
  const here = await safety('bob', '--card', bobCard);
  expect(here).toMatchObject({ state: 'pinned', number: there.number, text: there.text });
  expect(here.number).toMatch(/^\d{60}$/);
  const groups = (await vak(['safety', 'bob'])).stdout.split('\n').slice(0, 3).join(' ');
  expect(groups.replaceAll(' ', '')).toBe(here.number);
  const wrong = there.number.replace(/^\d/, (digit) => String((Number(digit) + 1) % 10));
  expect(await vak(['safety', 'bob', '--compare', wrong])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('different'),
  });
  expect(await safety('bob')).toMatchObject({ state: 'pinned' });
  expect(await safety('bob', '--compare', there.text)).toMatchObject({ state: 'verified', compared: 'same' });
  expect(await safety('bob')).toMatchObject({ state: 'verified' });
}, 60_000);

test('I2 vak safety: a changed key blocks sending and is accepted only once it was compared', async () => {
  await newSelf();
  const of = { ws: 'default', peer: 'bob' };
  await safety('bob', '--card', cardFile('bob.json', cardWith({ ...of, serial: 2 }, signerOf(2))));
  const changed = cardFile('changed.json', cardWith({ ...of, serial: 3 }, signerOf(3)));
  const shown = await vak(['safety', 'bob', '--card', changed, '--json']);
  expect(shown.stderr).toMatch(/nothing is sent to bob: a card with another signing key came/);
  const { number, state } = json<Safety>(shown.stdout);
  expect(state).toBe('changed');
  expect(await vak(['safety', 'bob', '--accept'])).toMatchObject({
    code: 2,
    stderr: oneLine(/--accept: give --compare too/),
  });
  expect(await safety('bob', '--compare', number)).toMatchObject({ state: 'changed', compared: 'same' });
  const other = await vak([
    'safety',
    'bob',
    '--compare',
    `${Number(number[0]) === 0 ? 1 : 0}${number.slice(1)}`,
    '--accept',
  ]);
  expect([other.code, (await safety('bob')).state]).toEqual([1, 'changed']);
  expect(await safety('bob', '--compare', number, '--accept')).toMatchObject({ state: 'verified' });
}, 60_000);

test.each([
  [['safety', 'bob', '--card', 'CARD'], /--card: it is of bob in workspace other/],
  [['safety', 'operator'], /PEER: the keys of operator are held in this profile/],
  [['safety', 'a b'], /PEER: expected 1–64/],
])(
  'I2 vak safety: refuses %j',
  async (args, words) => {
    await newSelf();
    const card = cardFile('other.json', cardWith({ ws: 'other', peer: 'bob' }, signerOf(2)));
    const ran = await vak(args.map((one) => (one === 'CARD' ? card : one)));
    expect(ran).toMatchObject({ code: 2, stderr: oneLine(words) });
  },
  60_000,
);
