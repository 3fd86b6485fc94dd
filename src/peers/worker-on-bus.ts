/** The worker by hand on a bus: an identity of a profile that runs one command and publishes what it says (protocol.md E8, E12, B8, I3). */
import type { Fabric } from '../engine/bus/fabric.ts';
import { createEnvelopeAuthor } from '../engine/envelope/envelope-author.ts';
import { createEnvelopeSealer } from '../engine/envelope/envelope-sealer.ts';
import { openFileHeadStore } from '../engine/envelope/file-head-store.ts';
import { createPinnedRoot, type PinnedRoot } from '../engine/envelope/pinned-root.ts';
import { createSecretRegistry, type SecretRegistry } from '../engine/envelope/secret-registry.ts';
import { createProfileKnowledge } from '../engine/envelope/trust-knowledge.ts';
import { createProfileSignatureCheck } from '../engine/envelope/workspace-trust.ts';
import { grantAt } from '../engine/identity/grant-timeline.ts';
import { type OwnCredentials, takeCredentials } from '../engine/identity/own-credentials.ts';
import { createCredentialIssuer } from '../engine/identity/peer-credentials.ts';
import { createStandings, watchStanding } from '../engine/identity/standing.ts';
import { outboxFolder } from '../engine/outbox/outbox-folder.ts';
import { createSessionId, createUuid } from '../engine/ports/randomness.ts';
import { sessionMarker } from '../engine/work/command-environment.ts';
import { createEnvelopeOutlet } from '../engine/work/envelope-outlet.ts';
import { createGuardian } from '../engine/work/guardian.ts';
import type { SessionOutlet } from '../engine/work/session-publisher.ts';
import { createWorkerSession } from '../engine/work/worker-session.ts';
import { createDisposer, type Disposable } from '../shared/base/disposer.ts';
import { type ErrorCode, isVakError, VakError } from '../shared/base/vak-error.ts';
import { startTrace } from '../shared/protocol/trace-context.ts';
import { type BusPlace, lockUnlessNeeded, withBus } from './cli/bus-connection.ts';
import { followDirectory, readyMs } from './cli/bus-directory.ts';
import type { CliHost } from './cli/command.ts';
import { checkSources } from './cli/envelope-workspace.ts';
import { firstUseRights } from './cli/first-use.ts';
import { createOutageTalk } from './cli/outage-talk.ts';
import { publishAs, rootPerson } from './cli/publish-records.ts';
import { type OpenWorkspace, withWorkspace } from './cli/workspace.ts';
import { commonOf, createBusHost, refuseSecretsInEnvironment, requirePassphraseFile } from './worker-bus-host.ts';
import { createPrintingOutlet, endSignals, exitCodes, watchForEnd } from './worker-console.ts';
import type { WorkerHost } from './worker-host.ts';
import { openWorkerInbox, type WorkerInbox } from './worker-inbox.ts';
import type { BusUsage, WorkerUsage } from './worker-usage.ts';

type Usage = WorkerUsage & { readonly bus: BusUsage };

/** The command of a worker that cannot publish is ended in this time, ms. */
const failureGraceMs = 500;

const codeOf: Partial<Record<ErrorCode, number>> = {
  'invalid-input': exitCodes.badUsage,
  'invalid-payload': exitCodes.badUsage,
  'limit-exceeded': exitCodes.badUsage,
  'secret-misplaced': exitCodes.badUsage,
  closed: exitCodes.unreachable,
  disconnected: exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  aborted: exitCodes.interrupted,
};

/** The first thing that keeps the worker from going on; who listens is told once. */
function createFailure() {
  let first: VakError | undefined;
  let listener = (_: VakError): void => {};
  return {
    get: () => first,
    set(error: VakError): void {
      if (first !== undefined) return;
      first = error;
      listener(error);
    },
    /** Tells also of what came before. */
    onSet(next: (error: VakError) => void): void {
      listener = next;
      if (first !== undefined) next(first);
    },
  };
}

type Failure = ReturnType<typeof createFailure>;

/** What the session says goes to stdout and to the bus; the slower of the two sets the pace. */
function createTwofoldOutlet(printed: SessionOutlet, published: SessionOutlet): SessionOutlet {
  return {
    publish(subject, payload, trace) {
      printed.publish(subject, payload, trace);
      published.publish(subject, payload, trace);
    },
    isWritable: async () => (await printed.isWritable()) && (await published.isWritable()),
  };
}

/** Waits until the server has taken, or refused, what was published. While it is away there is nothing to wait for. */
async function settle(fabric: Fabric): Promise<void> {
  try {
    await fabric.ping();
    await fabric.ping();
  } catch (error) {
    if (!isVakError(error)) throw error;
  }
}

interface Running {
  readonly usage: Usage;
  readonly host: WorkerHost;
  readonly cli: CliHost;
  readonly open: OpenWorkspace;
  readonly fabric: Fabric;
  readonly place: BusPlace;
  readonly own: OwnCredentials;
  readonly root: PinnedRoot;
  readonly failure: Failure;
}

/** Begins the session of one worker on the bus. `close` says how many messages did not get there, and keeps the chain's head. */
async function openSession(running: Running) {
  const { usage, host, cli, open, fabric, own, failure } = running;
  const { clock, randomness, logger, output } = cli;
  const { workspace, peer } = usage;
  const session = createSessionId(peer, randomness);
  const held = createDisposer();
  const heads = await openFileHeadStore({
    ...{ path: open.profile.files.heads, clock, randomness },
    report: (error) => output.talk(`worker: ${error.message}`),
  });
  const registry = createSecretRegistry({ source: own.secrets, clock });
  held.defer(() => registry.forget());
  const author = createEnvelopeAuthor({
    ...{ workspace, peer, session, kind: 'e', signer: own.signer, clock, randomness, heads },
    sealer: createEnvelopeSealer({ registry, peer, clock, randomness }),
  });
  const published = createEnvelopeOutlet({
    ...{ bus: fabric.bus, author, logger },
    onFailure: (reason) => failure.set(new VakError('forbidden', `it could not publish: ${reason}`)),
  });
  const guardian = held.add(createGuardian({ logger, marker: sessionMarker(session) }));
  held.add(
    fabric.onStatus(
      createOutageTalk(cli, {
        lost: 'worker: the connection is lost; it is sought until it is back, and the command runs on',
        back: (after) => `worker: the connection is back after ${after}; what was said meanwhile did not reach the bus`,
        onClosed: failure.set,
      }),
    ),
  );
  const worker = createWorkerSession({
    ...{ ...host, logger, workspace, peer, session },
    outlet: createTwofoldOutlet(createPrintingOutlet(host), published),
    groups: { started: guardian.add, ended: guardian.remove },
  });
  return {
    worker,
    openInbox: (cancel: (by: string) => void) => openInboxOf(running, { session, registry, cancel }),
    async close(): Promise<void> {
      await settle(fabric);
      const { droppedCount } = fabric.bus.metrics();
      held.dispose();
      await heads.close();
      // A failure says it itself.
      if (droppedCount > 0 && failure.get() === undefined)
        output.talk(`worker: ${droppedCount} messages or more did not reach the bus`);
    },
  };
}

interface Listening {
  readonly session: string;
  readonly registry: SecretRegistry;
  readonly cancel: (by: string) => void;
}

/** Listens to what this worker is told by name. */
async function openInboxOf(
  { usage, cli, open, fabric, place, own, root }: Running,
  { session, registry, cancel }: Listening,
): Promise<WorkerInbox | undefined> {
  const { workspace, peer } = usage;
  const { profile, directory } = open;
  const { keyStore, files, settings } = profile;
  const knowledge = createProfileKnowledge({
    ...{ keyStore, directory, root, secrets: own.secrets, clock: cli.clock },
  });
  const folder = outboxFolder(files.outbox, { workspace, peer, destination: place.destination });
  const { check: checkSignature } = createProfileSignatureCheck(open, root);
  const inbox = await openWorkerInbox(
    {
      ...{ fabric, folder, session, registry, checkSignature, knowledge, signer: own.signer },
      ...{ policy: () => settings.settings().policy, onCancel: cancel },
    },
    cli,
  );
  if (inbox === undefined) knowledge.dispose();
  return inbox === undefined ? undefined : { close: () => inbox.close().finally(() => knowledge.dispose()) };
}

/** A worker whose grant is over ends, and says why. */
function followStanding({ usage, cli, open, own, failure }: Running): Disposable {
  const { workspace, peer } = usage;
  const { clock } = cli;
  const { directory } = open;
  const standing = createStandings({ workspace, directory, rootPublic: own.rootPublic, clock });
  return watchStanding({
    ...{ peer, sign: own.grant.sign, standing, directory, clock },
    onChange(now) {
      if (now.kind === 'over')
        failure.set(new VakError('forbidden', `${peer}: ${now.why}; grant it again where the root is (vak grant add)`));
    },
  });
}

async function runTask(running: Running): Promise<number> {
  const { usage, cli, fabric, failure } = running;
  const { clock, randomness, signal, output } = cli;
  const { worker, openInbox, close } = await openSession(running);
  const watch = watchForEnd(worker);
  const standing = followStanding(running);
  let inbox: WorkerInbox | undefined;
  const stop = (reason: string) =>
    worker.stop({ reason, cause: 'bus-closed', finishWithinMs: 0, graceMs: failureGraceMs });
  try {
    // Whoever may not publish is told before the command begins.
    await settle(fabric);
    // It may be in the middle of a command's event.
    failure.onSet((error) => clock.defer(() => void stop(error.message)));
    const refused = failure.get();
    if (refused !== undefined) throw refused;
    if (signal.aborted) throw new VakError('aborted', 'interrupted');
    const order = { taskId: createUuid(clock, randomness), task: usage.task, trace: startTrace(randomness.bytes) };
    // It may have ended by itself meanwhile.
    inbox = await openInbox(() => void worker.cancel(order.taskId).catch(() => undefined));
    const outcome = await worker.start(order).outcome;
    await worker.stop({ reason: 'the command is over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 0 });
    const cause = watch.cause();
    if (cause === 'signal') return exitCodes.interrupted;
    const failed = failure.get();
    if (failed !== undefined) throw failed;
    if (cause === 'reader') return exitCodes.done;
    if (outcome.state === 'done') return exitCodes.done;
    output.complain(outcome.detail.reason);
    return exitCodes.failed;
  } finally {
    standing.dispose();
    await inbox?.close();
    await stop('it cannot go on');
    await close();
  }
}

/** Gives the identity its keys, its card and its grant, as the app gives them to its own workers; a worker of other queues stays that. */
async function takeIdentity({ workspace, peer }: Usage, open: OpenWorkspace, cli: CliHost): Promise<OwnCredentials> {
  const { clock, randomness } = cli;
  const issue = createCredentialIssuer({ keyStore: open.profile.keyStore, records: open, clock, randomness });
  const held = grantAt(open.timelines(open.contents())(peer), clock.now())?.grant;
  const { roles, queues } = firstUseRights;
  const wanted = { peer, roles, queues: held?.roles.includes('worker') === true ? held.queues : queues };
  return takeCredentials(await issue(wanted), { workspace, peer });
}

async function runInWorkspace(usage: Usage, host: WorkerHost, cli: CliHost): Promise<number> {
  const common = commonOf(usage, cli);
  await checkSources(common, cli);
  return await withWorkspace(common, cli, async (open) => {
    const { profile } = open;
    refuseSecretsInEnvironment(cli.environment, { more: [profile.settings.settings().workspaceSecretEnv] });
    profile.keyStore.setIdleLockMinutes(0);
    const failure = createFailure();
    let granted: OwnCredentials['grant'] | undefined;
    const whose = { peer: usage.peer, granted: () => granted };
    const asked = { common, profile, host: cli, ...whose, onRefused: failure.set };
    return await withBus(asked, async (fabric, place) => {
      const root = createPinnedRoot(profile.keyStore, usage.workspace);
      // Before the key store is locked.
      root.current();
      const { peer } = usage;
      const busDirectory = followDirectory({ open, peer, fabric, isPublishing: true }, cli);
      let own: OwnCredentials | undefined;
      try {
        // What was granted or revoked meanwhile counts before anything is taken for granted.
        await busDirectory.ready(readyMs);
        own = await takeIdentity(usage, open, cli);
        granted = own.grant;
        const person = rootPerson(open);
        if (person !== undefined && busDirectory.lacksGrants()) await publishAs(person, { open, common }, cli);
        lockUnlessNeeded(common, open);
        return await runTask({ usage, host, cli, open, fabric, place, own, root, failure });
      } finally {
        own?.dispose();
        root.dispose();
        await busDirectory.close();
      }
    });
  });
}

/** Runs the command as a worker of the workspace and gives the exit code; what went wrong is said. Throws only what is a bug. */
export async function runOnBus(usage: Usage, host: WorkerHost): Promise<number> {
  const interruption = new AbortController();
  for (const signal of endSignals) process.on(signal, () => interruption.abort());
  const cli = createBusHost(host, { signal: interruption.signal, isQuiet: usage.bus.isQuiet });
  try {
    refuseSecretsInEnvironment(cli.environment);
    requirePassphraseFile(cli.environment);
    return await runInWorkspace(usage, host, cli);
  } catch (error) {
    if (!isVakError(error)) throw error;
    cli.output.complain(error.message);
    if (interruption.signal.aborted) return exitCodes.interrupted;
    // What a server, or the system, says of its own limits is its answer, not a fault of the line.
    const isAnswer = error.details?.['serverCode'] !== undefined || error.details?.['systemCode'] !== undefined;
    if (isAnswer && codeOf[error.code] === exitCodes.badUsage) return exitCodes.failed;
    return codeOf[error.code] ?? exitCodes.failed;
  } finally {
    await cli.output.flush();
  }
}
