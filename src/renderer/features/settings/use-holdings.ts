/** What the engine keeps, looked at again while the page is shown. */
import { useEffect, useState } from 'react';
import type { Holdings } from '../../../shared/contract/settings-contract.ts';
import { useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';

const everyMs = 5_000;

/** Undefined until the first look. */
export function useHoldings(): Holdings | undefined {
  const { client } = useWorkbench();
  const isShown = useViewState((state) => state.view === 'settings');
  const settings = useSnapshot('settings.current');
  const current = useSnapshot('connections.state')?.current;
  const [holdings, setHoldings] = useState<Holdings | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another setting or connection is another answer.
  useEffect(() => {
    if (!isShown) return;
    const abort = new AbortController();
    const look = (): void => {
      client.settings.holdings({}, { signal: abort.signal }).then(setHoldings, () => {});
    };
    look();
    const timer = setInterval(look, everyMs);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [client, isShown, settings, current]);
  return holdings;
}
