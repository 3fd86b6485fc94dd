import { describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import type { Bus, Message } from '../bus/bus.ts';
import { defineBusLaws } from '../bus/bus-laws.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createPermit, type Permit } from './permit.ts';
import { createPermittedBus } from './permitted-bus.ts';

const ports = { clock: createSystemClock(), logger: createSilentLogger() };
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function permitOf(peer: string, ...roles: Role[]): Permit {
  return createPermit({ workspace: 'ws', peer, roles, sessions: [`${peer}-e`], ...ports, onDenied: () => {} });
}

const run = 'vak.control.ws.w1.run';
const ask = (bus: Bus): Promise<string> => bus.request(run, utf8('run'), { timeoutMs: 200 }).then(toText);

/** Hears a pattern, and answers whatever it may. */
function answering(bus: Bus, pattern: string, kind: 'inline' | 'drop-oldest'): Message[] {
  const heard: Message[] = [];
  const take = (message: Message): void => {
    heard.push(message);
    message.respond?.(utf8(`answer to ${message.subject}`));
  };
  if (kind === 'inline') bus.subscribe(pattern, { kind, onMessage: take });
  else bus.subscribe(pattern, { kind, capacity: 10, onBatch: (messages) => messages.forEach(take) });
  return heard;
}

describe.each(['inline', 'drop-oldest'] as const)('answers, %s', (kind) => {
  it('A11 a worker answers what it is asked', async () => {
    const bus = createMemoryBus(ports);
    answering(createPermittedBus(bus, permitOf('w1', 'worker')), run, kind);
    const asking = createPermittedBus(bus, permitOf('swarm', 'coordinator'));
    expect(await ask(asking)).toBe(`answer to ${run}`);
    await bus.close();
  });

  it('A11 who hears everything answers nothing in the place of another, and hears all the same', async () => {
    const bus = createMemoryBus(ports);
    const own = createPermittedBus(bus, permitOf('boss', 'operator'));
    const heard = answering(own, 'vak.*.ws.>', kind);
    const error = await failure(ask(createPermittedBus(bus, permitOf('swarm', 'coordinator'))));
    expect(error.code).toBe('timeout');
    expect(heard.map(({ subject, respond }) => [subject, respond])).toEqual([[run, undefined]]);
    await bus.close();
  });

  it('A11 with both roles it answers its own requests out of all that it hears', async () => {
    const bus = createMemoryBus(ports);
    const own = createPermittedBus(bus, permitOf('w1', 'operator', 'worker'));
    answering(own, 'vak.control.ws.w1.>', kind);
    expect(await ask(createPermittedBus(bus, permitOf('swarm', 'coordinator')))).toBe(`answer to ${run}`);
    await bus.close();
  });
});

it('A4 a request that is not allowed is rejected, and nobody hears of it', async () => {
  const bus = createMemoryBus(ports);
  const heard = answering(bus, '>', 'inline');
  const error = await failure(ask(createPermittedBus(bus, permitOf('w2', 'worker'))));
  expect(error).toMatchObject({ code: 'forbidden', details: { action: 'request', subject: run } });
  expect(heard).toEqual([]);
  await bus.close();
});

it('B1 messages pass as they are: neither copied nor wrapped', async () => {
  const bus = createMemoryBus(ports);
  const own = createPermittedBus(bus, permitOf('boss', 'operator'));
  const [direct, passed]: Message[][] = [[], []];
  const batches: (readonly Message[])[] = [[], []];
  bus.subscribe('vak.>', { kind: 'inline', onMessage: (message) => direct?.push(message) });
  own.subscribe('vak.*.ws.>', { kind: 'inline', onMessage: (message) => passed?.push(message) });
  own.subscribe('vak.*.ws.>', {
    ...{ kind: 'drop-oldest', capacity: 5 },
    onBatch: (messages) => void batches.push(messages),
  });
  own.publish('vak.events.ws.boss-e.status', utf8('x'));
  await settle();
  expect(passed?.[0]).toBe(direct?.[0]);
  expect(batches.at(-1)?.[0]).toBe(direct?.[0]);
  await bus.close();
});

describe('the laws of a bus, seen by a peer that may do all', () => {
  const answer = { allowed: true, rule: 'all' };
  const all: Permit = {
    ...permitOf('all'),
    ...{ ask: () => answer, askStorage: () => answer, check: () => {}, checkStorage: () => {} },
  };
  /** One that may answer nothing by right of its pattern, so that each message is looked at. */
  const wide: Permit = { ...all, ask: (_, text) => ({ allowed: !/[*>]/.test(text), rule: 'one by one' }) };
  describe.each([
    ['at once', all],
    ['one by one', wide],
  ] as const)('judged %s', (_, permit) => {
    defineBusLaws(it, async () => {
      const bus = createPermittedBus(createMemoryBus(ports), permit);
      return { bus, settle, close: () => bus.close() };
    });
  });
});
