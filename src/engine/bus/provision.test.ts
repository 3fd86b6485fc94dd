import { expect, it } from 'vitest';
import { type ErrorCode, VakError } from '../../shared/base/vak-error.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import type { DurablePlane, Provisioned } from './durable.ts';
import { keyValuesOf, provision } from './provision.ts';

/** A plane that only notes what is made. */
function notingPlane(outcome: Provisioned): { plane: DurablePlane; made: string[] } {
  const made: string[] = [];
  const note = async (kind: string, name: string, dryRun = false): Promise<Provisioned> => {
    made.push(`${kind} ${name}${dryRun ? ' dry' : ''}`);
    return outcome;
  };
  const plane: Pick<DurablePlane, 'ensureStream' | 'ensureKeyValue'> = {
    ensureStream: ({ name }, options) => note('stream', name, options?.dryRun),
    ensureKeyValue: ({ name }, options) => note('key-value', name, options?.dryRun),
  };
  return { plane: plane as DurablePlane, made };
}

it('B3 every stream and bucket of the table is made, in its order, and told of', async () => {
  const { plane, made } = notingPlane('created');
  const parts = await provision(plane, 'ws', { dryRun: true });
  const streams = ['WORK', 'INBOX', 'RECEIPTS', 'APPROVALS', 'DLQ', 'ROOMS', 'KEYS', 'AUDIT', 'CHAIN', 'ADV'];
  const buckets = ['CARDS', 'GRANTS', 'STATE'];
  expect(made).toEqual([
    ...streams.map((name) => `stream VAK_${name}_ws dry`),
    ...buckets.map((name) => `key-value VAK_${name}_ws dry`),
  ]);
  expect(parts.map(({ kind, name }) => `${kind} ${name} dry`)).toEqual(made);
  expect(new Set(parts.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
});

it('I4 superseded grants are kept as far as a bucket can', () => {
  expect(keyValuesOf('ws')).toContainEqual({ name: 'VAK_GRANTS_ws', history: 64 });
});

it('S1 a workspace or peer that is no token is refused, and two pairs of names never share a bucket', async () => {
  await expect(provision(notingPlane('created').plane, 'a.b')).rejects.toMatchObject({ code: 'invalid-subject' });
  expect(() => mediaBucket('ws', 'a b')).toThrow(/peer/);
  expect(mediaBucket('ws', 'anna')).toBe('VAK_MEDIA_2_ws_anna');
  expect(mediaBucket('a_b', 'c')).not.toBe(mediaBucket('a', 'b_c'));
});

it('A30 B3 a writer’s bucket that is refused is told of, and keeps no other from being made; a lost connection ends it', async () => {
  const { plane, made } = notingPlane('created');
  const failing = (code: ErrorCode): DurablePlane => ({
    ...plane,
    async ensureObjects(name) {
      if (name.endsWith('_ben')) throw new VakError(code, 'no');
      made.push(name);
      return 'created';
    },
  });
  const failed: string[] = [];
  const options = {
    writers: ['anna', 'ben', 'carl'],
    onFailed: ({ name }: { name: string }, { code }: VakError) => void failed.push(`${name} ${code}`),
  };
  const parts = await provision(failing('unauthorized'), 'ws', options);
  expect(failed).toEqual(['VAK_MEDIA_2_ws_ben unauthorized']);
  expect(made.slice(-2)).toEqual(['VAK_MEDIA_2_ws_anna', 'VAK_MEDIA_2_ws_carl']);
  expect(parts.filter(({ kind }) => kind === 'objects')).toHaveLength(2);
  await expect(provision(failing('disconnected'), 'ws', options)).rejects.toMatchObject({ code: 'disconnected' });
  await expect(provision(failing('unauthorized'), 'ws', { writers: ['ben'] })).rejects.toMatchObject({
    code: 'unauthorized',
  });
});
