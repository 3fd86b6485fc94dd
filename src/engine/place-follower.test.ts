import { expect, test } from 'vitest';
import { VakError } from '../shared/base/vak-error.ts';
import { createPlaceFollower, type FollowerState } from './place-follower.ts';
import { createFakeClock } from './ports/fake-clock.ts';
import { createSilentLogger } from './ports/logger.ts';
import { createDeferred } from './wait.ts';

interface Place {
  readonly name: string;
}

const a: Place = { name: 'a' };
const b: Place = { name: 'b' };

function setUp() {
  const clock = createFakeClock();
  const at = { wanted: undefined as Place | undefined, story: [] as string[], failure: undefined as unknown };
  const states: FollowerState[] = [];
  const follower = createPlaceFollower<Place, string>({
    wanted: () => at.wanted,
    async open({ name }) {
      if (at.failure !== undefined) throw at.failure;
      at.story.push(`open ${name}`);
      return `at ${name}`;
    },
    async shut(opened, { name }) {
      at.story.push(`shut ${name} ${opened}`);
    },
    onChange: (state) => states.push(state),
    ...{ clock, logger: createSilentLogger(), event: 'test' },
  });
  return { clock, at, states, follower };
}

test('B8 what was opened for one place is shut before the next is opened, and the same place is opened once', async () => {
  const { at, follower, states, clock } = setUp();
  at.wanted = a;
  await Promise.all([follower.follow(), follower.follow()]);
  expect(follower.opened()).toBe('at a');
  at.wanted = b;
  await follower.follow();
  at.wanted = undefined;
  await follower.follow();
  expect(at.story).toEqual(['open a', 'shut a at a', 'open b', 'shut b at b']);
  expect(states.map(({ kind }) => kind)).toEqual(['running', 'off']);
  expect([follower.opened(), clock.timerCount]).toEqual([undefined, 0]);
});

test('B8 a place that is left while it is opened is shut as soon as it is open', async () => {
  const opening = createDeferred<string>();
  const story: string[] = [];
  let wanted: Place | undefined = a;
  const follower = createPlaceFollower<Place, string>({
    wanted: () => wanted,
    open: () => opening.promise,
    shut: async (opened) => void story.push(`shut ${opened}`),
    onChange: () => {},
    ...{ clock: createFakeClock(), logger: createSilentLogger(), event: 'test' },
  });
  const first = follower.follow();
  await new Promise((resolve) => setImmediate(resolve));
  wanted = undefined;
  const second = follower.follow();
  opening.resolve('a');
  await Promise.all([first, second]);
  expect(story).toEqual(['shut a']);
});

test('B8 what cannot be opened is told with its cause, and tried again after a while that grows; closed it ends', async () => {
  const { at, follower, states, clock } = setUp();
  at.wanted = a;
  at.failure = new VakError('not-found', 'no streams');
  await follower.follow();
  expect(follower.state()).toMatchObject({ kind: 'failed', error: { code: 'not-found', message: 'no streams' } });
  clock.advance(1_999);
  await follower.follow();
  expect(states).toHaveLength(1);
  clock.advance(1);
  await follower.follow();
  expect(states).toHaveLength(2);
  clock.advance(3_999);
  await follower.follow();
  expect(states).toHaveLength(2);
  at.failure = undefined;
  clock.advance(60_000);
  await follower.follow();
  expect(follower.state()).toEqual({ kind: 'running' });
  at.failure = new Error('a bug');
  at.wanted = b;
  await follower.follow();
  expect(follower.state()).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
  await follower.close();
  expect(follower.state()).toEqual({ kind: 'off' });
  expect(clock.timerCount).toBe(0);
  at.failure = undefined;
  await follower.follow();
  expect(follower.opened()).toBeUndefined();
});

test('B8 what is lost is shut, told, and opened anew at its pace; a timer that is a little early is no end of it', async () => {
  const clock = createFakeClock();
  const story: string[] = [];
  let lose = (_: VakError): void => {};
  let early = 0;
  const follower = createPlaceFollower<Place, string>({
    ...{ wanted: () => a, onChange: () => {}, lastRetryMs: 3_000, logger: createSilentLogger(), event: 'test' },
    // As the system's timers may be: half a millisecond early.
    clock: { ...clock, monotonic: () => clock.monotonic() - early },
    async open(_, lost) {
      story.push('open');
      lose = lost;
      return 'a';
    },
    shut: async () => void story.push('shut'),
  });
  await follower.follow();
  const former = lose;
  lose(new VakError('unauthorized', 'thrown out'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(follower.state()).toMatchObject({ kind: 'failed', error: { message: 'thrown out' } });
  early = 0.5;
  clock.advance(2_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect([follower.state().kind, story]).toEqual(['running', ['open', 'shut', 'open']]);
  // Of what was opened before nobody hears any more.
  former(new VakError('closed', 'late'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(follower.state().kind).toBe('running');
  await follower.close();
  expect(clock.timerCount).toBe(0);
});
