/**
 * What stands in front of the workbench: while the key store is not open, nothing of the workbench is mounted.
 * Each opening has a scope of its own (`whileOpen`), which is released when the store is locked.
 */
import { type ReactNode, useEffect, useState } from 'react';
import { createDisposer } from '../../../shared/base/disposer.ts';
import type { KeyStoreState } from '../../../shared/contract/identity-contract.ts';
import { useSnapshot, useWorkbench, type Workbench, WorkbenchProvider } from '../../workbench.tsx';
import { FirstStart } from './first-start.tsx';
import { GateFrame } from './gate-frame.tsx';
import { LockScreen } from './lock-screen.tsx';
import { RecoveryScreen } from './recovery-screen.tsx';
import { SelfTestScreen } from './self-test-screen.tsx';
import { type LastOpening, useLastOpening } from './use-last-opening.ts';

interface ClosedScreenProps {
  readonly keyStore: KeyStoreState;
  readonly lastOpening: LastOpening | undefined;
}

function ClosedScreen({ keyStore, lastOpening }: ClosedScreenProps) {
  switch (keyStore.kind) {
    case 'absent':
    // Open without an identity: a first start that was broken off.
    case 'unlocked':
      return <FirstStart keyStore={keyStore} />;
    case 'locked':
      return <LockScreen keyStore={keyStore} lastOpening={lastOpening} />;
    case 'recovery':
    case 'corrupt':
      return <RecoveryScreen keyStore={keyStore} kind={keyStore.kind} />;
    case 'self-test-failed':
      return <SelfTestScreen keyStore={keyStore} />;
  }
}

/** The workbench of this opening; undefined while there is none. */
function useOpenWorkbench(isOpen: boolean): Workbench | undefined {
  const workbench = useWorkbench();
  const [open, setOpen] = useState<Workbench | undefined>();
  useEffect(() => {
    if (!isOpen) return;
    const whileOpen = createDisposer();
    // The name of a session is part of the stream that a locked window forgets.
    whileOpen.defer(() =>
      workbench.view.setState({
        ...{ selectedSession: null, selectedQueue: null, isQueueOpen: false, wanted: null, places: {} },
      }),
    );
    setOpen({ ...workbench, whileOpen });
    return () => {
      setOpen(undefined);
      whileOpen.dispose();
    };
  }, [workbench, isOpen]);
  return isOpen ? open : undefined;
}

export interface GateProps {
  /** What stands beside the screens of a closed store. */
  readonly beside: ReactNode;
  readonly children: ReactNode;
}

/** Draws `children` once the key store is open and holds this peer, and takes them away when it is not any more. */
export function Gate({ beside, children }: GateProps) {
  const keyStore = useSnapshot('identity.keyStore');
  const self = useSnapshot('identity.self');
  const isUnlocked = keyStore?.kind === 'unlocked';
  const open = useOpenWorkbench(isUnlocked && self !== undefined && self !== null);
  const lastOpening = useLastOpening();
  if (open !== undefined) return <WorkbenchProvider value={open}>{children}</WorkbenchProvider>;
  // A locked window knows nothing of the peer, so that comes a moment after the opening.
  if (keyStore === undefined || (isUnlocked && self !== null)) {
    return (
      <>
        <GateFrame name={isUnlocked ? 'Opening' : 'Connecting'} testId="gate-connecting">
          <p className="late dim">{isUnlocked ? 'Opening the workbench…' : 'Connecting to the engine…'}</p>
        </GateFrame>
        {beside}
      </>
    );
  }
  return (
    <>
      <ClosedScreen keyStore={keyStore} lastOpening={lastOpening} />
      {beside}
    </>
  );
}
