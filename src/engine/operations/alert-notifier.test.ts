import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import type { Notice } from '../ports/notifier.ts';
import { type Alert, createAlertNotifier } from './alert-notifier.ts';

function createKit() {
  const clock = createFakeClock();
  const shown: Notice[] = [];
  const state = { isInFront: false, isOn: true, isLocked: false };
  const alerts = createAlertNotifier({
    notifier: { show: (notice) => shown.push(notice), isInFront: () => state.isInFront },
    clock,
    isOn: () => state.isOn,
    isLocked: () => state.isLocked,
  });
  /** Everything that is new from here on is told. */
  alerts.follow([]);
  return { clock, shown, state, alerts, titles: () => shown.map(({ title }) => title) };
}

const incident = (id: string): Alert => ({ id, kind: 'lost', title: `${id} is lost`, body: 'b' });
const approval = (id: string): Alert => ({ id, kind: 'approval', title: `${id} asks`, body: 'b' });

test('product.md one notification for each opening, none for what stays open', () => {
  const { alerts, titles, clock } = createKit();
  alerts.follow([incident('a')]);
  for (let again = 0; again < 5; again++) {
    clock.advance(20_000);
    alerts.follow([incident('a')]);
  }
  expect(titles()).toEqual(['a is lost']);
  alerts.follow([]);
  alerts.follow([incident('a')]);
  expect(titles()).toEqual(['a is lost', 'a is lost']);
});

test('product.md what is open at the first look is no news', () => {
  const { alerts, titles } = createKit();
  alerts.begin();
  alerts.follow([incident('a'), approval('b')]);
  expect(titles()).toEqual([]);
  alerts.follow([incident('a'), approval('b'), approval('c')]);
  expect(titles()).toEqual(['c asks']);
});

test('product.md at most one in ten seconds; the others are summed up', () => {
  const { alerts, titles, clock } = createKit();
  const open = [incident('a')];
  alerts.follow(open);
  for (const id of ['b', 'c', 'd', 'e']) {
    clock.advance(1_000);
    open.push(incident(id));
    alerts.follow(open);
  }
  open.push(approval('f'));
  alerts.follow(open);
  expect(titles()).toEqual(['a is lost']);
  clock.advance(5_999);
  expect(titles()).toHaveLength(1);
  clock.advance(1);
  expect(titles()).toEqual(['a is lost', '4 more incidents, 1 more approval']);
  clock.advance(60_000);
  expect(titles()).toHaveLength(2);
});

test('product.md several at once are one, and a single late one keeps its words', () => {
  const { alerts, titles, clock } = createKit();
  alerts.follow([incident('a'), incident('b')]);
  expect(titles()).toEqual(['2 incidents']);
  alerts.follow([incident('a'), incident('b'), approval('c')]);
  clock.advance(10_000);
  expect(titles()).toEqual(['2 incidents', 'c asks']);
});

test('product.md none while the window is in front, then or when its turn comes', () => {
  const { alerts, titles, clock, state } = createKit();
  state.isInFront = true;
  alerts.follow([incident('a')]);
  state.isInFront = false;
  alerts.follow([incident('a')]);
  expect(titles()).toEqual([]);
  alerts.follow([incident('a'), incident('b')]);
  alerts.follow([incident('a'), incident('b'), incident('c')]);
  state.isInFront = true;
  clock.advance(20_000);
  expect(titles()).toEqual(['b is lost']);
});

test('product.md what is over, acknowledged or muted before its turn is not told', () => {
  const { alerts, titles, clock } = createKit();
  alerts.follow([incident('a')]);
  alerts.follow([incident('a'), incident('b')]);
  alerts.follow([incident('a')]);
  clock.advance(20_000);
  expect(titles()).toEqual(['a is lost']);
});

test('product.md none while they are off, and none later for what came then', () => {
  const { alerts, titles, state } = createKit();
  state.isOn = false;
  alerts.follow([incident('a')]);
  state.isOn = true;
  alerts.follow([incident('a')]);
  expect(titles()).toEqual([]);
});

test('I3 while the key store is locked nothing of the workspace is told', () => {
  const { alerts, shown, clock, state } = createKit();
  state.isLocked = true;
  alerts.follow([approval('worker-7')]);
  alerts.follow([approval('worker-7'), incident('render')]);
  clock.advance(10_000);
  expect(shown.map(({ title }) => title)).toEqual(['An approval waits', 'New: 1 incident']);
  expect(shown.at(-1)?.body).toBe('Unlock the workbench to see it.');
  expect(JSON.stringify(shown)).not.toMatch(/worker-7|render/);
});

test('product.md nothing is left running', () => {
  const { alerts, clock } = createKit();
  alerts.follow([incident('a')]);
  alerts.follow([incident('a'), incident('b')]);
  expect(clock.timerCount).toBe(1);
  alerts.dispose();
  expect(clock.timerCount).toBe(0);
});
