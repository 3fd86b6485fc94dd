import { expect, test } from 'vitest';
import { createSeededRandomness, type Randomness } from '../ports/randomness.ts';
import { createNoncePool } from './nonce-pool.ts';

test('E6 nonces have 12 bytes, and none comes twice over several refills', () => {
  const pool = createNoncePool(createSeededRandomness(7));
  const seen = new Set<string>();
  for (let n = 0; n < 2000; n++) {
    const nonce = pool.next();
    expect(nonce).toHaveLength(12);
    seen.add(Buffer.from(nonce).toString('hex'));
  }
  expect(seen.size).toBe(2000);
});

test('E6 a nonce stays as it is when the pool is filled again, even by a generator that uses one array for ever', () => {
  const shared = new Uint8Array(12 * 256);
  let fill = 0;
  const randomness: Randomness = { bytes: (length) => shared.subarray(0, length).fill(++fill) };
  const pool = createNoncePool(randomness);
  const first = pool.next();
  for (let n = 0; n < 600; n++) pool.next();
  expect(fill).toBeGreaterThan(1);
  expect(first).toEqual(new Uint8Array(12).fill(1));
  first.fill(9);
  expect(pool.next()).toEqual(new Uint8Array(12).fill(fill));
});

test('E6 nonces are the bytes of the generator in their order', () => {
  const pool = createNoncePool({ bytes: (length) => Uint8Array.from({ length }, (_, n) => n & 0xff) });
  expect(pool.next()).toEqual(Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
  expect(pool.next()[0]).toBe(12);
});
