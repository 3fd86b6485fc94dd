import { expect, it } from 'vitest';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import { configOf, differences, specOf } from './nats-stream-config.ts';

it('B3 every stream of the table is asked for so, and read back as it is', () => {
  for (const spec of streamsOf('ws')) {
    const config = configOf(spec);
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    expect(specOf(config)).toEqual(spec);
    expect(differences(config, { ...config, num_replicas: 3, description: 'theirs' })).toEqual([]);
  }
  const audit = streamsOf('ws').find(({ name }) => name === 'VAK_AUDIT_ws');
  expect(audit && JSON.stringify(configOf(audit))).toContain('"max_age":34560000000000000,');
});

it('B3 what differs is told by field; what no server changes is a conflict that names it', () => {
  const [spec] = streamsOf('ws');
  if (spec === undefined) throw new Error('the table is empty');
  const wanted = configOf(spec);
  const { deny_purge: _, ...without } = wanted;
  expect(differences(wanted, without)).toEqual([]);
  expect(differences(wanted, { ...wanted, max_bytes: 1, discard: 'old', subjects: ['x'] })).toEqual([
    ...['subjects', 'discard', 'max_bytes'],
  ]);
  for (const [field, value] of Object.entries({
    retention: 'limits',
    storage: 'memory',
    sealed: true,
    deny_delete: true,
  })) {
    expect(() => differences(wanted, { ...wanted, [field]: value })).toThrow(
      expect.objectContaining({ code: 'conflict', details: { field } }),
    );
  }
});

it('B3 the window of ids lies within the age, for the server takes no other', () => {
  const [spec] = streamsOf('ws');
  if (spec === undefined) throw new Error('the table is empty');
  expect(configOf({ ...spec, maxAgeMs: 1_000 })).toMatchObject({ max_age: 1e9, duplicate_window: 1e9 });
  expect(configOf({ ...spec, dedupeWindowMs: 0 })).toMatchObject({ max_age: 0, duplicate_window: 1e6 });
});
