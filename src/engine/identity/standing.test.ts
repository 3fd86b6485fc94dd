import { describe, expect, it } from 'vitest';
import { grantWith, root, signerOf } from '../../../tests/support/identity-fixture.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import type { Stored } from '../ports/directory.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createStandings, type Standing, watchStanding } from './standing.ts';

const sign = signerOf(1).nkey;
const startMs = 1_000_000;

/** A directory that another process writes: nobody is told before it is looked at. */
function open() {
  const clock = createFakeClock(startMs);
  let stored: readonly Stored<Grant>[] = [];
  let seen = stored;
  const listeners = new Set<() => void>();
  const directory = {
    grants: () => seen,
    look() {
      if (seen === stored) return;
      seen = stored;
      for (const listener of [...listeners]) listener();
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
  };
  const standing = createStandings({ workspace: 'acme', directory, rootPublic: root.nkey, clock });
  const told: Standing[] = [];
  return {
    ...{ clock, directory, standing, told, listeners },
    put(...fields: Parameters<typeof grantWith>) {
      stored = [...stored, { record: grantWith(...fields), storedMs: clock.now() }];
    },
    watch: () =>
      watchStanding({ peer: 'ada', sign, standing, directory, clock, onChange: (now) => void told.push(now) }),
  };
}

const worker = { roles: ['worker' as const], queues: ['q'] };

describe('a peer’s standing', () => {
  it('I4 follows the newest grant, and a newer one without a role ends it within one heartbeat', () => {
    const { put, directory, clock, told, watch } = open();
    put(worker);
    directory.look();
    const watching = watch();
    clock.advance(60_000);
    expect(told).toEqual([]);
    put({ roles: ['worker', 'observer'], queues: ['q', 'r'], serial: 2 });
    clock.advance(2_000);
    expect(told).toEqual([{ kind: 'held', roles: ['worker', 'observer'], queues: ['q', 'r'] }]);
    put({ roles: [], serial: 3 });
    clock.advance(5_000);
    expect(told.slice(1)).toEqual([{ kind: 'over', why: 'its grant was revoked' }]);
    watching.dispose();
    expect(clock.timerCount).toBe(0);
  });

  it('I4 a grant ends by its time, too, and with another key', () => {
    const { put, directory, clock, standing, told, watch } = open();
    put({ ...worker, notAfter: startMs / 1_000 + 10 });
    directory.look();
    const watching = watch();
    clock.advance(9_000);
    expect(told).toEqual([]);
    clock.advance(5_000);
    expect(told).toEqual([{ kind: 'over', why: 'its grant has ended' }]);
    watching.dispose();
    expect(standing('ada', signerOf(2).nkey)).toEqual({ kind: 'over', why: 'another key was granted its name' });
  });

  it('I4 what the root did not sign, and what goes back, changes nothing', () => {
    const { put, directory, clock, told, watch } = open();
    put({ ...worker, serial: 5 });
    directory.look();
    const watching = watch();
    put({ roles: [], serial: 6 }, signerOf(9));
    put({ roles: [], serial: 4 });
    clock.advance(10_000);
    expect(told).toEqual([]);
    watching.dispose();
  });
});
