/** What belongs to dead letters whatever view is shown: opening a bundle of another workbench. */
import { useMemo } from 'react';
import { useActions } from '../../workbench.tsx';
import { BundleFileSheet } from './bundle-file-sheet.tsx';
import { BundleOpeningDialog } from './bundle-opening.tsx';
import { useBundleWork } from './use-bundle-work.ts';

export function DeadLettersFeature() {
  const work = useBundleWork();
  const actions = useMemo(
    () => [
      {
        ...{ id: 'letters.openBundle', title: 'Open an incident bundle…', group: 'Dead letters' },
        run: () => work.open(),
      },
    ],
    [work],
  );
  useActions(actions);
  return (
    <>
      <BundleFileSheet />
      <BundleOpeningDialog />
    </>
  );
}
