/** What belongs to the open key store, whatever view is shown: its actions, its notices, and that somebody is there. */
import { useEffect, useMemo, useState } from 'react';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { useEnvironment } from '../../state/use-environment.ts';
import { GuardDialog, type Guarded } from '../../ui/guard-dialog.tsx';
import { useActions, useSnapshot, useWorkbench } from '../../workbench.tsx';
import { createKeyStoreActions, restoreKeyStore } from './key-store-actions.ts';
import { createPresenceReporter, reportIntervalMs } from './presence-reporter.ts';

const inputEvents = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

/** Begins the idle time anew while there is input. */
function usePresence(): void {
  const { client, reportError } = useWorkbench();
  const minutes = useSnapshot('identity.keyStore')?.idleLockMinutes ?? 0;
  useEffect(() => {
    if (minutes === 0) return;
    const reporter = createPresenceReporter({
      intervalMs: reportIntervalMs(minutes),
      setTimer: (run, delayMs) => window.setTimeout(run, delayMs),
      clearTimer: (id) => window.clearTimeout(id),
      report: () => {
        client.identity.touch({}).catch((error: unknown) => {
          // It was locked in that moment.
          if (!isVakError(error, 'locked')) reportError('Keep the key store open', error);
        });
      },
    });
    const listening = new AbortController();
    for (const name of inputEvents)
      window.addEventListener(name, reporter.used, { capture: true, passive: true, signal: listening.signal });
    return () => {
      listening.abort();
      reporter.dispose();
    };
  }, [client, reportError, minutes]);
}

/** Shows each notice of the key store once an opening; they go with it. */
function useNoticesOnce(): void {
  const { advise, whileOpen } = useWorkbench();
  const notices = useSnapshot('identity.keyStore')?.notices;
  const [shown] = useState(() => new Set<string>());
  useEffect(() => {
    for (const notice of notices ?? []) {
      if (shown.has(notice)) continue;
      shown.add(notice);
      whileOpen.defer(advise(notice));
    }
  }, [notices, shown, advise, whileOpen]);
}

function useRestoreGuard() {
  const workbench = useWorkbench();
  const environment = useEnvironment();
  const peer = useSnapshot('identity.self')?.peer ?? 'profile';
  const [isAsked, setIsAsked] = useState(false);
  const guarded: Guarded | undefined =
    isAsked && environment !== undefined
      ? {
          ...{ verb: 'Replace', count: 1, noun: 'key store', preposition: 'of', object: peer },
          environment: environment.name,
          environmentColour: environment.colour,
          consequence: 'A backup takes its place. The present one is set aside as a file and not used any more.',
        }
      : undefined;
  const confirm = (): void => {
    setIsAsked(false);
    restoreKeyStore(workbench).catch((error: unknown) => workbench.reportError('Restore a backup', error));
  };
  return { guarded, confirm, cancel: () => setIsAsked(false), ask: setIsAsked };
}

export function KeyStoreFeature() {
  const { client, notify } = useWorkbench();
  const { guarded, confirm, cancel, ask } = useRestoreGuard();
  useActions(useMemo(() => createKeyStoreActions({ client, notify }, () => ask(true)), [client, notify, ask]));
  usePresence();
  useNoticesOnce();
  return <GuardDialog guarded={guarded} onCancel={cancel} onConfirm={confirm} />;
}
