/** What judges and opens the messages of a workspace, as a profile knows it, for as long as a command runs. */
import { createEnvelopeReader } from '../../engine/envelope/envelope-reader.ts';
import { createEnvelopeOpener } from '../../engine/envelope/open-envelope.ts';
import { createPinnedRoot } from '../../engine/envelope/pinned-root.ts';
import { createSecretRegistry, type WorkspaceSecretEntry } from '../../engine/envelope/secret-registry.ts';
import { createStoredJudge, type StoredJudge, type StoredJudgeDeps } from '../../engine/envelope/stored-judge.ts';
import { createFixedKnowledge, createProfileKnowledge } from '../../engine/envelope/trust-knowledge.ts';
import { createProfileSignatureCheck } from '../../engine/envelope/workspace-trust.ts';
import { createSecret } from '../../engine/identity/secret.ts';
import { createRecordChecks } from '../../engine/identity/signed-record.ts';
import { createStateReader, type StateReader } from '../../engine/identity/state-values.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { CliHost } from './command.ts';
import type { EnvelopeWorkspace } from './envelope-workspace.ts';

export interface WorkspaceTrust extends Disposable, Omit<StoredJudgeDeps, 'knowledge' | 'opener'> {
  readonly opener: ReturnType<typeof createEnvelopeOpener>;
  readonly knowledge: ReturnType<typeof createFixedKnowledge>;
  /** Judges messages of streams. */
  readonly judge: StoredJudge;
  /** Reads values of the workspace's state. */
  readonly state: StateReader;
}

/** Secrets of our own: the key store erases its when it locks. */
function copiesOf(secrets: readonly WorkspaceSecretEntry[]): readonly WorkspaceSecretEntry[] {
  return secrets.map((one) => ({ ...one, secret: createSecret(one.secret.reveal().slice()) }));
}

/** Creates it. Where the workspace is not open, no signature can be judged. */
export function createWorkspaceTrust(
  {
    open,
    profile,
    secrets,
    workspace,
  }: Pick<EnvelopeWorkspace, 'open' | 'profile' | 'secrets'> & { readonly workspace: string },
  { clock }: CliHost,
): WorkspaceTrust {
  const held = createDisposer();
  const own = copiesOf(secrets);
  held.defer(() => {
    for (const { secret } of own) secret.dispose();
  });
  const source = { secrets: () => own, version: () => 0 };
  const { keyStore } = profile;
  const root = held.add(createPinnedRoot(keyStore, workspace));
  const signatures = open === undefined ? undefined : createProfileSignatureCheck(open, root);
  const knowledge =
    open === undefined
      ? createFixedKnowledge()
      : held.add(createProfileKnowledge({ keyStore, directory: open.directory, root, secrets: source, clock }));
  const deps = {
    ...{ workspace, knowledge, reader: createEnvelopeReader() },
    opener: createEnvelopeOpener({ registry: createSecretRegistry({ source, clock }), workspace }),
    policy: () => profile.settings.settings().policy,
    checkSignature: (...[envelope, subject, atMs]: Parameters<StoredJudgeDeps['checkSignature']>) =>
      signatures?.check(envelope, subject, atMs),
  };
  const { verifier } = createRecordChecks();
  const state = createStateReader({ workspace, verifier, resolve: (question) => signatures?.resolve(question) });
  return { ...deps, judge: createStoredJudge(deps), state, dispose: () => held.dispose() };
}
