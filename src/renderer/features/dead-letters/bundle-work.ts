/**
 * The bundle of another workbench that is open in this window, and where one is in it.
 * Law: it is read only: nothing here changes the bus; main chooses the file, and knows it.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { BundleReport } from '../../../shared/contract/bundles-contract.ts';
import type { Workbench } from '../../workbench.tsx';

export interface BundleWorkState {
  readonly bundle: BundleReport | null;
  /** As it was typed. */
  readonly filter: string;
  /** Place of the letter that the cursor is on. */
  readonly letter: number | null;
  /** Whether it is shown whole. */
  readonly isOpen: boolean;
}

export interface BundleWork {
  readonly store: StoreApi<BundleWorkState>;
  /** Asks which file, or takes the one that waits so, and shows it; closing that window leaves all as it is. Rejects with why it could not be opened. */
  open(linkId?: number): Promise<void>;
  /** Ends looking through a file. */
  stop(): void;
  /** Lists others: the former letter is no longer in sight. */
  setFilter(filter: string): void;
  select(letter: number): void;
  show(letter: number): void;
  /** Closes the letter, or else the bundle. */
  back(): void;
  close(): void;
}

export interface BundleWorkDeps {
  readonly client: Pick<Workbench['client']['bundles'], 'open' | 'close'>;
  readonly reportError: Workbench['reportError'];
  /** Shows the view that it is shown in. */
  readonly showView: () => void;
}

const none: BundleWorkState = { bundle: null, filter: '', letter: null, isOpen: false };

/** Creates it with none open. */
export function createBundleWork({ client, reportError, showView }: BundleWorkDeps): BundleWork {
  const store = createStore<BundleWorkState>(() => none);
  let opening: AbortController | undefined;

  function close(): void {
    const { bundle } = store.getState();
    store.setState(none);
    if (bundle === null) return;
    client.close({ bundleId: bundle.bundleId }).catch((error: unknown) => reportError('Close the bundle', error));
  }

  return {
    store,
    async open(linkId) {
      if (opening !== undefined) return;
      const stop = new AbortController();
      opening = stop;
      try {
        const bundle = await client.open({ linkId }, { signal: stop.signal });
        store.setState({ ...none, bundle });
        showView();
      } catch (error) {
        if (!isVakError(error, 'aborted')) throw error;
      } finally {
        opening = undefined;
      }
    },
    stop: () => opening?.abort(),
    setFilter: (filter) => store.setState({ filter, letter: null, isOpen: false }),
    select: (letter) => store.setState({ letter }),
    show: (letter) => store.setState({ letter, isOpen: true }),
    back() {
      if (store.getState().isOpen) store.setState({ isOpen: false });
      else close();
    },
    close,
  };
}
