import { expect, it } from 'vitest';
import { failureCauses } from '../../../tests/support/failure-causes.ts';
import { createChance } from '../../../tests/support/failure-chance.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';

/** `npm run endurance` takes ten times as many. */
const size = process.env['VAK_ENDURANCE'] === undefined ? 5_000 : 50_000;

it('D1 thousands of failures of forty known causes: purity at least 0.98, and no cause in more than two groups', () => {
  expect(failureCauses).toHaveLength(40);
  const groups = new Map<string, Map<string, number>>();
  const seen = new Map<string, Map<string, Fingerprint>>();
  const chance = createChance(7);
  for (let at = 0; at < size; at++) {
    const cause = failureCauses[at % failureCauses.length] as (typeof failureCauses)[number];
    const found = fingerprintOf(cause.occur(chance));
    const group = groups.get(found.id) ?? new Map<string, number>();
    groups.set(found.id, group.set(cause.name, (group.get(cause.name) ?? 0) + 1));
    seen.set(cause.name, (seen.get(cause.name) ?? new Map()).set(found.id, found));
  }
  const split = [...seen]
    .filter(([, ids]) => ids.size > 2)
    .map(([name, ids]) => ({ name, groups: [...ids.values()].slice(0, 4) }));
  expect(split).toEqual([]);
  const pure = [...groups.values()].reduce((sum, group) => sum + Math.max(...group.values()), 0);
  const mixed = [...groups.values()].filter((group) => group.size > 1).map((group) => [...group.keys()]);
  expect(mixed).toEqual([]);
  expect(pure / size).toBeGreaterThanOrEqual(0.98);
}, 120_000);

const one = (text: string) => fingerprintOf({ errorClass: 'exit.1', reason: 'exit code 1', stack: text });

it('D1 where it happened tells failures of one message apart; line numbers, folders, threads and closures do not', () => {
  const at = (call: string, place: string): string => `TypeError: no\n    at ${call} (${place})`;
  const base = one(at('toRow', '/srv/app/dist/rows.js:12:3'));
  expect(one(at('toRow', 'file:///home/a/app/dist/rows.js:99:1')).id).toBe(base.id);
  expect(one(at('toCell', '/srv/app/dist/rows.js:12:3')).id).not.toBe(base.id);
  expect(one(at('toRow', '/srv/app/dist/cells.js:12:3')).id).not.toBe(base.id);
  const library = '\n    at step (/srv/app/node_modules/pool/index.js:1:1)';
  expect(one(`${at('toRow', '/srv/app/dist/rows.js:12:3')}${library}`).id).toBe(base.id);
  expect(
    fingerprintOf({ errorClass: 'exit.2', reason: 'exit code 1', stack: at('toRow', '/a/rows.js:1:1') }).id,
  ).not.toBe(base.id);
  expect(base).toMatchObject({
    rootType: 'TypeError',
    shape: 'exit code 1 · no',
    frames: [{ call: 'toRow', file: 'rows.js' }],
  });
});

it('D1 a call that goes on calling itself is one, five calls at most count, and of a cause chain the root does', () => {
  const deep = (times: number): string =>
    `java.lang.StackOverflowError\n${'\tat a.Node.depth(Node.java:7)\n'.repeat(times)}\tat a.Main.main(Main.java:1)`;
  expect(one(deep(20)).id).toBe(one(deep(900)).id);
  const long = Array.from({ length: 9 }, (_, at) => `    at f${'abcdefghi'[at]} (/a/b.js:1:1)`);
  expect(one(`TypeError: no\n${long.join('\n')}`).frames.map(({ call }) => call)).toEqual([
    'fa',
    'fb',
    'fc',
    'fd',
    'fe',
  ]);
  const caused = (cause: string): string =>
    `a.b.JobException: job 7 failed\n\tat a.B.run(B.java:1)\nCaused by: ${cause}\n\tat a.C.get(C.java:1)`;
  expect(one(caused('a.b.NoRouteException: no route')).rootType).toBe('a.b.NoRouteException');
  expect(one(caused('a.b.NoRouteException: no route')).id).not.toBe(one(caused('a.b.DiskException: full')).id);
});

it('D1 it never throws, and what it reads of a failure is bounded', () => {
  for (const text of ['', '\0', '\ud800', 'é'.repeat(300_000), '    at '.repeat(40_000), 'Error\n'.repeat(40_000)]) {
    const found = fingerprintOf({ errorClass: text.slice(0, 256), reason: text, stack: text });
    expect([found.id, found.shape.length < 700]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), true]);
  }
});
