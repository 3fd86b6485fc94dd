/**
 * Composition of what judges the messages of the workspace in the app, as the profile knows it: who may be believed, what opens them.
 * Law: constructs and connects, decides nothing.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import { keyAliasesOf } from '../shared/settings/key-aliases.ts';
import { createEnvelopeReader } from './envelope/envelope-reader.ts';
import { createEnvironmentSecret } from './envelope/environment-secret.ts';
import { createEnvelopeOpener } from './envelope/open-envelope.ts';
import { createPinnedRoot } from './envelope/pinned-root.ts';
import { createSecretRegistry } from './envelope/secret-registry.ts';
import { createProfileKnowledge } from './envelope/trust-knowledge.ts';
import { createProfileSignatureCheck, createWorkspaceSecrets } from './envelope/workspace-trust.ts';
import type { Profile } from './identity/profile.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Environment } from './settings/secret-sources.ts';
import { recordProblem } from './work/record-content.ts';

/** What it is made from. */
export interface WorkspaceJudgingPorts {
  readonly profile: Profile;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly logger: Logger;
}

/** The key store is looked at for what other processes have added or revoked so often, ms. */
const lookEveryMs = 2_000;

/** The aliases of the settings; the same map as long as they are the same. */
function createKeyAliases(text: () => string | null): () => ReadonlyMap<string, string> {
  let known = text();
  let aliases = keyAliasesOf(known);
  return () => {
    const current = text();
    if (current !== known) aliases = keyAliasesOf(current);
    known = current;
    return aliases;
  };
}

/** Builds it. `refresh` reads anew what comes from outside. */
export function createWorkspaceJudging(ports: WorkspaceJudgingPorts, workspace: string) {
  const { profile, clock, environment, logger } = ports;
  const { keyStore, records, settings } = profile;
  const held = createDisposer();
  const name = (): string => settings.settings().workspaceSecretEnv;
  const fromOutside = held.add(createEnvironmentSecret({ environment, name, logger }));
  const source = held.add(createWorkspaceSecrets({ keyStore, workspace, environmentSecret: fromOutside.entry }));
  const root = held.add(createPinnedRoot(keyStore, workspace));
  const { directory } = records;
  const aliases = createKeyAliases(() => settings.settings().keyAliases);
  const knowledge = held.add(createProfileKnowledge({ keyStore, directory, root, secrets: source, aliases, clock }));
  let heeded = aliases();
  held.add(
    settings.onChange(() => {
      if (aliases() === heeded) return;
      heeded = aliases();
      knowledge.changed();
    }),
  );
  // What another process revokes is missed by nothing here: it has to be looked for.
  held.add(clock.setTicker(lookEveryMs, () => knowledge.seekSecrets()));
  const { check: checkSignature, resolve } = createProfileSignatureCheck(records, root);
  const opener = createEnvelopeOpener({ registry: createSecretRegistry({ source, clock, aliases }), workspace });
  const policy = () => settings.settings().policy;
  const reader = createEnvelopeReader();
  return {
    judging: { opener, checkSignature, resolve, knowledge, policy, reader, contentProblem: recordProblem },
    secrets: source,
    async refresh(): Promise<void> {
      await fromOutside.refresh();
      knowledge.changed();
    },
    dispose: () => held.dispose(),
  };
}
