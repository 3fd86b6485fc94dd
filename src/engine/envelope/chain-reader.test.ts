import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authorWith, draftOf, goldenEnvelope } from '../../../tests/support/envelope-fixture.ts';
import type { LinkVerdict } from '../../shared/protocol/chain-verdict.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { type ChainReader, createChainReader } from './chain-reader.ts';
import { leafOf, payloadHashOf } from './hashing.ts';

function chainOf(length: number, peer = 'ada', seed = 5): readonly Envelope[] {
  const author = authorWith({ peer, randomness: createSeededRandomness(seed) });
  const subject = `vak.events.acme.${peer}-1-e.status`;
  return Array.from({ length }, (_, n) => author.publish(draftOf(`{"n":${n}}`, subject), () => {}));
}

const chain = chainOf(8);
const at = (n: number): Envelope => chain[n] ?? goldenEnvelope;

/** A record of `peer` that says that places of its chain are void. */
function voidOf(target: Envelope, change: object = {}, peer = 'ada'): Envelope {
  const author = authorWith({ peer, kind: 'd' });
  const record = { source: target.source, seq: target.seqnum, leaf: leafOf(target), reason: 'refused', ...change };
  return author.publish(draftOf(JSON.stringify(record), `vak.audit.acme.${peer}.void`), () => {});
}

const short = (verdict: LinkVerdict): string => {
  if (verdict.kind === 'gap') return `gap ${verdict.from}-${verdict.to}`;
  return verdict.kind === 'void' ? `void ${verdict.seq}` : verdict.kind;
};
const readAll = (reader: ChainReader, envelopes: readonly Envelope[]): string[] =>
  envelopes.map((envelope) => short(reader.read(envelope).verdict));
const order = (...seqs: number[]): readonly Envelope[] => seqs.map(at);

describe('E11 a reader of chains', () => {
  test('E11 a sound chain is ok from its first envelope on; only the first is the first', () => {
    const reader = createChainReader();
    const read = chain.map((envelope) => reader.read(envelope));
    expect(read.map(({ verdict }) => verdict.kind)).toEqual(chain.map(() => 'ok'));
    expect(read.map(({ isFirst }) => isFirst)).toEqual([true, ...Array(7).fill(false)]);
    expect(read.map(({ leaf }) => leaf)).toEqual(chain.map(leafOf));
  });

  test('E11 gaps, late ones and repeats', () => {
    expect(readAll(createChainReader(), order(0, 1, 4, 2, 5, 3, 3, 7, 0))).toEqual([
      'ok',
      'ok',
      'gap 2-3',
      'reordered',
      'ok',
      'reordered',
      'reordered',
      'gap 6-6',
      'reordered',
    ]);
  });

  test('E11 chains of many sources do not disturb each other', () => {
    const others = [chainOf(8), chainOf(8, 'bob', 6), chainOf(8, 'eve', 7)];
    const mixed = Array.from({ length: 24 }, (_, n) => others[n % 3]?.[Math.floor(n / 3)] ?? goldenEnvelope);
    const reader = createChainReader();
    expect(new Set(readAll(reader, mixed))).toEqual(new Set(['ok']));
    expect(reader.summary().chains.map(({ source, lastSeq }) => `${source} ${lastSeq}`)).toEqual(
      ['ada', 'bob', 'eve'].map((peer) => `vak://acme/${peer}/${peer}-1-e 7`),
    );
  });

  test('E11 a rival at the head and at an earlier place is a fork; both branches go on', () => {
    const rival = { ...at(2), id: goldenEnvelope.id };
    expect(readAll(createChainReader(), [...order(0, 1, 2), rival, at(3)])).toEqual(['ok', 'ok', 'ok', 'fork', 'ok']);
    expect(readAll(createChainReader(), [...order(0, 1, 2, 3, 4), rival, at(5)]).slice(5)).toEqual(['fork', 'ok']);
    const after = { ...at(3), prevhash: leafOf(rival) };
    expect(readAll(createChainReader(), [...order(0, 1), rival, after]).slice(2)).toEqual(['ok', 'ok']);
  });

  test('E11 a false envelope put into a gap is a fork: its successor named the true one', () => {
    const forged = { ...at(2), id: goldenEnvelope.id };
    expect(readAll(createChainReader(), [...order(0, 1, 3), forged, at(2)])).toEqual([
      'ok',
      'ok',
      'gap 2-2',
      'fork',
      'reordered',
    ]);
  });

  test('E11 a late one that does not follow what is known before it has a forged link', () => {
    const forged = { ...at(2), prevhash: 'f'.repeat(64) };
    expect(readAll(createChainReader(), [...order(0, 1, 5), forged])[3]).toBe('forged-link');
  });

  test('E11 one forged link does not make the rest look forged', () => {
    const forged = { ...at(2), prevhash: 'f'.repeat(64) };
    expect(readAll(createChainReader(), [at(0), at(1), forged, at(2), at(3)])).toEqual([
      'ok',
      'ok',
      'forged-link',
      'fork',
      'ok',
    ]);
    const edited = { ...at(2), time: '2026-01-02T03:04:09Z' };
    expect(readAll(createChainReader(), [at(0), at(1), edited, at(3), at(4)])).toEqual([
      'ok',
      'ok',
      'ok',
      'forged-link',
      'ok',
    ]);
  });

  test('E11 a forged payload moves nothing', () => {
    const forged: Envelope = { ...at(1), data: { kind: 'none' } };
    const reader = createChainReader();
    expect(readAll(reader, [forged, at(0), forged, at(1)])).toEqual(['forged-payload', 'ok', 'forged-payload', 'ok']);
    expect(reader.read(forged).isFirst).toBe(false);
  });

  test('E11 any order of a sound chain: nothing is called forged or a fork, and nothing is missing in the end', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...chain], { minLength: chain.length }), (shuffled) => {
        const reader = createChainReader();
        const kinds = new Set(shuffled.map((envelope) => reader.read(envelope).verdict.kind));
        for (const kind of kinds) expect(['ok', 'gap', 'reordered']).toContain(kind);
        expect(reader.summary().chains).toMatchObject([{ firstSeq: 0, lastSeq: 7, missing: 0, leaf: leafOf(at(7)) }]);
      }),
    );
  });

  test('E11 a chain that is joined late begins there; a foreign one anywhere', () => {
    const reader = createChainReader();
    expect(reader.read(at(5))).toMatchObject({ verdict: { kind: 'ok' }, isFirst: true });
    const foreign = { ...goldenEnvelope, prevhash: 'f'.repeat(64) };
    expect(reader.read(foreign)).toMatchObject({ verdict: { kind: 'ok' }, isFirst: true });
    expect(createChainReader().read({ ...at(0), prevhash: 'f'.repeat(64) }).verdict.kind).toBe('forged-link');
  });
});

describe('E12 void records', () => {
  test('E12 a gap whose every place was declared void is void', () => {
    const reader = createChainReader();
    expect(readAll(reader, [at(0), voidOf(at(1)), voidOf(at(2)), at(3)])[3]).toBe('void 2');
    expect(reader.summary().chains.find(({ lastSeq }) => lastSeq === 3)?.missing).toBe(0);
  });

  test('E12 a record behind the place that it declares void is read before its own link is judged', () => {
    const author = authorWith({ kind: 'd' });
    const publish = (text: string, verb = 'action') =>
      author.publish(draftOf(text, `vak.audit.acme.ada.${verb}`), () => {});
    const [first, refused] = [publish('{"n":0}'), publish('{"n":1}')];
    const { source, seqnum: seq } = refused;
    const record = publish(JSON.stringify({ source, seq, leaf: leafOf(refused), reason: 'refused' }), 'void');
    const reader = createChainReader();
    expect(readAll(reader, [first, record])).toEqual(['ok', 'void 1']);
    expect(reader.summary()).toMatchObject({ verdicts: { gap: 0, void: 1 }, chains: [{ missing: 0 }] });
    const bent = { ...record, prevhash: 'f'.repeat(64) };
    expect(readAll(createChainReader(), [first, bent])[1]).toBe('forged-link');
    // With room for one chain alone, its own is still the one that is read.
    expect(createChainReader({ maxChains: 1 }).read(record).isFirst).toBe(true);
  });

  test('E12 one place without its record, and it is a gap', () => {
    expect(readAll(createChainReader(), [at(0), voidOf(at(2)), at(3)])[2]).toBe('gap 1-2');
  });

  test('E12 the record may come before anything else of the chain', () => {
    expect(readAll(createChainReader(), [voidOf(at(1)), at(0), at(2)])).toEqual(['ok', 'ok', 'void 1']);
  });

  test('E12 what follows a void place names its leaf, or its link is forged', () => {
    expect(readAll(createChainReader(), [at(0), voidOf(at(1), { leaf: 'f'.repeat(64) }), at(2)])[2]).toBe(
      'forged-link',
    );
  });

  test('E12 nobody declares places of another sender void', () => {
    expect(readAll(createChainReader(), [at(0), voidOf(at(1), {}, 'bob'), at(2)])[2]).toBe('gap 1-1');
    const foreign = { source: 'vak://acme/bob/bob-1-e' };
    expect(readAll(createChainReader(), [at(0), voidOf(at(1), foreign), at(2)])[2]).toBe('gap 1-1');
  });

  test.each([
    ['no JSON', 'nonsense'],
    ['another shape', '{"source":1}'],
    ['a sequence number that is none', JSON.stringify({ source: at(1).source, seq: -1, leaf: leafOf(at(1)) })],
    ['a leaf that is none', JSON.stringify({ source: at(1).source, seq: 1, leaf: 'xyz' })],
    [
      'more than a record needs',
      JSON.stringify({ source: at(1).source, seq: 1, leaf: leafOf(at(1)), x: 'x'.repeat(20_000) }),
    ],
  ])('E12 a record of %s says nothing', (_, text) => {
    const record = authorWith({ kind: 'd' }).publish(draftOf(text, 'vak.audit.acme.ada.void'), () => {});
    expect(readAll(createChainReader(), [at(0), record, at(2)])[2]).toBe('gap 1-1');
  });

  test('E12 a record whose payload was changed says nothing', () => {
    const record = voidOf(at(2));
    const changed = voidOf(at(1));
    expect(readAll(createChainReader(), [at(0), { ...record, data: changed.data }, at(2)])).toEqual([
      'ok',
      'forged-payload',
      'gap 1-1',
    ]);
  });
});

describe('E11 bounds', () => {
  test('E11 what came is counted however far out of order, beyond the places whose leaves are known', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...chain], { minLength: 2 }), (some) => {
        const reader = createChainReader({ maxPlaces: 1 });
        for (const envelope of [...some, ...some]) reader.read(envelope);
        const seqs = some.map(({ seqnum }) => seqnum);
        const [firstSeq, lastSeq] = [Math.min(...seqs), Math.max(...seqs)];
        const missing = lastSeq - firstSeq + 1 - some.length;
        expect(reader.summary()).toMatchObject({ chains: [{ firstSeq, lastSeq, missing }], uncounted: 0 });
      }),
    );
  });

  test('E11 as many voids as there are: none is missing', () => {
    const reader = createChainReader({ maxPlaces: 2 });
    expect(readAll(reader, [at(0), ...order(1, 2, 3, 4, 5, 6).map((one) => voidOf(one)), at(7)]).at(-1)).toBe('void 6');
    expect(reader.summary().chains.find(({ lastSeq }) => lastSeq === 7)?.missing).toBe(0);
  });

  test.each([{ maxRanges: 2 }, { maxAllRanges: 2 }])(
    'E11 beyond %j what is scattered is uncounted, and may be missing',
    (limits) => {
      const reader = createChainReader(limits);
      readAll(reader, order(7, 0, 2, 4, 6, 1));
      expect(reader.summary()).toMatchObject({ uncounted: 2, chains: [{ firstSeq: 0, lastSeq: 7, missing: 4 }] });
      readAll(reader, order(5, 4, 3, 2));
      expect(reader.summary()).toMatchObject({ uncounted: 2, chains: [{ missing: 0 }] });
    },
  );

  test('E11 a chain that is forgotten gives its room back', () => {
    const reader = createChainReader({ maxChains: 1, maxAllRanges: 1 });
    for (const one of [at(0), chainOf(1, 'bob', 6)[0], at(3)]) reader.read(one as Envelope);
    expect(reader.summary()).toMatchObject({ uncounted: 0, forgottenChains: 2 });
  });

  test('E11 the source that was silent for longest is forgotten, and begins anew', () => {
    const reader = createChainReader({ maxChains: 2 });
    const [ada, bob, eve] = [chainOf(3), chainOf(3, 'bob', 6), chainOf(3, 'eve', 7)];
    for (const one of [ada[0], bob[0], ada[1], eve[0]]) if (one !== undefined) reader.read(one);
    expect(reader.read(ada[2] as Envelope).isFirst).toBe(false);
    expect(reader.read(bob[1] as Envelope).isFirst).toBe(true);
    expect(reader.summary()).toMatchObject({ forgottenChains: 2, envelopes: 6 });
    expect(reader.summary().chains).toHaveLength(2);
  });

  test('E11 places that were forgotten: an old envelope is late, never forged or a fork', () => {
    const reader = createChainReader({ maxPlaces: 3 });
    readAll(reader, chain);
    expect(readAll(reader, [at(0), { ...at(1), id: goldenEnvelope.id }, at(2)])).toEqual(Array(3).fill('reordered'));
    expect(reader.summary().chains[0]).toMatchObject({ firstSeq: 0, lastSeq: 7, missing: 0 });
  });

  test('E11 repeats of what was forgotten hide nothing that is missing, nor do voids of what came', () => {
    const reader = createChainReader({ maxPlaces: 3 });
    readAll(reader, order(0, 1, 2, 3, 4, 6, 7, 0, 1, 2));
    expect(reader.summary().chains[0]).toMatchObject({ firstSeq: 0, lastSeq: 7, missing: 1 });
    const other = createChainReader();
    readAll(other, [at(0), voidOf(at(1)), at(1), at(3)]);
    expect(other.summary().chains.find(({ lastSeq }) => lastSeq === 3)?.missing).toBe(1);
  });

  test('E11 sequence numbers at the end of their range are read in no time', () => {
    const last = { ...at(1), seqnum: Number.MAX_SAFE_INTEGER };
    expect(readAll(createChainReader(), [at(0), voidOf(at(1)), last])[2]).toBe(`gap 1-${Number.MAX_SAFE_INTEGER - 1}`);
  });

  test('E11 the summary counts every verdict', () => {
    const reader = createChainReader();
    readAll(reader, [...order(0, 2, 2), { ...at(3), data: { kind: 'none' } }]);
    expect(reader.summary()).toEqual({
      envelopes: 4,
      verdicts: {
        ...{ ok: 1, gap: 1, void: 0, fork: 0, reordered: 1 },
        ...{ 'forged-payload': 1, 'forged-link': 0, 'foreign-source': 0 },
      },
      chains: [{ source: at(0).source, firstSeq: 0, lastSeq: 2, leaf: leafOf(at(2)), missing: 1 }],
      forgottenChains: 0,
      uncounted: 0,
    });
    expect(payloadHashOf(at(3))).toBe(at(3).payloadhash);
  });
});
