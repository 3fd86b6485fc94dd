/**
 * What is being done with connections and how it ended, by the name of the context; which dialog is open.
 * Law: one thing at a time for one context; nothing ends without a word, and what was called off is no failure.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { ConnectionContext, ConnectionTest } from '../../../shared/contract/connections-contract.ts';
import { describeError, type ErrorReport } from '../../ui/describe-error.ts';
import type { Workbench } from '../../workbench.tsx';

export type Outcome =
  | { readonly kind: 'running'; readonly doing: string }
  | { readonly kind: 'tested'; readonly result: ConnectionTest }
  | { readonly kind: 'failed'; readonly report: ErrorReport };

export type ImportOutcome =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'done';
      readonly imported: readonly string[];
      readonly skipped: readonly { readonly name: string; readonly why: string }[];
    }
  | { readonly kind: 'failed'; readonly report: ErrorReport };

export interface ConnectionWorkState {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly imported: ImportOutcome | undefined;
  /** Open dialog: `context` is the one that is changed; without one another is added. */
  readonly editing: { readonly context: ConnectionContext | undefined } | undefined;
  /** What is asked about before it is used, since these workers publish there then. */
  readonly moving: { readonly context: ConnectionContext; readonly workerCount: number } | undefined;
  /** Whether the streams of the workspace are to be made on the server in use. */
  readonly isProvisioning: boolean;
  /** What is asked about before it is removed. */
  readonly removing: ConnectionContext | undefined;
}

export interface ConnectionWork {
  readonly store: StoreApi<ConnectionWorkState>;
  test(name: string): Promise<void>;
  use(name: string): Promise<void>;
  /** As `use`, but asks first if workers would go along. */
  requestUse(context: ConnectionContext, workerCount: number): void;
  /** Asks for a `.creds` file in a window of main's own, or takes the one that waits so. */
  importCredentials(name: string, linkId?: number): Promise<void>;
  importNats(): Promise<void>;
  remove(name: string): Promise<void>;
  /** Takes away how the last thing ended. */
  dismiss(name: string): void;
  dismissImport(): void;
}

type Calls = Pick<Workbench['client']['connections'], 'test' | 'use' | 'importCredentials' | 'importNats' | 'remove'>;

export interface ConnectionWorkDeps {
  readonly client: Calls;
  readonly notify: (text: string) => void;
}

/** Creates it with nothing under way. */
export function createConnectionWork({ client, notify }: ConnectionWorkDeps): ConnectionWork {
  const store = createStore<ConnectionWorkState>(() => ({
    outcomes: new Map(),
    imported: undefined,
    editing: undefined,
    moving: undefined,
    isProvisioning: false,
    removing: undefined,
  }));

  function put(name: string, outcome: Outcome | undefined): void {
    const outcomes = new Map(store.getState().outcomes);
    if (outcome === undefined) outcomes.delete(name);
    else outcomes.set(name, outcome);
    store.setState({ outcomes });
  }

  async function run(name: string, doing: string, call: () => Promise<Outcome | undefined>): Promise<void> {
    if (store.getState().outcomes.get(name)?.kind === 'running') return;
    put(name, { kind: 'running', doing });
    try {
      put(name, await call());
    } catch (error) {
      const isFailure = !isVakError(error, 'aborted');
      put(name, isFailure ? { kind: 'failed', report: describeError(`${doing} ${name}`, error) } : undefined);
    }
  }

  const use = (name: string): Promise<void> =>
    run(name, 'Use', async () => {
      await client.use({ name });
      return undefined;
    });

  return {
    store,
    test: (name) => run(name, 'Test', async () => ({ kind: 'tested', result: await client.test({ name }) })),
    use,
    requestUse(context, workerCount) {
      if (workerCount > 0) store.setState({ moving: { context, workerCount } });
      else void use(context.name);
    },
    importCredentials: (name, linkId) =>
      run(name, 'Import credentials for', async () => {
        const { isImported } = await client.importCredentials({ name, linkId });
        if (isImported) notify(`The credentials for ${name} are in the key store.`);
        return undefined;
      }),
    async importNats() {
      if (store.getState().imported?.kind === 'running') return;
      store.setState({ imported: { kind: 'running' } });
      try {
        store.setState({ imported: { kind: 'done', ...(await client.importNats({})) } });
      } catch (error) {
        const report = describeError('Import contexts of the nats command line', error);
        store.setState({ imported: isVakError(error, 'aborted') ? undefined : { kind: 'failed', report } });
      }
    },
    remove: (name) =>
      run(name, 'Remove', async () => {
        await client.remove({ name });
        return undefined;
      }),
    dismiss: (name) => put(name, undefined),
    dismissImport: () => store.setState({ imported: undefined }),
  };
}
