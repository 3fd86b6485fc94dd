/**
 * The load as a program of its own: many peers, each with its key, its session and its chain, who send a heartbeat every 5 s and their
 * telemetry every 500 ms.
 * Law: every envelope is sealed, signed and chained as the protocol asks. All are written before anything is measured, as sealing and
 * signing would take a third of a core from who is measured; each play begins every chain anew, for an app that has heard none of them.
 */
import { connect, type NatsConnection } from 'nats';
import { createEnvelopeAuthor } from '../src/engine/envelope/envelope-author.ts';
import { createEnvelopeSealer } from '../src/engine/envelope/envelope-sealer.ts';
import { createMemoryHeadStore } from '../src/engine/envelope/memory-head-store.ts';
import { createSecretRegistry, type SecretRegistry } from '../src/engine/envelope/secret-registry.ts';
import { createNkeySigner } from '../src/engine/identity/nkey.ts';
import { createSecret } from '../src/engine/identity/secret.ts';
import { createSystemClock } from '../src/engine/ports/clock.ts';
import { createSystemRandomness } from '../src/engine/ports/randomness.ts';
import { heartbeatEveryMs } from '../src/engine/work/worker-session.ts';
import { fromBase64, utf8 } from '../src/shared/base/bytes.ts';
import { buildSubject } from '../src/shared/protocol/subject.ts';
import { startTrace } from '../src/shared/protocol/trace-context.ts';
import type { LoadAnswer, LoadOrder, LoadReport, LoadSecrets } from './load-frames.ts';

const telemetryEveryMs = 500;
/** The time within which all of them come. */
const joinMs = 3_000;
const tickMs = 5;
const ports = { clock: createSystemClock(), randomness: createSystemRandomness() };

interface Said {
  readonly dueMs: number;
  readonly peer: number;
  readonly subject: string;
  readonly data: Uint8Array;
}

type PeerSecrets = LoadSecrets['peers'][number];

/** What one peer says, in its order. Peers come one after the other and keep to their own beat, so that all are spread evenly. */
function write(workspace: string, registry: SecretRegistry, { peer, seed }: PeerSecrets, place: PeerPlace) {
  const session = `${peer}-1-e`;
  const author = createEnvelopeAuthor({
    ...{ ...ports, workspace, peer, session, kind: 'e', heads: createMemoryHeadStore() },
    signer: createNkeySigner(createSecret(fromBase64(seed, 'seed'))),
    sealer: createEnvelopeSealer({ ...ports, registry, peer }),
  });
  const trace = startTrace(ports.randomness.bytes);
  const said: Said[] = [];
  const say = (dueMs: number, verb: 'status' | 'telemetry', payload: object): void => {
    const subject = buildSubject({ plane: 'events', workspace, entity: session, verb });
    author.publish({ subject, payload: utf8(JSON.stringify(payload)), trace }, (bytes) => {
      said.push({ dueMs, peer: place.index, subject, data: Uint8Array.from(bytes) });
    });
  };
  const startMs = (place.index * joinMs) / place.count;
  say(startMs, 'status', { state: 'started', detail: { reason: `${peer} is ready` } });
  for (let beat = 1; startMs + beat * telemetryEveryMs < place.lastMs; beat++) {
    const dueMs = startMs + beat * telemetryEveryMs;
    const cpuPercent = Math.round(500 + 400 * Math.sin((place.index + beat) / 5)) / 10;
    say(dueMs, 'telemetry', { pid: 1000 + place.index, processes: 3, rssBytes: 50_000_000 + beat * 4096, cpuPercent });
    if ((beat * telemetryEveryMs) % heartbeatEveryMs === 0) say(dueMs, 'status', { state: 'heartbeat' });
  }
  return { session, said };
}

interface PeerPlace {
  readonly index: number;
  readonly count: number;
  readonly lastMs: number;
}

function writeAll({ workspace, secret, peers }: LoadSecrets, seconds: number) {
  const secrets = [
    { id: secret.id, secret: createSecret(fromBase64(secret.bytes, 'secret')), state: 'active', openOnlyUntilMs: null },
  ] as const;
  const registry = createSecretRegistry({ source: { secrets: () => secrets, version: () => 0 }, clock: ports.clock });
  const all = peers.map((peer, index) =>
    write(workspace, registry, peer, { index, count: peers.length, lastMs: seconds * 1000 }),
  );
  // Stable: what is due at once stays in its chain's order.
  const said = all.flatMap((one) => one.said).sort((left, right) => left.dueMs - right.dueMs);
  return { said, sessions: all.map(({ session }) => session) };
}

/** Sends what is due, as it falls due; `end` gives what was sent when the server has it. */
function play(connection: NatsConnection, said: readonly Said[]) {
  const startedMs = performance.now();
  let sentCount = 0;
  let latestMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now() - startedMs;
    for (let one = said[sentCount]; one !== undefined && one.dueMs <= nowMs; one = said[++sentCount]) {
      connection.publish(one.subject, one.data);
      latestMs = Math.max(latestMs, nowMs - one.dueMs);
    }
  }, tickMs);
  return async (): Promise<LoadReport> => {
    clearInterval(timer);
    const elapsedMs = performance.now() - startedMs;
    await connection.flush();
    if (sentCount === said.length)
      throw new Error(`all ${sentCount} envelopes were sent before the end: the machine is too busy for this`);
    return { sentCount, elapsedMs, latestMs };
  };
}

/** Answers orders, one after the other. */
function createLoad() {
  let connection: NatsConnection | undefined;
  let said: readonly Said[] = [];
  let end: (() => Promise<LoadReport>) | undefined;
  return async (order: LoadOrder): Promise<LoadAnswer> => {
    if (order.kind === 'prepare') {
      const startedMs = performance.now();
      connection ??= await connect({ servers: order.url, name: 'load' });
      const written = writeAll(order.secrets, order.seconds);
      said = written.said;
      const bytes = said.reduce((sum, { data }) => sum + data.length, 0);
      const tookMs = performance.now() - startedMs;
      return { kind: 'prepared', envelopes: said.length, bytes, tookMs, sessions: written.sessions };
    }
    if (connection === undefined) throw new Error('nothing is prepared');
    if (order.kind === 'play') {
      end = play(
        connection,
        said.filter(({ peer }) => peer < order.peers),
      );
      return { kind: 'playing' };
    }
    const report = await end?.();
    end = undefined;
    if (report === undefined) throw new Error('nothing is played');
    return { kind: 'stopped', ...report };
  };
}

const answer = createLoad();
process.on('message', (order: LoadOrder) => {
  void answer(order)
    .catch((error: unknown): LoadAnswer => ({ kind: 'failed', why: String(error) }))
    .then((said) => process.send?.(said));
});
process.on('disconnect', () => process.exit());
