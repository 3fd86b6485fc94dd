import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isVakError } from '../base/vak-error.ts';
import { type DeepLink, formatDeepLink, maxLinkLength, parseDeepLink } from './deep-link.ts';

const uuid = '0197a3c0-0000-7000-8000-000000000001';
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('deep links', () => {
  test.each([
    ['vak://default/builder/s-1', { kind: 'session', peer: 'builder', session: 's-1' }],
    ['vak://default/~view/dead-letters', { kind: 'view', view: 'dead-letters' }],
    ['vak://default/~queue/build', { kind: 'queue', queue: 'build', taskId: null }],
    [`vak://default/~queue/build/${uuid}`, { kind: 'queue', queue: 'build', taskId: uuid }],
    ['vak://default/~letters', { kind: 'letters', filter: '' }],
    ['vak://default/~letters/queue%3Abuild%20%C3%A9', { kind: 'letters', filter: 'queue:build é' }],
    [`vak://default/~trace/${trace}`, { kind: 'trace', traceId: trace }],
    [`vak://default/~approval/${uuid}`, { kind: 'approval', requestId: uuid }],
    [`vak://default/~room/ops/${uuid}`, { kind: 'room', room: 'ops', messageId: uuid }],
    ['vak://default/~peer/-mira_', { kind: 'peer', peer: '-mira_' }],
    ['vak://default/~setting/memory.bufferMiB', { kind: 'setting', key: 'memory.bufferMiB' }],
  ] as const)('L1 %s is a place, and the place is that text', (text, place) => {
    const link: DeepLink = { workspace: 'default', place };
    expect(parseDeepLink(text)).toEqual(link);
    expect(formatDeepLink(link)).toBe(text);
  });

  test.each([
    ['', /begin/],
    ['VAK://default/~view/rooms', /begin/],
    ['https://default/~view/rooms', /begin/],
    ['vak://', /workspace is missing/],
    ['vak://default', /peer is missing/],
    ['vak://default/builder', /session is missing/],
    ['vak://user@default/a/b', /workspace is none/],
    ['vak://default:1/a/b', /workspace is none/],
    ['vak://default/a/b/c', /more stands/],
    ['vak://default/a/b?run=1', /session is none/],
    ['vak://default/~view/rooms#x', /view is none/],
    ['vak://default/~view/rooms/', /more stands/],
    ['vak://default/~queue/build/..', /task is none/],
    ['vak://default/~queue/../x', /queue is none/],
    ['vak://default/~trace/00000000000000000000000000000000', /trace is none/],
    [`vak://default/~trace/${trace.toUpperCase()}`, /trace is none/],
    ['vak://default/~purge/build', /no such place/],
    ['vak://default/~constructor/x', /no such place/],
    ['vak://default/~letters/%E0%A4%A', /UTF-8/],
    ['vak://default/~letters/a%00b', /nobody sees/],
    ['vak://default/~letters/a%E2%80%AEb', /nobody sees/],
    ['vak://default/~letters/a b', /more stands/],
    ['vak://default/~letters/%61', /more stands/],
    [`vak://default/~letters/${'a'.repeat(513)}`, /513 characters/],
    [`vak://default/~letters/${'a'.repeat(maxLinkLength)}`, /characters of 2048/],
  ])('L2 %s is refused, and says why', (text, why) => {
    expect(() => parseDeepLink(text)).toThrow(why);
  });

  test('L2 whatever the text, it is a place that reads back as itself, or a typed error without the text', () => {
    const piece = fc.oneof(
      fc.constantFrom('vak://', '/', '~queue', '~letters', '~room', '~trace', 'default', uuid, trace, '%', '?', '..'),
      fc.string({ maxLength: 8 }),
    );
    const count = process.env['VAK_ENDURANCE'] === undefined ? 10_000 : 100_000;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `vak://${pieces.join('')}`;
        try {
          expect(formatDeepLink(parseDeepLink(text))).toBe(text);
        } catch (error) {
          if (!isVakError(error, 'invalid-input')) throw error;
        }
      }),
      { numRuns: count },
    );
  });
});
