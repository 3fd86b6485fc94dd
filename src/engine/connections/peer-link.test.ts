import { afterEach, beforeEach, expect, test } from 'vitest';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { BusStatus } from '../bus/bus-status.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSecret } from '../identity/secret.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import type { AppPeer, EngineInUse } from './connection-switch.ts';
import { createPeerLink, type PeerLink } from './peer-link.ts';

const subject = 'vak.events.test.s1.status';
const logger = createSilentLogger();
let clock: FakeClock;
let link: PeerLink;
/** What is behind the app, and whether it may be written to. */
let present: EngineInUse | undefined;
let isWritable: boolean;
let story: string[];
/** Whether the key store was ever open. */
let hasKey: boolean;

/** A fabric on a bus that others may share, which tells what is done with it. */
function fabricOn(name: string, bus = createMemoryBus({ clock, logger })) {
  const listeners = new Set<(status: BusStatus) => void>();
  const connected: BusStatus = { kind: 'connected', sinceMs: 0, server: name, rttMs: null };
  const fabric = {
    ...{ bus, durable: {}, status: () => connected },
    onStatus(listener: (status: BusStatus) => void) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    ping: async () => {
      story.push(`ping ${name}`);
      return 1;
    },
    close: async () => void story.push(`close ${name}`),
  } as unknown as Fabric;
  const end = (error: VakError): void => {
    for (const tell of listeners) tell({ kind: 'closed', sinceMs: 0, error: error.toShape() });
  };
  return { fabric, end };
}

function engineOf(name: string, connectAs?: (who: AppPeer) => Promise<Fabric>): EngineInUse {
  const { fabric } = fabricOn(name);
  const engine = { kind: 'remote' as const, fabric, destination: name, readOnlyContext: undefined };
  return connectAs === undefined ? engine : { ...engine, connectAs };
}

/** What is heard on a bus from now on. */
function hear({ fabric: { bus } }: Pick<EngineInUse, 'fabric'>): string[] {
  const heard: string[] = [];
  bus.subscribe(subject, { kind: 'inline', onMessage: ({ data }) => heard.push(Buffer.from(data).toString()) });
  return heard;
}

beforeEach(() => {
  clock = createFakeClock();
  [present, isWritable, story, hasKey] = [undefined, true, [], true];
  const seed = createSecret(utf8('SU'));
  link = createPeerLink({
    ...{ peer: 'worker-1', clock, logger, present: () => present },
    writable: () => (isWritable ? present : undefined),
    ownAuth: { read: () => (hasKey ? { kind: 'nkey', seed } : undefined), dispose: () => story.push('keys erased') },
    onMove: async () => void story.push(`at ${link.place()?.destination ?? 'none'}`),
    onChange: () => {},
  });
});

afterEach(async () => {
  const closed = link.close();
  await settle();
  await closed;
  expect(story.at(-1)).toBe('keys erased');
  expect(clock.timerCount).toBe(0);
});

async function settle(ms = 0): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.runDeferred();
  }
  if (ms === 0) return;
  clock.advance(ms);
  await settle();
}

async function go(work: Promise<void>): Promise<void> {
  const done = work.catch((error: unknown) => error);
  await settle();
  const thrown = await done;
  if (thrown !== undefined) throw thrown;
}

test('A18 on an engine without connections of its own a peer shares the fabric, and ends its subscriptions alone', async () => {
  const engine = engineOf('embedded');
  const heard = hear(engine);
  present = engine;
  await settle();
  expect(link.place()).toBeUndefined();
  await go(link.begin());
  expect(link.place()?.fabric).toBe(engine.fabric);
  link.bus.publish(subject, utf8('a'));
  const other = engineOf('next');
  const heardThere = hear(other);
  present = other;
  await go(link.follow());
  link.bus.publish(subject, utf8('b'));
  await go(link.reached());
  expect([heard, heardThere]).toEqual([['a'], ['b']]);
  expect(story.filter((line) => !line.startsWith('at '))).toEqual([]);
  isWritable = false;
  present = engineOf('read-only');
  await go(link.follow());
  expect(link.place()).toBeUndefined();
});

test('A18 B8 where peers have connections it has one of its own, leaves it when its work has ended, and says nothing twice or not at all', async () => {
  const { fabric } = fabricOn('own');
  const heard = hear({ fabric });
  let shown: AppPeer | undefined;
  const engine = engineOf('prod', async (who) => {
    who.ownAuth.read();
    shown = who;
    return fabric;
  });
  const overheard = hear(engine);
  link.bus.publish(subject, utf8('early'));
  present = engine;
  await go(link.begin());
  link.bus.publish(subject, utf8('then'));
  await go(link.reached());
  expect([shown?.peer, heard, overheard]).toEqual(['worker-1', ['early', 'then'], []]);
  story = [];
  present = undefined;
  await go(link.follow());
  // Whoever works there lets go first, and knows no place by then.
  expect(story).toEqual(['at none', 'close own', 'at none', 'at none']);
  link.bus.publish(subject, utf8('between'));
  const next = engineOf('embedded');
  const heardThere = hear(next);
  present = next;
  await go(link.follow());
  expect([heard, heardThere]).toEqual([['early', 'then'], ['between']]);
});

test('A20 who is not let in is told what to do, by what the server was shown; it tries again, and comes in', async () => {
  const refusal = new VakError('unauthorized', 'connect: the server refuses these credentials');
  const { fabric, end } = fabricOn('own');
  let answer: 'refuse' | 'let-in' = 'refuse';
  let isAsked = true;
  present = engineOf('prod', async ({ ownAuth }) => {
    if (isAsked) ownAuth.read();
    if (answer === 'refuse') throw refusal;
    return fabric;
  });
  await go(link.begin());
  const told = /was not told of the grant; export the access anew \(vak acl export\) and reload the server/;
  expect(link.problem()).toEqual({ message: expect.stringMatching(told), isKeptOut: true });
  await expect(go(link.reached())).rejects.toThrow(/^worker-1: the server was not told/);
  await expect(link.bus.request(subject, utf8(''), { timeoutMs: 10 })).rejects.toMatchObject({ code: 'disconnected' });
  hasKey = false;
  await settle(2_000);
  expect(link.problem()?.message).toMatch(/locked key store; unlock it/);
  isAsked = false;
  await settle(4_000);
  expect(link.problem()?.message).toMatch(/credentials of this connection, which all peers here show/);
  [answer, isAsked, hasKey] = ['let-in', true, true];
  await settle(8_000);
  expect([link.problem(), link.place()?.destination]).toEqual([null, 'prod']);
  // The server is told of others, and throws it out.
  end(refusal);
  await settle();
  expect([link.problem()?.isKeptOut, link.place()]).toEqual([true, undefined]);
  await settle(2_000);
  expect([link.problem(), link.place()?.destination]).toEqual([null, 'prod']);
});

test('B8 another failure of its connection is told as it is, and is not for whoever grants', async () => {
  present = engineOf('prod', () => Promise.reject(new VakError('disconnected', 'connect: nobody answers')));
  await go(link.begin());
  expect(link.problem()).toEqual({ message: 'connect: nobody answers', isKeptOut: false });
});
