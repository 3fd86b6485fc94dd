/** While a bundle is looked through, which of a large one takes a while: how far it is, and the way to end it. */
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { formatBytes } from '../../ui/format.ts';
import { useSnapshot } from '../../workbench.tsx';
import { useBundleWork } from './use-bundle-work.ts';

/** Sooner it would only flash. */
const shownAfterMs = 400;

export function BundleOpeningDialog() {
  const work = useBundleWork();
  const opening = useSnapshot('bundles.state')?.opening ?? null;
  const isOpening = opening !== null;
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (!isOpening) return setIsShown(false);
    const timer = setTimeout(() => setIsShown(true), shownAfterMs);
    return () => clearTimeout(timer);
  }, [isOpening]);
  if (opening === null || !isShown) return null;
  const { name, doneBytes, totalBytes } = opening;
  return (
    <Dialog
      isOpen
      title="Looking through the bundle"
      description={`${name}: each line is compared with what was signed, twice.`}
      onClose={work.stop}
    >
      <div className="dialog-body" data-testid="bundle-opening">
        <progress max={totalBytes} value={doneBytes} aria-label="Looked through" />
        <p className="data">
          {formatBytes(doneBytes)} of {formatBytes(totalBytes)}
        </p>
        <DialogActions>
          <Button autoFocus onClick={work.stop}>
            Stop
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}
