import { expect, it } from 'vitest';
import type { KeptLimits, StreamHolding } from '../../../shared/contract/settings-contract.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import { streamKindOf } from '../../../shared/settings/kept-streams.ts';
import { formatBytes, unitSpace } from '../../ui/format.ts';
import { ageWords, bytesWords, differenceWords, fillOf, fullWords, ownerWords, purposeOf } from './retention-words.ts';

const dayMs = 86_400_000;
const limits = (more: Partial<KeptLimits> = {}): KeptLimits => ({
  ...{ retention: 'limits', maxAgeMs: 90 * dayMs, maxBytes: 1 << 30, whenFull: 'drop-old', ...more },
});
const holding = (more: Partial<StreamHolding> = {}): StreamHolding => ({
  ...{ kind: 'DLQ', name: 'VAK_DLQ_ws', kept: limits(), asked: limits(), messageCount: 1, bytes: 1 << 29, ...more },
});

it('B3 every stream of the table has a word for what it is', () => {
  for (const spec of streamsOf('ws')) expect(purposeOf(streamKindOf(spec, 'ws')), spec.name).not.toBe('');
});

it('B3 limits are said with their unit, and what has none says so', () => {
  expect([ageWords(limits()), bytesWords(limits()), fullWords(limits())]).toEqual([
    `90${unitSpace}d`,
    formatBytes(1 << 30),
    'the oldest go',
  ]);
  const work = limits({ retention: 'until-done', maxAgeMs: null, whenFull: 'refuse-new' });
  expect([ageWords(work), fullWords(work)]).toEqual(['until done', 'new ones refused']);
  const rooms = limits({ maxAgeMs: null, maxBytes: null });
  expect([ageWords(rooms), bytesWords(rooms), fullWords(rooms)]).toEqual(['no end', 'no bound', '–']);
  expect([fillOf(holding()), fillOf(holding({ kept: rooms })), fillOf(holding({ kept: null }))]).toEqual([
    ...[0.5, undefined, undefined],
  ]);
});

it('B3 a stream that keeps otherwise than it is asked to says what was asked, and who may change it', () => {
  expect(differenceWords(holding())).toBeUndefined();
  expect(differenceWords(holding({ kept: null }))).toBe('not there');
  const asked = limits({ maxAgeMs: 7 * dayMs, maxBytes: 1 << 25 });
  expect(differenceWords(holding({ asked }))).toBe(`asked: age 7${unitSpace}d, ${formatBytes(1 << 25)}`);
  expect(ownerWords('remote')).toContain('vak provision');
  expect([ownerWords('embedded'), ownerWords(undefined)]).toEqual([ownerWords('managed'), ownerWords('managed')]);
});
