/**
 * Connections as the app shows and changes them (product.md "Engines and headless peers").
 * Law: settings own the contexts, the key store their secrets; here both are only joined, and no secret is shown.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { ConnectionsState, Outage } from '../../shared/contract/connections-contract.ts';
import type { CallContext, Services } from '../../shared/contract/define-contract.ts';
import { embeddedContext } from '../../shared/settings/setting-keys.ts';
import type { KeyStore } from '../identity/key-store.ts';
import type { Secret } from '../identity/secret.ts';
import type { OutboxWaiting } from '../outbox/outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import type { SettingsFile } from '../settings/settings-file.ts';
import type { ConnectionSwitch } from './connection-switch.ts';
import { checkContextInput } from './context-input.ts';
import { type ContextSecretPart, contextCredentials, storeContextSecrets } from './context-secrets.ts';
import { readCredsFile } from './creds-file.ts';
import { type NatsCliContext, readNatsCliContexts } from './nats-cli-contexts.ts';
import { testConnection } from './test-connection.ts';

type Calls = Services<AppContract>['connections'];

export interface ConnectionsService extends Disposable {
  readonly calls: Calls;
  state(): ConnectionsState;
}

/** What the service is made of. */
export interface ConnectionsServiceDeps {
  readonly connection: ConnectionSwitch;
  readonly settings: SettingsFile;
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'update'>;
  readonly prompt: OperatorPrompt;
  readonly clock: Clock;
  /** Contexts of the `nats` command line, and what `~` stands for in them. */
  readonly natsCli: { readonly folder: string; readonly home: string };
  /** What the operator has published and no server has acknowledged; undefined while there is no outbox. */
  readonly waiting: () => Pick<OutboxWaiting, 'count' | 'oldestMs'> | undefined;
  /** What is wrong with the outbox. */
  readonly outboxProblem: () => ErrorShape | undefined;
  /** Newest place in the engine's buffer. */
  readonly newestSeq: () => number;
  readonly onChange: () => void;
}

const rttEveryMs = 5_000;
const maxOutages = 32;

interface CredentialsAsked {
  readonly name: string;
  readonly linkId?: number | undefined;
}

/** Creates the service. */
export function createConnectionsService(deps: ConnectionsServiceDeps): ConnectionsService {
  const { connection, settings, keyStore, prompt, clock, onChange } = deps;
  const held = createDisposer();
  const outages: Outage[] = [];
  let rttMs: number | null = null;
  let isPinging = false;

  async function measure(): Promise<void> {
    if (isPinging || connection.live.facts().kind === 'embedded') return;
    isPinging = true;
    try {
      rttMs = await connection.live.ping();
    } catch (error) {
      if (!isVakError(error)) throw error;
      rttMs = null;
    } finally {
      isPinging = false;
      onChange();
    }
  }

  function noteOutage({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number | null }): void {
    const last = outages.at(-1);
    if (last !== undefined && last.toMs === null) outages[outages.length - 1] = { ...last, toMs };
    else outages.push({ fromMs, toMs, afterSeq: deps.newestSeq() });
    if (outages.length > maxOutages) outages.shift();
    onChange();
  }

  held.add(connection.onChange(onChange));
  held.add(connection.live.onOutage(noteOutage));
  held.add(clock.setTicker(rttEveryMs, () => void measure()));

  function credentialsOf(name: string): ConnectionsState['contexts'][number]['credentials'] {
    if (keyStore.state().kind !== 'unlocked') return 'none';
    return contextCredentials(name, keyStore.read().credentials);
  }

  function outboxState(): ConnectionsState['outbox'] {
    const [waiting, wrong = null] = [deps.waiting(), deps.outboxProblem()];
    if (waiting === undefined && wrong === null) return null;
    return { waitingCount: waiting?.count ?? 0, oldestMs: waiting?.oldestMs ?? null, problem: wrong };
  }

  function state(): ConnectionsState {
    const status = connection.status();
    const { server, missing } = connection.live.facts();
    const lost = outages.at(-1);
    const isLost = lost !== undefined && lost.toMs === null;
    return {
      contexts: settings.settings().contexts.map(({ name, kind, natsUrl, colour, readOnly }) => ({
        ...{ name, kind, url: natsUrl, colour, isReadOnly: readOnly },
        credentials: credentialsOf(name),
      })),
      current: connection.current(),
      status,
      staleSinceMs: isLost ? lost.fromMs : status.kind === 'stale' ? status.sinceMs : null,
      server,
      rttMs: status.kind === 'connected' ? rttMs : null,
      missing,
      outbox: outboxState(),
      outages: [...outages],
      problem: connection.problem() ?? null,
    };
  }

  function checkOwn(name: string, doing: string): void {
    if (name === embeddedContext) {
      throw new VakError('invalid-input', `${doing}: the embedded engine is always there and cannot be changed`, {
        details: { field: 'name' },
      });
    }
  }

  async function save(input: Parameters<Calls['save']>[0]): Promise<void> {
    const { name, kind, url, colour, isReadOnly } = input;
    checkOwn(name, 'save');
    // All of it before any: what is refused at its second field would be kept by half.
    checkContextInput(input);
    await settings.set(`contexts.${name}.kind`, kind);
    if (url !== null && kind === 'remote') await settings.set(`contexts.${name}.url`, url);
    else await settings.delete(`contexts.${name}.url`);
    await settings.set(`contexts.${name}.colour`, colour);
    await settings.set(`contexts.${name}.readOnly`, isReadOnly);
    onChange();
  }

  async function remove({ name }: { readonly name: string }): Promise<void> {
    checkOwn(name, 'remove');
    if (name === connection.current() || name === settings.settings().currentContext) {
      throw new VakError('invalid-input', `${name} is in use; use another connection first`, {
        details: { field: 'name' },
      });
    }
    await storeContextSecrets(keyStore, name, new Map());
    await settings.delete(`contexts.${name}`);
    onChange();
  }

  async function takeOver({ name, url, secrets }: NatsCliContext): Promise<void> {
    await settings.set(`contexts.${name}.kind`, 'remote');
    await settings.set(`contexts.${name}.url`, url);
    await storeContextSecrets(keyStore, name, secrets);
  }

  async function importNats(): ReturnType<typeof importResult> {
    return importResult(await readNatsCliContexts(deps.natsCli));
  }

  async function importResult({ contexts, skipped }: Awaited<ReturnType<typeof readNatsCliContexts>>) {
    const known = new Set(settings.settings().contexts.map(({ name }) => name));
    const imported: string[] = [];
    const left = [...skipped];
    try {
      for (const context of contexts) {
        if (known.has(context.name)) left.push({ name: context.name, why: 'there is a context of that name already' });
        else {
          await takeOver(context);
          imported.push(context.name);
          for (const why of context.notes) left.push({ name: context.name, why });
        }
      }
    } finally {
      for (const { secrets } of contexts) for (const secret of secrets.values()) secret.dispose();
      onChange();
    }
    return { imported, skipped: left };
  }

  async function importCredentials({ name, linkId }: CredentialsAsked): Promise<{ readonly isImported: boolean }> {
    checkOwn(name, 'import');
    let path: string;
    try {
      path = await prompt.chooseOpenFile({ title: `Credentials of ${name}`, linkId });
    } catch (error) {
      if (!isVakError(error, 'aborted')) throw error;
      return { isImported: false };
    }
    const { jwt, seed } = await readCredsFile(path, 'credentials');
    try {
      await storeContextSecrets(
        keyStore,
        name,
        new Map<ContextSecretPart, Secret>([['jwt', jwt], ...(seed === undefined ? [] : [['seed', seed] as const])]),
      );
    } finally {
      jwt.dispose();
      seed?.dispose();
    }
    if (name === connection.current()) connection.follow(true);
    onChange();
    return { isImported: true };
  }

  return {
    state,
    calls: {
      async test({ name }, { signal }: CallContext) {
        const fabric = await connection.connect(name, signal);
        try {
          const { rttMs: took, server, jetStream, missing } = await testConnection(fabric, signal);
          return { rttMs: took, server, jetStream, missing };
        } finally {
          await fabric.close();
        }
      },
      async use({ name }) {
        await connection.use(name);
        await settings.set('currentContext', name);
        rttMs = null;
        void measure();
        onChange();
      },
      ...{ save, remove, importNats, importCredentials },
    },
    dispose: () => held.dispose(),
  };
}
