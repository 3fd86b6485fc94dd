import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordSession, type SessionRecorder } from '../../../tests/support/session-recorder.ts';
import { swarmPartsOn } from '../../../tests/support/swarm-parts.ts';
import { buildTestPrograms, type TestPrograms } from '../../../tests/support/test-programs.ts';
import { createTestWorkspace, type TestWorkspace } from '../../../tests/support/worker-credentials.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { parseKeyId } from '../../shared/protocol/key-id.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createChainReader } from '../envelope/chain-reader.ts';
import { createEnvelopeAuthor } from '../envelope/envelope-author.ts';
import { signEnvelope } from '../envelope/envelope-signature.ts';
import { leafOf } from '../envelope/hashing.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import type { PeerSecrets } from '../identity/peer-secrets.ts';
import { createSecret } from '../identity/secret.ts';
import { createSystemClock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createForkLauncher } from './fork-launcher.ts';
import type { LaunchedPeer } from './launched-peer.ts';
import { createLocalSwarm, type LocalSwarm, type TakenTask } from './local-swarm.ts';

const clock = createSystemClock();
const randomness = createSystemRandomness();
const logger = createSilentLogger();
const patience = { timeout: 30_000, interval: 50 };
const runSubject = 'vak.control.test.worker-1.run';
let programs: TestPrograms;
let bus: Bus;
let heads: HeadStore;
let workspace: TestWorkspace;
let heard: SessionRecorder;
let requests: { readonly envelope: Envelope; readonly data: Uint8Array }[];
let swarm: LocalSwarm;
let launched: LaunchedPeer[];
let issue: IssueCredentials;
let secrets: () => PeerSecrets | undefined;

beforeAll(async () => {
  programs = await buildTestPrograms();
}, 60_000);

beforeEach(() => {
  bus = createMemoryBus({ clock, logger });
  heads = createMemoryHeadStore();
  workspace = createTestWorkspace('test');
  issue = workspace.issue;
  heard = recordSession(bus, { workspace: 'test', open: workspace.open });
  requests = [];
  secrets = () => undefined;
  bus.subscribe('vak.control.test.*.run', {
    kind: 'inline',
    onMessage: ({ data }) => requests.push({ envelope: decodeEnvelope(data), data: data.slice() }),
  });
  launched = [];
  const launch = createForkLauncher({ entry: programs.worker, environment: process.env, logger });
  swarm = createLocalSwarm({
    ...swarmPartsOn(bus),
    ...{ clock, heads, logger, randomness, workspace: 'test', onChange: () => {} },
    issueCredentials: (wanted) => issue(wanted),
    secrets: () => secrets(),
    launch(peer) {
      const process = launch(peer);
      launched.push(process);
      return process;
    },
  });
});

afterEach(async () => {
  await swarm.dispose();
  await bus.close();
}, 60_000);

const sh = (script: string): Promise<TakenTask> => swarm.run({ command: ['sh', '-c', script] });
const end = (taken: TakenTask) => expect.poll(() => heard.final(taken.taskId), patience).toBeDefined();
const worker = (): WorkerSummary => swarm.state().workers[0] as WorkerSummary;
const of = (session: string): readonly Envelope[] => heard.envelopes.filter(({ sessionid }) => sessionid === session);
const idsOf = ({ traceparent = '' }: Envelope): readonly string[] => traceparent.split('-');

test('E8 E12 E13 a worker’s envelopes are sealed, signed under its grant, and one chain without a gap', async () => {
  const taken = await sh('echo one; echo two >&2; sleep 0.7; echo three');
  await end(taken);
  await swarm.stop();
  expect(heard.text('stdout')).toBe('one\nthree\n');
  const envelopes = of(taken.session);
  expect(new Set(envelopes.map(({ type }) => type))).toEqual(
    new Set(['vak.events.status', 'vak.events.terminal', 'vak.events.telemetry']),
  );
  const signatures = workspace.signaturesOf('worker');
  const chain = createChainReader();
  for (const [index, envelope] of envelopes.entries()) {
    expect(envelope.seqnum).toBe(index);
    expect(envelope.source).toBe(`vak://test/worker-1/${taken.session}`);
    expect(parseKeyId(envelope.seal?.keyid ?? '')).toMatchObject({ peer: 'worker-1' });
    expect(signatures.check(envelope, envelope.subject ?? '', clock.now())).toMatchObject({ kind: 'valid' });
    expect(chain.read(envelope).verdict).toEqual({ kind: 'ok' });
  }
  expect(new Set(envelopes.map(({ seal }) => seal?.nonce)).size).toBe(envelopes.length);
}, 60_000);

test('E4 what is told of a task is in the trace of its request; the session has a trace of its own', async () => {
  const first = await sh('echo one');
  await end(first);
  await expect.poll(() => worker().state, patience).toBe('idle');
  const second = await sh('echo two');
  await end(second);
  await swarm.stop();
  const [one, two] = requests.map(({ envelope }) => idsOf(envelope)[1]);
  expect(one).not.toBe(two);
  const envelopes = of(first.session);
  expect(second.session).toBe(first.session);
  const told = heard.told.map(({ what, envelope }) => [what, idsOf(envelope)[1]]);
  const own = told[0]?.[1];
  expect([one, two]).not.toContain(own);
  expect(told).toEqual([
    ['started', own],
    ...['claimed', 'terminal', 'done'].map((what) => [what, one]),
    ...['claimed', 'terminal', 'done'].map((what) => [what, two]),
    ['ended', own],
  ]);
  const spans = [...envelopes, ...requests.map(({ envelope }) => envelope)].map((envelope) => idsOf(envelope)[2]);
  expect(new Set(spans).size).toBe(spans.length);
}, 60_000);

test('E12 the first envelope of a worker names the last one of the session before, also of one that was killed', async () => {
  const resumesOf = (session: string): string | undefined => of(session)[0]?.resumes;
  const first = await sh('echo one');
  await end(first);
  await swarm.stop();
  const last = of(first.session).at(-1) as Envelope;
  const second = await sh('echo two; sleep 300');
  expect(resumesOf(first.session)).toBeUndefined();
  await expect.poll(() => resumesOf(second.session), patience).toBe(`${last.source}#${last.seqnum}:${leafOf(last)}`);
  await expect.poll(() => heads.previous('worker-1', 'e')?.source, patience).toContain(second.session);
  await swarm.kill({ peer: 'worker-1' });
  const third = await sh('true');
  await end(third);
  const names = of(second.session).map((envelope) => `${envelope.source}#${envelope.seqnum}:${leafOf(envelope)}`);
  expect(names).toContain(resumesOf(third.session));
  expect(
    of(third.session)
      .slice(1)
      .every(({ resumes }) => resumes === undefined),
  ).toBe(true);
}, 60_000);

/** Asks the worker over the bus, as anybody on it may. */
async function answerTo(data: Uint8Array, subject = runSubject): Promise<unknown> {
  return JSON.parse(toText(await bus.request(subject, data, { timeoutMs: 10_000 })));
}

/** The next request of a peer with its own keys, in a session of its own. */
async function requestOf(peer: string, session: string): Promise<Envelope> {
  const { signSeed } = await issue({ peer, roles: ['worker'], queues: ['local'] });
  const author = createEnvelopeAuthor({
    ...{ workspace: 'test', peer, session: `${peer}-x-e`, kind: 'e', clock, randomness },
    ...{ signer: createNkeySigner(createSecret(signSeed)), heads: createMemoryHeadStore() },
  });
  const payload = utf8(JSON.stringify({ taskId: 'forged', session, task: { command: ['true'] } }));
  return author.publish({ subject: runSubject, payload, trace: startTrace(randomness.bytes) }, () => {});
}

test('E13 E11 I4 a request that is unsigned, badly signed, of the wrong role, replayed or misaddressed runs nothing', async () => {
  const taken = await sh('echo one');
  await end(taken);
  await expect.poll(() => worker().state, patience).toBe('idle');
  const [asked] = requests;
  if (asked === undefined) throw new Error('no request was heard');
  const { envelope, data } = asked;
  const byWorker = await requestOf('worker-1', taken.session);
  const forged = { ...byWorker, agentid: 'swarm', source: envelope.source, sessionid: envelope.sessionid };
  const { signSeed } = await issue({ peer: 'worker-1', roles: ['worker'], queues: ['local'] });
  const workerKey = createNkeySigner(createSecret(signSeed));
  const cases: readonly (readonly [Uint8Array, RegExp, string?])[] = [
    [encodeEnvelope({ ...forged, signed: undefined }), /not signed/],
    [encodeEnvelope(forged), /does not verify/],
    [encodeEnvelope(signEnvelope({ ...forged, signed: undefined, seqnum: 99 }, workerKey)), /granted/],
    [encodeEnvelope(byWorker), /granted|grant/],
    [data, /Reordered/],
    [data, /another subject/, 'vak.control.test.worker-1.cancel'],
  ];
  for (const [bytes, why, subject] of cases) {
    expect(await answerTo(bytes, subject)).toMatchObject({ code: 'forbidden', message: expect.stringMatching(why) });
  }
  const bare = utf8(JSON.stringify({ taskId: 'forged', session: taken.session, task: { command: ['true'] } }));
  expect(await answerTo(bare)).toMatchObject({ code: 'invalid-payload' });
  expect(heard.statuses.filter(({ state }) => state === 'claimed')).toHaveLength(1);
  const next = await sh('echo two');
  await end(next);
  expect(next.session).toBe(taken.session);
}, 60_000);

test('S5 E11 what one worker was asked is not followed by the next of its name', async () => {
  const taken = await sh('sleep 300');
  await swarm.kill({ peer: 'worker-1' });
  const next = await sh('true');
  expect(next).toMatchObject({ peer: 'worker-1' });
  await end(next);
  const [asked] = requests;
  // Its number is lower than that of what the new worker was asked, and it names the session before: put to a third one, that tells.
  await swarm.kill({ peer: 'worker-1' });
  const starting = swarm.start({ workers: 1 });
  await expect.poll(() => swarm.state().workers.at(-1)?.state, patience).toBe('idle');
  expect(await answerTo(asked?.data as Uint8Array)).toMatchObject({ code: 'forbidden', details: { field: 'session' } });
  await starting;
  expect(heard.statuses.filter(({ taskId, state }) => taskId === taken.taskId && state === 'claimed')).toHaveLength(1);
}, 60_000);

test('E7 a running worker takes up another secret without a start: what it says from then on is sealed under it', async () => {
  const first = await sh('echo one');
  await end(first);
  await expect.poll(() => worker().state, patience).toBe('idle');
  const sealedUnder: (string | undefined)[] = [];
  bus.subscribe('vak.events.test.*.status', {
    kind: 'inline',
    onMessage: ({ data }) => sealedUnder.push(parseKeyId(decodeEnvelope(data).seal?.keyid ?? '')?.secretId),
  });
  const copies: Uint8Array[] = [];
  secrets = () => {
    const secret = randomness.bytes(32);
    copies.push(secret);
    const ended = [{ id: 's1', state: 'revoked', openOnlyUntilMs: null }] as const;
    return { secrets: [{ id: 's2', secret, state: 'active', openOnlyUntilMs: null }], ended };
  };
  swarm.followSecrets();
  const second = await sh('echo two');
  expect(second.session).toBe(first.session);
  await expect.poll(() => sealedUnder.length, patience).toBeGreaterThan(1);
  expect(new Set(sealedUnder)).toEqual(new Set(['s2']));
  // Main keeps none of the copies that it handed over; the swarm's own peer has taken the first.
  expect(copies.slice(1).every((bytes) => bytes.every((byte) => byte === 0))).toBe(true);
  await swarm.stop();
}, 60_000);

test('E8 a worker that cannot seal publishes nothing, ends, and the swarm shows why', async () => {
  issue = async (wanted) => {
    const credentials = await workspace.issue(wanted);
    return { ...credentials, secrets: credentials.secrets.map((one) => ({ ...one, state: 'open-only' as const })) };
  };
  await sh('echo one').catch(() => {});
  await expect.poll(() => worker().state, patience).toBe('dead');
  expect(worker().death?.reason).toMatch(
    /^ended by itself: it could not publish: no secret of this workspace is active/,
  );
  expect(heard.envelopes).toEqual([]);
}, 60_000);
