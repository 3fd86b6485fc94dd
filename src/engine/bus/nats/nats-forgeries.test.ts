import { expect, it } from 'vitest';
import type { VakError } from '../../../shared/base/vak-error.ts';
import { createForgeryWatch } from './nats-forgeries.ts';
import { createTokens } from './nats-tokens.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

function watched() {
  const told: VakError[] = [];
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  return { told, clock, watch: createForgeryWatch({ clock, onForged: (error) => told.push(error) }) };
}

it('A23 a second answer that differs is told, and one that is the same, or to what is not known, is not', () => {
  const { told, watch } = watched();
  watch.answered('t', { subject: 'vak.work.ws.q.task', data: bytes('{"seq":1}') });
  watch.late('t', { data: bytes('{"seq":1}') });
  watch.late('other', { data: bytes('{"seq":2}') });
  expect(told).toEqual([]);
  watch.late('t', { data: bytes('{"seq":2}') });
  expect(told).toMatchObject([{ code: 'corrupt', message: expect.stringContaining('vak.work.ws.q.task: two') }]);
});

it('A23 a flood of forged answers is told once a second, and what is remembered is bounded', () => {
  const { told, clock, watch } = watched();
  for (let i = 0; i < 100; i++) watch.found('vak.work.ws.q.task');
  expect(told.length).toBe(1);
  clock.nowMs = 1_000;
  watch.found('vak.work.ws.q.task');
  expect(told.length).toBe(2);
  clock.nowMs = 9_000;
  for (let i = 0; i < 600; i++) watch.answered(String(i), { subject: 's', data: bytes('a') });
  watch.late('0', { data: bytes('b') });
  expect(told.length).toBe(2);
  watch.late('599', { data: bytes('b') });
  expect(told.length).toBe(3);
});

it('A23 a token is 128 fresh bits of the port’s, and none is given twice', () => {
  let drawn = 0;
  const newToken = createTokens({
    bytes: (length) => Uint8Array.from({ length }, () => (drawn++ * 37 + (drawn >> 8)) & 255),
  });
  const tokens = Array.from({ length: 600 }, newToken);
  expect(drawn).toBe(3 * 4_096);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
  const real = createTokens({ bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) });
  expect(new Set(Array.from({ length: 2_000 }, real)).size).toBe(2_000);
});
