import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { diffFacts, diffPayloads } from './message-diff.ts';

const jsonDiff = (a: string, b: string) => {
  const diff = diffPayloads(utf8(a), utf8(b));
  if (diff.kind !== 'json') throw new Error(`compared as ${diff.kind}`);
  return diff.differences.map(({ name, a: left, b: right }) => `${name}: ${left} → ${right}`);
};

describe('V10 the difference of two messages', () => {
  it('tells values of JSON by path, as they stand: no digit is rounded', () => {
    expect(
      jsonDiff(
        '{"id":9007199254740993,"n":1.0,"same":[1,{"a":2}],"gone":"x","deep":{"list":[1,2]}}',
        '{"id":9007199254740992,"n":1,"deep":{"list":[1,3,4]},"same": [1, {"a": 2}],"new key":null}',
      ),
    ).toEqual([
      'payload.id: 9007199254740993 → 9007199254740992',
      'payload.n: 1.0 → 1',
      'payload.gone: "x" → null',
      'payload.deep.list[1]: 2 → 3',
      'payload.deep.list[2]: null → 4',
      'payload."new key": null → null',
    ]);
  });

  it('of names that stand twice each has its turn; an escape is the character that it stands for', () => {
    expect(jsonDiff('{"a":1,"a":2,"s":"\\u0061"}', '{"a":1,"a":3,"s":"a"}')).toEqual(['payload.a#2: 2 → 3']);
    expect(jsonDiff('{"a":[]}', '{"a":{}}')).toEqual(['payload.a: [] → {}']);
  });

  it('tells text by line and bytes by row, and says what it leaves out', () => {
    expect(diffPayloads(utf8('one\ntwo'), utf8('one\n2'))).toMatchObject({
      kind: 'lines',
      lines: [{ kind: 'same' }, { kind: 'removed', text: 'two' }, { kind: 'added', text: '2' }],
    });
    expect(diffPayloads(Uint8Array.of(0xff, 1), Uint8Array.of(0xff, 2))).toEqual({
      kind: 'hex',
      differences: [{ name: '00000000', a: 'ff 01', b: 'ff 02' }],
      leftOut: 0,
    });
    expect(diffPayloads(new Uint8Array(16_000).fill(0xfe), new Uint8Array(16_000).fill(0xff))).toMatchObject({
      kind: 'hex',
      leftOut: 500,
    });
    const many = (value: number): string => JSON.stringify(Array.from({ length: 700 }, () => value));
    expect(diffPayloads(utf8(many(1)), utf8(many(2)))).toMatchObject({ kind: 'json', leftOut: 200 });
    expect(diffPayloads(utf8('{}'), utf8('{}'))).toEqual({ kind: 'same' });
  });

  it('tells facts and attributes by name, also of a foreign message, which has none', () => {
    const trust = { attributes: [], contentType: null, wire: 'none' } as const;
    const foreign = { subject: 'any.thing', type: 'foreign', peer: null, sizeBytes: 3, trust };
    const own = {
      ...{ subject: 'vak.x', type: 'vak.x.y', peer: 'w', sizeBytes: 3 },
      trust: { ...trust, wire: 'cloudevents', attributes: [{ name: 'id', value: '1', isExtension: false }] } as const,
    };
    expect(diffFacts(foreign, foreign)).toEqual([]);
    expect(diffFacts(foreign, own).map(({ name, a, b }) => `${name}: ${a} → ${b}`)).toEqual([
      'subject: any.thing → vak.x',
      'type: foreign → vak.x.y',
      'format: none → cloudevents',
      'peer: null → w',
      'envelope id: null → 1',
    ]);
  });
});
