import { describe, expect, it } from 'vitest';
import { createLineLogger } from '../../../../tests/support/line-logger.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import type { Bus } from '../bus.ts';
import { createDurableSubjects } from './durable-subjects.ts';
import { createMemoryBus } from './memory-bus.ts';
import { createStoringBus } from './storing-bus.ts';

const subject = 'vak.work.ws.q.task';
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Appending {
  readonly subject: string;
  resolve(): void;
  reject(error: Error): void;
}

function openBus(): { readonly bus: Bus; readonly appends: Appending[]; readonly logged: string[] } {
  const logged: string[] = [];
  const appends: Appending[] = [];
  const logger = createLineLogger(logged);
  const bus = createStoringBus({
    bus: createMemoryBus({ clock: createFakeClock(), logger }),
    isDurable: (one) => one === subject,
    append: (one) => new Promise<void>((resolve, reject) => appends.push({ subject: one, resolve, reject })),
    logger,
  });
  return { bus, appends, logged };
}

describe('storing bus', () => {
  it('B3 it stores what a stream takes, after subscribers have heard it, and nothing that was refused', () => {
    const { bus, appends } = openBus();
    const seen: string[] = [];
    bus.subscribe('>', { kind: 'inline', onMessage: () => seen.push(`heard, ${appends.length} stored`) });
    bus.publish(subject, utf8('x'));
    bus.publish('vak.events.ws.s.tokens', utf8('x'));
    expect(() => bus.publish(subject, new Uint8Array(1024 * 1024 + 1))).toThrow();
    expect(seen).toEqual(['heard, 0 stored', 'heard, 1 stored']);
    expect(appends.map((one) => one.subject)).toEqual([subject]);
  });

  it('B2 the end waits for what is being stored', async () => {
    const { bus, appends } = openBus();
    bus.publish(subject, utf8('x'));
    let isEnded = false;
    const end = bus.close().then(() => {
      isEnded = true;
    });
    await turn();
    expect(isEnded).toBe(false);
    appends[0]?.resolve();
    await end;
    await expect(bus.whenWritable()).rejects.toThrow('closed');
  });

  it('B2 what could not be stored is counted in the log, in few lines', async () => {
    const { bus, appends, logged } = openBus();
    for (let at = 0; at < 1_000; at++) bus.publish(subject, utf8('x'));
    for (const one of appends) one.reject(new VakError('limit-exceeded', 'full'));
    await turn();
    expect(logged).toHaveLength(10);
    expect(JSON.parse(logged.at(-1) ?? '')).toMatchObject({ event: 'bus.not-stored', lostCount: 512 });
  });
});

describe('durable subjects', () => {
  it('B3 a subject is durable while a stream takes it; a server’s own subjects are none', () => {
    const subjects = createDurableSubjects();
    expect(subjects.has(subject)).toBe(false);
    subjects.set({ name: 'A', subjects: ['vak.work.ws.*.task', '$JS.EVENT.>'] });
    expect(subjects.has(subject)).toBe(true);
    subjects.set({ name: 'A', subjects: ['vak.dlq.ws.*.failed'] });
    expect([subjects.has(subject), subjects.has('vak.dlq.ws.p.failed')]).toEqual([false, true]);
    subjects.remove('A');
    expect(subjects.has('vak.dlq.ws.p.failed')).toBe(false);
  });
});
