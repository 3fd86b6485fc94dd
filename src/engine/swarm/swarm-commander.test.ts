import { afterEach, beforeEach, expect, test } from 'vitest';
import { linksOn } from '../../../tests/support/swarm-parts.ts';
import { createTestWorkspace } from '../../../tests/support/worker-credentials.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { maxTaskBytes } from '../../shared/protocol/task-limits.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { createSystemClock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { decodeRunRequest, encodeRequest } from '../work/worker-requests.ts';
import { createSwarmCommander, type SwarmCommander } from './swarm-commander.ts';
import { createSwarmPeer, type SwarmPeer } from './swarm-peer.ts';

const clock = createSystemClock();
const randomness = createSystemRandomness();
const trace = startTrace(randomness.bytes);
let bus: Bus;
let heads: HeadStore;
let issue: IssueCredentials;
let issuedCount: number;
let commander: SwarmCommander;
let own: SwarmPeer;
let heard: Envelope[];

function create(): SwarmCommander {
  const issueCredentials: IssueCredentials = (wanted) => {
    issuedCount++;
    return issue(wanted);
  };
  const { ownLink: link } = linksOn(bus);
  own = createSwarmPeer({ issueCredentials, workspace: 'test', link });
  return createSwarmCommander({ own, link, clock, randomness, heads, workspace: 'test' });
}

beforeEach(() => {
  bus = createMemoryBus({ clock, logger: createSilentLogger() });
  heads = createMemoryHeadStore();
  issue = createTestWorkspace('test').issue;
  issuedCount = 0;
  heard = [];
  commander = create();
  bus.subscribe('vak.control.test.w1.*', {
    kind: 'inline',
    onMessage({ data, respond }) {
      heard.push(decodeEnvelope(data));
      respond?.(utf8('taken'));
    },
  });
});

afterEach(async () => {
  own.dispose();
  await bus.close();
});

const ask = (worker = 'w1') => commander.ask({ worker, verb: 'run', payload: utf8('{}'), trace, timeoutMs: 5_000 });

test('S5 E4 a request goes to its worker in the span that was given, and the answer comes back as it is', async () => {
  expect(toText(await ask())).toBe('taken');
  expect(heard[0]).toMatchObject({
    subject: 'vak.control.test.w1.run',
    agentid: 'swarm',
    traceparent: `00-${trace.traceId}-${trace.spanId}-03`,
  });
});

test('I3 its credentials are issued once, when they are first needed', async () => {
  expect(issuedCount).toBe(0);
  const [grant, same] = await Promise.all([commander.grant(), commander.grant(), ask()]);
  expect(grant).toBe(same);
  expect(issuedCount).toBe(1);
});

test('E8 what issuing throws is thrown, and the next call tries again', async () => {
  const { issue: real } = { issue };
  issue = () => Promise.reject(new VakError('locked', 'the key store is locked'));
  await expect(commander.grant()).rejects.toMatchObject({ code: 'locked' });
  await expect(ask()).rejects.toMatchObject({ code: 'locked' });
  issue = real;
  expect((await commander.grant()).peer).toBe('swarm');
});

test('E12 its next session resumes the chain of the one before', async () => {
  await ask();
  await ask();
  const last = heads.previous('swarm', 'e');
  expect(last).toMatchObject({ source: heard[1]?.source, seq: 1 });
  own.dispose();
  commander = create();
  await ask();
  expect(heard[2]?.source).not.toBe(heard[1]?.source);
  expect(heard[2]).toMatchObject({ seqnum: 0, resumes: `${last?.source}#1:${last?.leaf}` });
  expect(heard[0]?.resumes).toBeUndefined();
});

test('B5 a worker that does not listen is no-responders', async () => {
  await expect(ask('w2')).rejects.toMatchObject({ code: 'no-responders' });
  expect(toText(await ask())).toBe('taken');
});

test('E2 the largest task that may be asked fits its envelope, a larger one is refused before', async () => {
  const request = { taskId: 't'.repeat(64), session: 's'.repeat(64) };
  const taskOf = (bytes: number) => ({
    command: [...new Array(4).fill('x'.repeat(128 * 1024 - 1024)), 'x'.repeat(bytes)],
  });
  const spare = maxTaskBytes - JSON.stringify(taskOf(0)).length;
  const payload = encodeRequest({ ...request, task: taskOf(spare) });
  expect(payload.length).toBeGreaterThan(maxTaskBytes);
  await commander.ask({ worker: 'w1', verb: 'run', payload, trace, timeoutMs: 5_000 });
  expect(decodeRunRequest(payloadBytesOf(heard[0] as Envelope)).task).toEqual(taskOf(spare));
  expect(() => encodeRequest({ ...request, task: taskOf(spare + 1024) })).toThrow(
    expect.objectContaining({ code: 'limit-exceeded', message: expect.stringMatching(/pass less in command and env/) }),
  );
});

test('I3 once disposed it signs nothing', async () => {
  await ask();
  own.dispose();
  await expect(ask()).rejects.toMatchObject({ code: 'locked' });
  expect(heard).toHaveLength(1);
});

test('I3 keys that come after it was disposed are erased and not used', async () => {
  const { issue: real } = { issue };
  let given: Uint8Array | undefined;
  issue = async (wanted) => {
    const credentials = await real(wanted);
    given = credentials.signSeed;
    return credentials;
  };
  const asked = expect(commander.grant()).rejects.toMatchObject({ code: 'closed' });
  own.dispose();
  await asked;
  expect(given?.every((byte) => byte === 0)).toBe(true);
});
