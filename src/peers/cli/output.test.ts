import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createOutput } from './output.ts';

/** A stream that fails with this code, at once or later. */
function failing(code: string, isLate: boolean): Writable {
  const error = Object.assign(new Error('no'), { code });
  return new Writable({ write: (_chunk, _encoding, done) => void (isLate ? setImmediate(done, error) : done(error)) });
}

const taking = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

test.each([true, false])(
  'vak: a reader that has gone is no failure; what cannot be written is one (late: %j)',
  async (isLate) => {
    for (const [code, why] of [
      ['EPIPE', undefined],
      ['ENOSPC', /^stdout: cannot be written \(ENOSPC\)/],
      ['EIO', /^stdout: cannot be written \(EIO\)/],
      ['EFBIG', /^stdout: cannot be written \(EFBIG\)/],
    ] as const) {
      const output = createOutput(failing(code, isLate), taking());
      output.print('one');
      output.data({}, 'two');
      await output.flush();
      expect(await output.isTaken()).toBe(false);
      expect(output.failure()?.message).toEqual(why === undefined ? undefined : expect.stringMatching(why));
    }
  },
);

test('vak: talk that nobody can hear does not change what was done', async () => {
  const output = createOutput(taking(), failing('ENOSPC', false));
  output.talk('hello');
  output.complain('it is so');
  output.print('data');
  await output.flush();
  expect([output.failure(), await output.isTaken()]).toEqual([undefined, true]);
});

test('vak: what is full is waited for until it drains or closes', async () => {
  const pending: (() => void)[] = [];
  const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void pending.push(() => done()) });
  const output = createOutput(slow, taking());
  output.print('more than one');
  let isReady = false;
  const ready = output.isTaken().then((isTaken) => {
    isReady = true;
    return isTaken;
  });
  await new Promise(setImmediate);
  expect(isReady).toBe(false);
  pending.shift()?.();
  expect(await ready).toBe(true);
  output.print('again');
  const never = output.isTaken();
  slow.destroy();
  expect(await never).toBe(false);
});
