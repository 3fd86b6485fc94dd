import { expect, it } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { readSettings } from '../../shared/settings/settings-schema.ts';
import type { Stream, StreamState } from '../bus/durable.ts';
import { lookAtHoldings } from './stream-holdings.ts';

const workspace = 'acme';
const retentionOf = (retention: object) => readSettings({ retention }).settings.retention;
const states: readonly StreamState[] = streamsOf(workspace)
  .filter(({ name }) => name !== 'VAK_KEYS_acme')
  .map((spec, at) => ({ spec, messageCount: at, bytes: at * 10, firstSeq: 1, lastSeq: at, consumerCount: 0 }));

const planeOf = (look: (name: string) => Promise<StreamState>) => ({
  stream: (name: string) => ({ state: () => look(name) }) as unknown as Stream,
});

it('B3 A13 each stream of the table is told with what it keeps, what is asked for and what it holds; one that is not there says so', async () => {
  const durable = planeOf(async (name) => {
    const found = states.find(({ spec }) => spec.name === name);
    if (found === undefined) throw new VakError('not-found', `stream ${name}: not there`);
    return found;
  });
  const retention = retentionOf({ deadLettersDays: 7 });
  const { streams, why } = await lookAtHoldings({ durable, workspace, retention });
  expect([streams?.map(({ kind }) => kind), why]).toEqual([
    ['WORK', 'INBOX', 'RECEIPTS', 'APPROVALS', 'DLQ', 'ROOMS', 'KEYS', 'AUDIT', 'CHAIN', 'ADV'],
    null,
  ]);
  const dlq = streams?.find(({ kind }) => kind === 'DLQ');
  expect([dlq?.kept?.maxAgeMs, dlq?.asked.maxAgeMs, dlq?.messageCount, dlq?.bytes]).toEqual([
    ...[90 * 86_400_000, 7 * 86_400_000, 4, 40],
  ]);
  expect(streams?.find(({ kind }) => kind === 'KEYS')).toMatchObject({ kept: null, messageCount: 0 });
});

it('B10 what cannot be read is said, with why; a bug is none of it', async () => {
  const retention = retentionOf({});
  expect(await lookAtHoldings({ durable: undefined, workspace, retention })).toMatchObject({ streams: null });
  const refused = planeOf(() => Promise.reject(new VakError('unauthorized', 'streams: not allowed')));
  expect(await lookAtHoldings({ durable: refused, workspace, retention })).toEqual({
    ...{ streams: null, why: 'streams: not allowed' },
  });
  const bug = planeOf(() => Promise.reject(new TypeError('bug')));
  await expect(lookAtHoldings({ durable: bug, workspace, retention })).rejects.toThrow('bug');
});
