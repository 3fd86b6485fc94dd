import { expect, it } from 'vitest';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createOutflow } from './nats-outflow.ts';

const mebibyte = 1024 * 1024;

function open() {
  const clock = createFakeClock();
  const confirms: { resolve: () => void; reject: () => void }[] = [];
  let isUp = true;
  const outflow = createOutflow({
    clock,
    isUp: () => isUp,
    confirm: () =>
      new Promise((resolve, reject) => {
        confirms.push({ resolve, reject: () => reject(new Error('gone')) });
      }),
  });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  const state = async (wait: Promise<void>): Promise<string> => {
    let found = 'waiting';
    wait.then(
      () => {
        found = 'writable';
      },
      ({ code }) => {
        found = code;
      },
    );
    await settle();
    return found;
  };
  const turn = (to: boolean): void => {
    isUp = to;
  };
  return { clock, outflow, confirms, settle, state, turn };
}

it('B8 whenWritable waits past 1 MiB until the server has confirmed, one question at a time', async () => {
  const { outflow, confirms, settle, state } = open();
  outflow.add(60 * 1024);
  expect(confirms).toHaveLength(0);
  outflow.add(mebibyte);
  outflow.add(mebibyte);
  expect(confirms).toHaveLength(1);
  const wait = outflow.whenWritable();
  expect(await state(wait)).toBe('waiting');
  confirms[0]?.resolve();
  await settle();
  expect(confirms).toHaveLength(2);
  expect(await state(wait)).toBe('writable');
  confirms[1]?.resolve();
  await settle();
  expect(confirms).toHaveLength(2);
  expect(await state(outflow.whenWritable())).toBe('writable');
});

it('B8 past the hard limit there is no room, until something is confirmed', async () => {
  const { outflow, confirms, settle } = open();
  for (let i = 0; i < 16; i++) {
    expect(outflow.hasRoom(mebibyte)).toBe(true);
    outflow.add(mebibyte);
  }
  expect(outflow.hasRoom(1)).toBe(false);
  confirms[0]?.resolve();
  await settle();
  expect(outflow.hasRoom(1)).toBe(true);
  confirms[1]?.resolve();
  await settle();
  expect(outflow.hasRoom(16 * mebibyte)).toBe(true);
});

it('B8 a loss of the connection forgets what was pending; a late confirmation changes nothing', async () => {
  const { outflow, confirms, settle, state } = open();
  outflow.add(2 * mebibyte);
  const wait = outflow.whenWritable();
  outflow.reset();
  expect(await state(wait)).toBe('writable');
  outflow.add(2 * mebibyte);
  confirms[0]?.resolve();
  await settle();
  expect(confirms).toHaveLength(2);
  confirms[1]?.reject();
  await settle();
  outflow.reset();
  outflow.add(2 * mebibyte);
  expect(confirms).toHaveLength(3);
});

it('B8 while there is no connection a publisher is slowed, not held', async () => {
  const { clock, outflow, state, turn } = open();
  turn(false);
  const waits = [outflow.whenWritable(), outflow.whenWritable()];
  expect(await Promise.all(waits.map(state))).toEqual(['waiting', 'waiting']);
  clock.advance(50);
  expect(await Promise.all(waits.map(state))).toEqual(['writable', 'writable']);
  expect(clock.timerCount).toBe(0);
});

it('B2 closing rejects who waits, and holds no timer', async () => {
  const { clock, outflow, state, turn } = open();
  turn(false);
  const wait = outflow.whenWritable();
  outflow.dispose();
  expect(await state(wait)).toBe('closed');
  expect(await state(outflow.whenWritable())).toBe('closed');
  expect(clock.timerCount).toBe(0);
});
