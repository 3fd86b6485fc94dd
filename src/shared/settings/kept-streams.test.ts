import { expect, it } from 'vitest';
import { streamsOf } from '../protocol/stream-table.ts';
import { keptStreamsOf, streamKindOf } from './kept-streams.ts';
import { limitRows } from './limit-rows.ts';
import { readSettings } from './settings-schema.ts';

const dayMs = 24 * 3_600_000;
const kept = (retention: object) => keptStreamsOf('acme', readSettings({ retention }).settings.retention);

it('B3 by default the streams are those of the table, to the letter', () => {
  expect(kept({})).toEqual(streamsOf('acme'));
});

it('B3 each setting bounds one limit of one stream, and no stream ever keeps more than the table says', () => {
  const table = new Map(streamsOf('acme').map((spec) => [spec.name, spec]));
  const touched = limitRows
    .filter(({ key }) => key.startsWith('retention.'))
    .map(({ key, allowed, accepts }) => {
      const least = Number.parseInt(allowed, 10);
      const most = Number(allowed.split(' ')[2]);
      expect([accepts(least), accepts(least - 1), accepts(most), accepts(most + 1)]).toEqual([
        true,
        false,
        true,
        false,
      ]);
      const field = key.slice('retention.'.length);
      expect(kept({ [field]: most })).toEqual(streamsOf('acme'));
      const changed = kept({ [field]: least }).filter((spec) => {
        const { maxAgeMs, maxBytes, ...rest } = spec;
        const { maxAgeMs: ageMs, maxBytes: bytes, ...same } = table.get(spec.name) ?? spec;
        expect(rest).toEqual(same);
        return maxAgeMs !== ageMs || maxBytes !== bytes;
      });
      expect(changed).toHaveLength(1);
      return `${field} ${changed.map((spec) => streamKindOf(spec, 'acme')).join()}`;
    });
  expect(touched).toEqual([
    ...['workMiB WORK', 'receiptsDays RECEIPTS', 'receiptsMiB RECEIPTS', 'approvalsDays APPROVALS'],
    ...['approvalsMiB APPROVALS', 'deadLettersDays DLQ', 'deadLettersMiB DLQ'],
  ]);
  const dlq = kept({ deadLettersDays: 7, deadLettersMiB: 32 }).find(({ name }) => name === 'VAK_DLQ_acme');
  expect([dlq?.maxAgeMs, dlq?.maxBytes]).toEqual([7 * dayMs, 32 * 1024 * 1024]);
});
