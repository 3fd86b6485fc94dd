/** Dead letters of a workspace as the app watches them: a watched place, letters that workers wrote on it, and the calls about them. */
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { createStateReader } from '../../src/engine/identity/state-values.ts';
import { type BundleService, createBundleService } from '../../src/engine/triage/bundle-service.ts';
import { type BundlesService, createBundlesService } from '../../src/engine/triage/bundles-service.ts';
import type { Failure } from '../../src/engine/triage/fingerprint.ts';
import { createHeardMessages } from '../../src/engine/triage/heard-messages.ts';
import { createLetterAnswers, type LetterAnswers } from '../../src/engine/triage/letter-answers.ts';
import { createLetterPlans } from '../../src/engine/triage/letter-plans.ts';
import { createLetterWatch, type LetterWatch } from '../../src/engine/triage/letter-watch.ts';
import { createLettersService, type LetterCalls } from '../../src/engine/triage/letters-service.ts';
import { writeDeadLetter } from '../../src/engine/work/dead-letter.ts';
import { toText } from '../../src/shared/base/bytes.ts';
import type { LettersState } from '../../src/shared/contract/dlq-contract.ts';
import { root } from './identity-fixture.ts';
import { createLineLogger } from './line-logger.ts';
import { createScriptedPrompt, type ScriptedPrompt } from './scripted-prompt.ts';
import { type TrustedPeer, trustedWorkspace as ws } from './trusted-workspace.ts';
import { openWatchedPlace, type StoredTask, type WatchedPlace } from './watched-place.ts';

export interface BuriedTask extends StoredTask {
  /** Of the dead letter's own envelope. */
  readonly letterId: string;
  /** Bytes of the task. */
  readonly data: Uint8Array;
}

export interface Burial {
  readonly task?: object;
  /** In place of a task: what is no envelope. */
  readonly raw?: Uint8Array;
  readonly queue?: string;
  readonly by?: TrustedPeer;
  readonly byName?: string;
  readonly causationId?: string;
  readonly failure?: Partial<Failure>;
  readonly more?: object;
}

export interface LetterPlace extends Omit<WatchedPlace, 'close'> {
  readonly letters: LetterWatch;
  readonly calls: LetterCalls;
  readonly answers: LetterAnswers;
  readonly changes: { count: number; bundleCount: number };
  readonly bundles: BundleService;
  /** Opens bundles; the workspace's root is known, and so are the cards that are pinned here. */
  readonly openings: BundlesService;
  readonly pinned: Set<string>;
  /** Public nkey of the workspace's root, as whoever opens a bundle knows it. */
  readonly known: { root: string | undefined };
  /** Answers where a bundle is to be written. */
  readonly prompt: ScriptedPrompt;
  state(): LettersState;
  /** Begins to watch, and waits until all is read. */
  begin(): Promise<void>;
  /** A worker's dead letter of a task that a coordinator wrote. */
  bury(burial?: Burial): Promise<BuriedTask>;
  during<T>(work: Promise<T> | T): Promise<T>;
  close(): Promise<void>;
}

const plain: Failure = { errorClass: 'exit.7', reason: 'exit code 7' };

/** Opens it on an engine. */
export async function openLetterPlace(engine: 'embedded' | 'nats-server' = 'embedded'): Promise<LetterPlace> {
  const place = await openWatchedPlace(engine);
  const { clock, fabric, workspace, operator, app, watch } = place;
  const { judge, judging, reader, opener, resolve, randomness, buffer } = workspace;
  const { durable } = fabric;
  const state = createStateReader({ workspace: ws, verifier: createRecordChecks().verifier, resolve });
  const changes = { count: 0, bundleCount: 0 };
  const letters = createLetterWatch({
    ...{ workspace: ws, judge, reader, state, basis: workspace.basis, clock },
    logger: createLineLogger(place.log as string[], () => clock.now()),
    isOpen: () => app.isOpen,
    engine: () => (app.destination === undefined ? undefined : { destination: app.destination }),
    live: { bus: fabric.bus, durable, status: () => fabric.status() },
    onRefused: ({ isSound, ...refused }) => watch.work()?.refusals.note(refused, isSound),
    onTakenBack: (proven) => watch.work()?.refusals.takeBack(proven),
    onChange() {
      changes.count++;
    },
  });
  const answers = createLetterAnswers({ letters: letters.letters, opener, clock });
  const own = { clock, randomness, environment: () => app.destination ?? 'none', destination: () => app.destination };
  const plans = createLetterPlans({ ...own, whyLeftOut: answers.whyLeftOut });
  const heard = createHeardMessages({ workspace: ws, buffer, reader });
  const prompt = createScriptedPrompt();
  const service = createLettersService({
    ...{ ...own, ...operator, workspace: ws, durable, judge, reader, opener, state, watch: letters, answers },
    checkSignature: judging.checkSignature,
    ...{ plans, heard, exports: () => bundles.exports() },
  });
  const bundles = createBundleService({
    ...{ ...own, ...operator, workspace: ws, plans, letters: letters.letters, prompt },
    sources: {
      ...{ judge, reader, opener, heard, look: answers.look, grants: workspace.grants },
      checkSignature: judging.checkSignature,
    },
    root: () => root.nkey,
    onChange() {
      changes.count++;
    },
  });
  const pinned = new Set<string>();
  const known = { root: root.nkey as string | undefined };
  const openings = createBundlesService({
    ...{
      prompt,
      clock,
      randomness,
      isOpen: () => app.isOpen,
      rootOf: (name) => (name === ws ? known.root : undefined),
    },
    isPinned: ({ peer, sign }) => pinned.has(`${peer} ${sign}`),
    onChange() {
      changes.bundleCount++;
    },
  });

  async function during<T>(work: Promise<T> | T): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    Promise.resolve(work).then(end, end);
    while (!isOver) await place.settle();
    return await work;
  }

  async function bury(burial: Burial = {}): Promise<BuriedTask> {
    const { task = { command: ['false'] }, queue = 'q', failure = plain, byName = 'wanda', causationId, more } = burial;
    const by = burial.by ?? place.peer(byName, 'worker');
    const subject = `vak.work.${ws}.${queue}.task`;
    const carla = place.peer('carla', 'coordinator', 'q');
    const written = carla.write(task, '', subject, causationId === undefined ? {} : { causationId });
    const data = burial.raw ?? written.data;
    const reading = reader.read(data);
    const at = new Date(clock.now()).toISOString();
    const message = { stream: '', seq: 1, subject, data, storedMs: clock.now(), messageId: undefined };
    const death = { ...plain, ...failure, attempts: 1, history: [], failedAt: at, workerId: byName };
    const { stack, ...rest } = death;
    const payload = await during(
      writeDeadLetter({
        ...{ message, reading, peer: byName, durable },
        death: { ...rest, ...(stack === undefined ? {} : { stack }) },
      }),
    );
    const said = { ...JSON.parse(toText(payload)), ...more };
    const { seq, id: letterId } = await place.append(by, said, `vak.dlq.${ws}.${byName}.failed`);
    return { id: written.envelope.id, leaf: said.taskLeaf, seq, letterId, data };
  }

  return {
    ...{
      ...place,
      letters,
      calls: service.calls,
      answers,
      changes,
      bundles,
      openings,
      pinned,
      known,
      prompt,
      state: service.state,
      bury,
      during,
    },
    async begin() {
      place.watch.follow();
      letters.follow();
      await place.until(() => letters.letters()?.readAtMs() !== undefined && letters.letters()?.readAtMs() !== null);
    },
    async close() {
      letters.dispose();
      await place.close();
    },
  };
}
