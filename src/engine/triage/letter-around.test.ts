import { describe, expect, it } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { surroundingsOf } from './bundle-surroundings.ts';
import { aroundOf } from './letter-around.ts';

const of = { session: 's', sealedCount: 0 };

describe('what surrounds a failure', () => {
  it('D14 is read line by line from what another wrote: what does not fit is left out, texts are plain', () => {
    const around = aroundOf(
      [
        { kind: 'terminal', stream: 'stdout', text: '\u001b[1mbold\u001b[0m\u202e\n10 %\r20 %\n' },
        { kind: 'terminal', stream: 'elsewhere', text: 'x' },
        { kind: 'terminal', stream: 'stderr', text: 7 },
        { kind: 'telemetry', samples: [{ atMs: 9e15, cpuPercent: 1, rssBytes: 1 }, null, { atMs: 2, cpuPercent: -1 }] },
        {
          kind: 'telemetry',
          samples: [
            { atMs: 5, cpuPercent: 1.5, rssBytes: 9, pid: 1 },
            { atMs: 4, cpuPercent: 0, rssBytes: 8 },
          ],
        },
        {
          kind: 'status',
          states: [{ atMs: 1, state: 'fa\u0007iled', detail: { reason: 'no\u202eway' } }, { atMs: 'x' }],
        },
        { kind: 'status', states: 'none' },
        { kind: 'toString' },
      ],
      of,
    );
    expect(around.outputs).toEqual([{ stream: 'stdout', text: 'bold‹U+202E›\n20 %', isCut: false }]);
    expect(around.samples.map(({ atMs }) => atMs)).toEqual([4, 5]);
    expect(around.states).toEqual([{ atMs: 1, state: 'fa␇iled', reason: 'no‹U+202E›way' }]);
  });

  it('D14 keeps the end of a long output from a whole line on, and the last of many figures', () => {
    const text = `${'first line\n'.repeat(10_000)}last`;
    const samples = Array.from({ length: 2_000 }, (_, atMs) => ({ atMs, cpuPercent: 1, rssBytes: 1 }));
    const around = aroundOf(
      [
        { kind: 'terminal', stream: 'stderr', text },
        { kind: 'telemetry', samples },
      ],
      of,
    );
    const [output] = around.outputs;
    expect(output?.isCut).toBe(true);
    expect(output?.text.length).toBeLessThanOrEqual(64 * 1024);
    expect(output?.text.split('\n')[0]).toBe('first line');
    expect(output?.text.endsWith('\nlast')).toBe(true);
    expect([around.samples.length, around.samples.at(-1)?.atMs]).toEqual([512, 1_999]);
  });

  it('D14 counts what of a session cannot be opened, and looks for nothing where no session was heard', () => {
    const letter = { session: 's', attemptList: [], failedMs: 20_000 };
    const spans: unknown[] = [];
    const envelope = { type: 'vak.events.terminal' } as Envelope;
    const heard = {
      eventsOf(span: object) {
        spans.push(span);
        return [1, 2].map((atMs) => ({ envelope, subject: '', atMs, data: utf8('') }));
      },
    };
    const failure = { kind: 'unknown-secret', why: 'not known', culprit: null } as const;
    const opener = { open: () => ({ kind: 'failed', failure }) as const };
    expect(surroundingsOf(letter, heard, opener)).toEqual({ lines: [], sealedCount: 2 });
    expect(spans).toEqual([{ session: 's', fromMs: 10_000, untilMs: 30_000 }]);
    expect(surroundingsOf({ ...letter, session: null }, heard, opener)).toEqual({ lines: [], sealedCount: 0 });
    expect(spans.length).toBe(1);
  });
});
