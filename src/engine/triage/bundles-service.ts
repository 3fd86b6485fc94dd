/**
 * The calls of the Dead letters view that open an incident bundle of another workbench (docs/spec/triage.md D14).
 * Law: which file the person at the machine says, and nobody else; one is open at a time, and none while the key store is locked.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type {
  BundleOpening,
  BundleReport,
  BundlesState,
  bundlesContract,
} from '../../shared/contract/bundles-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import { type BundleSource, openBundleSource } from './bundle-source.ts';
import { type BundleLookDeps, lookThroughBundle, type OpenedBundle } from './opened-bundle.ts';

export interface BundlesServiceDeps extends Pick<BundleLookDeps, 'rootOf' | 'isPinned'> {
  readonly prompt: Pick<OperatorPrompt, 'chooseOpenFile'>;
  /** The key store is open. */
  readonly isOpen: () => boolean;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onChange: () => void;
}

/** Disposing closes what is open. */
export interface BundlesService extends Disposable {
  readonly calls: Services<{ readonly bundles: typeof bundlesContract }>['bundles'];
  state(): BundlesState;
  /** Closes what is open, and ends what is being looked through: the key store was locked. */
  lock(): void;
}

const title = 'Open an incident bundle';
const toldEveryMs = 250;
/** So long nobody else waits. */
const turnMs = 4;

/** Lets others run whenever a turn was long enough. */
function createRest(clock: Clock): () => Promise<void> {
  let sinceMs = clock.monotonic();
  return async () => {
    if (clock.monotonic() - sinceMs < turnMs) return;
    await new Promise<void>((resolve) => clock.defer(resolve));
    sinceMs = clock.monotonic();
  };
}

interface Open {
  readonly bundleId: string;
  readonly bundle: OpenedBundle;
}

/** Creates it with none open. */
export function createBundlesService(deps: BundlesServiceDeps): BundlesService {
  const { prompt, rootOf, isPinned, isOpen, clock, randomness, onChange } = deps;
  let opened: Open | undefined;
  let opening: (BundleOpening & { readonly stop: AbortController }) | undefined;
  let toldMs = Number.NEGATIVE_INFINITY;

  function tell(): void {
    toldMs = clock.monotonic();
    onChange();
  }

  function close(): void {
    void opened?.bundle.close();
    opened = undefined;
    tell();
  }

  function lock(): void {
    opening?.stop.abort();
    if (opened !== undefined) close();
  }

  async function look(source: BundleSource, signal: AbortSignal): Promise<OpenedBundle> {
    const stop = new AbortController();
    const own = { name: source.name, doneBytes: 0, totalBytes: source.sizeBytes * 2, stop };
    opening?.stop.abort();
    opening = own;
    tell();
    try {
      return await lookThroughBundle(source, {
        ...{ rootOf, isPinned, rest: createRest(clock), signal: AbortSignal.any([signal, stop.signal]) },
        onProgress(doneBytes) {
          if (opening?.stop === stop) opening = { ...opening, doneBytes };
          if (clock.monotonic() - toldMs >= toldEveryMs) tell();
        },
      });
    } finally {
      if (opening?.stop === stop) opening = undefined;
      tell();
    }
  }

  async function open(linkId: number | undefined, signal: AbortSignal): Promise<BundleReport> {
    const source = await openBundleSource(await prompt.chooseOpenFile({ title, linkId }));
    try {
      const bundle = await look(source, signal);
      if (signal.aborted) throw new VakError('aborted', 'bundle: stopped');
      if (!isOpen()) throw new VakError('locked', 'bundle: the key store was locked meanwhile; open it again');
      if (opened !== undefined) close();
      opened = { bundleId: createUuid(clock, randomness), bundle };
      tell();
      return { bundleId: opened.bundleId, ...bundle.report };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  function bundleOf(bundleId: string): OpenedBundle {
    if (opened?.bundleId === bundleId) return opened.bundle;
    throw new VakError('conflict', 'bundle: it is not open any more; open it again');
  }

  return {
    calls: {
      open: ({ linkId }, { signal }) => open(linkId, signal),
      page: ({ bundleId, ...asked }) => bundleOf(bundleId).page(asked, clock.now()),
      letter: ({ bundleId, seq }) => bundleOf(bundleId).letter(seq),
      close({ bundleId }) {
        if (opened?.bundleId === bundleId) close();
      },
    },
    state() {
      const { name, doneBytes, totalBytes } = opening ?? {};
      const own = name === undefined ? null : { name, doneBytes: doneBytes ?? 0, totalBytes: totalBytes ?? 0 };
      return { opening: own, bundleId: opened?.bundleId ?? null };
    },
    lock,
    dispose: lock,
  };
}
