import { expect, it } from 'vitest';
import { createCallContext } from '../../../tests/support/call-context.ts';
import { createTestIssuer } from '../../../tests/support/worker-credentials.ts';
import { tamperings } from '../../shared/contract/developer-contract.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createEnvelopeReader } from '../envelope/envelope-reader.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createDeveloperService } from './developer-service.ts';

const context = createCallContext();

function setUp() {
  const clock = createSystemClock();
  const bus = createMemoryBus({ clock, logger: createSilentLogger() });
  const messages: { readonly subject: string; readonly data: Uint8Array }[] = [];
  bus.subscribe('>', { kind: 'inline', onMessage: ({ subject, data }) => messages.push({ subject, data }) });
  let issuedCount = 0;
  const lives: (number | undefined)[] = [];
  const issue = createTestIssuer('acme');
  const service = createDeveloperService({
    ...{ bus, clock, randomness: createSystemRandomness(), workspace: 'acme' },
    issueCredentials(wanted) {
      issuedCount++;
      lives.push(wanted.grantLifeMs);
      return issue(wanted);
    },
  });
  const reader = createEnvelopeReader();
  const envelopes = () =>
    messages.flatMap(({ data }) => {
      const reading = reader.read(data);
      return reading.kind === 'envelope' ? [reading] : [];
    });
  return { bus, service, messages, envelopes, issued: () => issuedCount, lives };
}

it('E6 E12 E13 a sealed burst is one chain of sealed and signed envelopes, which the next burst goes on with', async () => {
  const { service, messages, envelopes, issued } = setUp();
  const input = { session: 'load', count: 250, textLength: 20, form: 'sealed' } as const;
  const first = await service.calls.burst(input, context);
  expect(first).toEqual({ publishedCount: 250, session: expect.stringMatching(/^load-[a-z2-7]{8}-e$/) });
  expect(await service.calls.burst(input, context)).toEqual(first);
  expect(issued()).toBe(1);
  expect(new Set(messages.map(({ subject }) => subject))).toEqual(new Set([`vak.events.acme.${first.session}.tokens`]));
  const read = envelopes();
  expect(read.map(({ envelope }) => envelope.seqnum)).toEqual(Array.from({ length: 500 }, (_, index) => index));
  for (const [index, { envelope }] of read.entries()) {
    expect(envelope.seal).toBeDefined();
    expect(envelope.signed).toBeDefined();
    if (index > 0) expect(envelope.prevhash).toBe(read[index - 1]?.leaf);
  }
});

it('I4 what a developer command leaves behind is a grant of ten minutes at most', async () => {
  const { service, lives } = setUp();
  await service.calls.tamper({ tampering: 'unsigned' }, context);
  expect(lives).toEqual([600_000]);
});

it('I3 after a lock the keys are asked for anew, and another chain begins', async () => {
  const { service, issued } = setUp();
  const input = { session: 'load', count: 1, textLength: 20, form: 'sealed' } as const;
  const { session } = await service.calls.burst(input, context);
  service.lock();
  expect((await service.calls.burst(input, context)).session).not.toBe(session);
  expect(issued()).toBe(2);
});

it('a bare burst is published at once, and needs no keys', async () => {
  const { service, messages, issued } = setUp();
  const input = { session: 'load', count: 1000, textLength: 64, form: 'bare' } as const;
  expect(await service.calls.burst(input, context)).toEqual({ publishedCount: 1000, session: 'load' });
  expect(messages).toHaveLength(1000);
  expect(issued()).toBe(0);
});

it('a sealed burst ends when its caller cancels', async () => {
  const { service } = setUp();
  const calls = new AbortController();
  const input = { session: 'load', count: 100_000, textLength: 20, form: 'sealed' } as const;
  const bursting = service.calls.burst(input, { signal: calls.signal });
  setImmediate(() => calls.abort());
  expect((await bursting).publishedCount).toBeLessThan(100_000);
});

it.each(tamperings.map((tampering) => ({ tampering })))(
  'tampering $tampering publishes in a session of its own',
  async ({ tampering }) => {
    const { service, messages } = setUp();
    const { session } = await service.calls.tamper({ tampering }, context);
    expect(session).toMatch(/^tampered-[a-z2-7]{8}-e$/);
    expect(new Set(messages.map(({ subject }) => subject))).toEqual(new Set([`vak.events.acme.${session}.status`]));
    expect(messages.length).toBeGreaterThan(0);
  },
);
