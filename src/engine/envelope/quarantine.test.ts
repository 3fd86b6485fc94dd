import { expect, it } from 'vitest';
import type { HeldMessage } from '../feeds/message-buffer.ts';
import { createQuarantine } from './quarantine.ts';

function heldAt(seq: number, sizeBytes = 10): HeldMessage {
  const trust = { link: undefined, seal: 'none', signature: 'none', refusal: undefined, isAccepted: false } as const;
  return { seq, atMs: seq * 1000, subject: 's', data: new Uint8Array(sizeBytes), trust };
}

it('E8 counts every refusal by its reason, and keeps the newest within its bounds, newest first', () => {
  let changes = 0;
  const quarantine = createQuarantine({ onChange: () => changes++ });
  for (let seq = 1; seq <= 1000; seq++) {
    quarantine.add(heldAt(seq), { reason: seq % 4 === 0 ? 'plain' : 'signature', why: `because ${seq}` });
  }
  const state = quarantine.state();
  expect(changes).toBe(1000);
  expect(state.refusedCount).toBe(1000);
  expect(state.countByReason).toMatchObject({ plain: 250, signature: 750, malformed: 0 });
  expect(state.recent).toHaveLength(256);
  expect(state.capacity).toBe(256);
  expect(state.recent[0]).toEqual({
    seq: 1000,
    atMs: 1_000_000,
    subject: 's',
    sizeBytes: 10,
    reason: 'plain',
    why: 'because 1000',
  });
  expect(state.recent.at(-1)?.seq).toBe(745);
  expect(quarantine.get(744)).toBeUndefined();
  expect(quarantine.get(745)?.seq).toBe(745);
});

it('E8 is bounded by bytes too, and keeps the newest message however large', () => {
  const mebibyte = 1024 * 1024;
  const quarantine = createQuarantine({ onChange: () => {} });
  for (let seq = 1; seq <= 20; seq++) quarantine.add(heldAt(seq, mebibyte), { reason: 'plain', why: '' });
  expect(quarantine.state().recent.map(({ seq }) => seq)).toEqual([20, 19, 18, 17, 16, 15, 14, 13]);
  quarantine.add(heldAt(21, 9 * mebibyte), { reason: 'plain', why: '' });
  expect(quarantine.state().recent.map(({ seq }) => seq)).toEqual([21]);
  expect(quarantine.state().refusedCount).toBe(21);
});

it('E21 what is judged anew stays in its place under its new reason, or leaves; the counts go along, also of what gave way', () => {
  let changes = 0;
  const quarantine = createQuarantine({ onChange: () => changes++ });
  const before = { reason: 'signature', why: 'not granted' } as const;
  for (let seq = 1; seq <= 300; seq++) quarantine.add(heldAt(seq, 100), before);
  changes = 0;
  quarantine.change(heldAt(299), before, { reason: 'chain', why: 'a repeat' });
  quarantine.change(heldAt(300, 100), before, undefined);
  quarantine.change(heldAt(1, 100), before, undefined);
  const { refusedCount, countByReason, recent } = quarantine.state();
  expect(changes).toBe(3);
  expect(refusedCount).toBe(298);
  expect(countByReason).toMatchObject({ signature: 297, chain: 1 });
  expect(recent).toHaveLength(255);
  expect(recent[0]).toMatchObject({ seq: 299, reason: 'chain', why: 'a repeat' });
  expect(quarantine.get(300)).toBeUndefined();
  expect(quarantine.get(1)).toBeUndefined();
  // What leaves makes room.
  const large = createQuarantine({ onChange: () => {} });
  for (let seq = 1; seq <= 8; seq++) large.add(heldAt(seq, 1024 * 1024), before);
  large.change(heldAt(1, 1024 * 1024), before, undefined);
  large.add(heldAt(9, 1024 * 1024), before);
  expect(large.state().recent).toHaveLength(8);
});
