import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { toBase64, toText, utf8 } from '../../shared/base/bytes.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { factsIn, readHeldTask } from './held-envelope.ts';

/** A plane with one object in one bucket. */
function planeWith(bucket: string, object: string, data: Uint8Array, sizeBytes = data.length): DurablePlane {
  const objects = (name: string) => ({
    async info(wanted: string) {
      const isIt = name === bucket && wanted === object;
      return isIt ? { name: object, sizeBytes, sha256: '', storedMs: 0 } : undefined;
    },
    async *get() {
      yield data.subarray(0, 3);
      yield data.subarray(3);
    },
  });
  return { objects } as unknown as DurablePlane;
}

const task = utf8('{"specversion":"1.0","id":"x"}');
const sha256 = hash('sha256', task, 'hex');
const bucket = 'VAK_MEDIA_4_acme_wanda';
const read = (envelope: string, durable = planeWith(bucket, 'o', task)) =>
  readHeldTask(utf8(`{"queue":"q", "envelope": ${envelope} }`), { workspace: 'acme', durable, by: 'wanda' });

test('W4 a task in its letter is given out byte for byte, whatever numbers and spaces it has', async () => {
  const text = '{ "specversion" : "1.0",\t"data":{"big":12345678901234567890,"sum":1.50e+2}, "x":"\\u00e9" }';
  expect(toText(await read(text))).toBe(text);
  expect(toText(await read(JSON.stringify(toBase64(utf8('no envelope')))))).toBe('no envelope');
  expect(factsIn({ envelope: 'AAAA' })).toEqual({ type: null, key: null });
  const sealed = { specversion: '1.0', type: 'vak.work.task', keyid: 's1.carla.20260101.x', agentid: 'carla' };
  expect(factsIn({ envelope: sealed })).toEqual({ type: 'vak.work.task', key: { keyId: sealed.keyid, peer: 'carla' } });
  expect(factsIn({ envelope: { specversion: '1.0', type: 'x'.repeat(256), keyid: 7 } as never })).toEqual({
    type: null,
    key: null,
  });
  expect(factsIn({ envelope: { bucket, object: 'o', sha256 } })).toBeUndefined();
});

test('W4 a task in the bucket of who wrote the letter is given out if it is what the letter names, and from no other bucket', async () => {
  const named = (more: object = {}) => JSON.stringify({ bucket, object: 'o', sha256, ...more });
  expect(toText(await read(named()))).toBe(toText(task));
  const cases: [string, DurablePlane | undefined, string][] = [
    [named({ sha256: '0'.repeat(64) }), undefined, 'corrupt'],
    [named({ object: 'other' }), undefined, 'not-found'],
    [named({ bucket: 'VAK_MEDIA_4_acme_olga' }), planeWith('VAK_MEDIA_4_acme_olga', 'o', task), 'corrupt'],
    [named(), planeWith(bucket, 'o', task, 2 ** 30), 'limit-exceeded'],
  ];
  for (const [envelope, plane, code] of cases) {
    expect(await failure(plane === undefined ? read(envelope) : read(envelope, plane))).toMatchObject({ code });
  }
});
