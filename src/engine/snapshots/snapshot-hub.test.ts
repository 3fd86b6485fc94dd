import { describe, expect, it } from 'vitest';
import { type SnapshotUpdate, snapshot } from '../../shared/contract/define-contract.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSnapshotHub } from './snapshot-hub.ts';

const contract = { a: { count: snapshot<number>() }, b: { text: snapshot<string>() } } as const;

function setUp(isVisible?: (name: 'a.count' | 'b.text') => boolean) {
  const clock = createFakeClock();
  const values = { count: 0, text: '' };
  const reads: string[] = [];
  const read = <T>(name: string, value: T): T => {
    reads.push(name);
    return value;
  };
  const hub = createSnapshotHub<typeof contract>(
    { 'a.count': () => read('a.count', values.count), 'b.text': () => read('b.text', values.text) },
    clock,
    isVisible,
  );
  const updates: SnapshotUpdate[] = [];
  hub.subscribe((update) => updates.push(update));
  return { clock, values, hub, updates, reads };
}

describe('snapshot hub', () => {
  it('sends a change at once, later ones together, at most ten times a second', () => {
    const { clock, values, hub, updates } = setUp();
    for (let ms = 0; ms < 999; ms++) {
      values.count++;
      hub.changed('a.count');
      clock.advance(1);
    }
    expect(updates).toHaveLength(10);
    clock.advance(100);
    expect(updates.at(-1)).toEqual({ name: 'a.count', version: 11, text: '999' });
    expect(updates.map((update) => update.version)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
  });

  it('sends nothing that has not changed', () => {
    const { clock, hub, values, updates } = setUp();
    values.text = 'x';
    hub.changed('b.text');
    clock.advance(200);
    hub.changed('b.text');
    clock.advance(200);
    expect(updates).toHaveLength(1);
  });

  it('gives every current value, and its version never falls behind one that was sent', () => {
    const { clock, hub, values, updates } = setUp();
    hub.changed('a.count');
    clock.advance(10);
    values.count = 5;
    expect(hub.current()).toEqual([
      { name: 'a.count', version: 2, text: '5' },
      { name: 'b.text', version: 1, text: '""' },
    ]);
    values.count = 6;
    hub.changed('a.count');
    clock.advance(200);
    expect(updates.at(-1)).toEqual({ name: 'a.count', version: 3, text: '6' });
  });

  it('a change that somebody’s first look finds is sent to those who listen already', () => {
    const { clock, hub, values, updates } = setUp();
    hub.changed('a.count');
    clock.advance(200);
    values.count = 5;
    hub.changed('a.count');
    expect(hub.current()[0]).toEqual({ name: 'a.count', version: 2, text: '5' });
    const sent = (): unknown[] => updates.filter(({ name }) => name === 'a.count').map(({ text }) => Number(text));
    expect(sent()).toEqual([0, 5]);
    clock.advance(200);
    expect(sent()).toEqual([0, 5]);
  });

  it('what may not be seen is neither read nor sent; what may be seen again comes whole, changed or not', () => {
    let isOpen = true;
    const { clock, hub, values, updates, reads } = setUp((name) => isOpen || name === 'b.text');
    hub.changed('a.count');
    hub.changed('b.text');
    clock.advance(200);
    const [count, text] = updates.map(({ version }) => version) as [number, number];
    // A change that waits when it closes is not sent any more.
    values.count = 7;
    hub.changed('a.count');
    isOpen = false;
    hub.resend();
    reads.length = 0;
    updates.length = 0;
    clock.advance(200);
    values.count = 8;
    hub.changed('a.count');
    clock.advance(200);
    expect(hub.current().map(({ name }) => name)).toEqual(['b.text']);
    expect(updates).toEqual([{ name: 'b.text', version: text + 1, text: '""' }]);
    expect(reads).not.toContain('a.count');
    values.count = 0;
    isOpen = true;
    hub.resend();
    clock.advance(200);
    expect(updates.slice(1).sort((left, right) => left.name.localeCompare(right.name))).toEqual([
      { name: 'a.count', version: count + 1, text: '0' },
      { name: 'b.text', version: text + 2, text: '""' },
    ]);
    expect(hub.current()).toEqual([
      { name: 'a.count', version: count + 1, text: '0' },
      { name: 'b.text', version: text + 2, text: '""' },
    ]);
  });

  it('P14 a large value goes out less often, small ones beside it as ever; the last change of it arrives', () => {
    const { clock, values, hub, updates } = setUp();
    const large = 'x'.repeat(360 * 1024);
    const seconds = 20;
    for (let ms = 0; ms < seconds * 1000; ms += 10) {
      values.count = ms;
      values.text = `${ms} ${large}`;
      hub.changed('a.count');
      hub.changed('b.text');
      clock.advance(10);
    }
    const sent = (name: string) => updates.filter((update) => update.name === name);
    const characters = sent('b.text').reduce((sum, { text }) => sum + text.length, 0);
    expect(characters / seconds).toBeLessThanOrEqual((512 + 360) * 1024);
    expect(characters / seconds).toBeGreaterThan(360 * 1024);
    expect(sent('a.count').length).toBeGreaterThanOrEqual(10 * seconds);
    clock.advance(1000);
    expect(sent('b.text').at(-1)?.text.slice(0, 8)).toBe('"19990 x');
    expect(clock.timerCount).toBe(0);
  });

  it('P14 what a large value waits for is dropped with it when it may not be seen any more', () => {
    let isOpen = true;
    const { clock, values, hub, updates } = setUp((name) => isOpen || name === 'a.count');
    values.text = 'x'.repeat(1024 * 1024);
    hub.changed('b.text');
    clock.advance(10);
    values.text = 'secret';
    hub.changed('b.text');
    clock.advance(200);
    isOpen = false;
    clock.advance(60_000);
    expect(updates).toHaveLength(1);
    expect(clock.timerCount).toBe(0);
  });

  it('is silent once it is disposed, and leaves no timer', () => {
    const { clock, hub, values, updates } = setUp();
    hub.changed('a.count');
    clock.advance(10);
    values.count = 1;
    hub.changed('a.count');
    hub.dispose();
    expect(clock.timerCount).toBe(0);
    clock.advance(1000);
    expect(updates).toHaveLength(1);
  });
});
