/** What belongs to connections whatever view is shown: actions, dialogs, and the notices of an outage. */
import { useEffect, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { environmentColour } from '../../ui/environment-colour.ts';
import { GuardDialog, type Guarded } from '../../ui/guard-dialog.tsx';
import { liveWorkers, moveWords } from '../../ui/swarm-words.ts';
import { useActions, useSnapshot, useWorkbench } from '../../workbench.tsx';
import { createConnectionActions, createUseActions } from './connection-actions.ts';
import { ConnectionDialog } from './connection-dialog.tsx';
import { CredentialsFileSheet } from './credentials-file-sheet.tsx';
import { createOutageNotices } from './outage-notices.ts';
import { ProvisionDialog } from './provision-dialog.tsx';
import { createSwarmMoves } from './swarm-moves.ts';
import { useConnectionWork, useWorkState } from './use-connection-work.ts';

function useOutageNotices(): void {
  const { advise, notify, view, whileOpen } = useWorkbench();
  const state = useSnapshot('connections.state');
  const [notices] = useState(() =>
    createOutageNotices({
      // It goes with the opening, as all that is known of the bus does.
      advise: (text) => {
        const takeAway = advise(text);
        whileOpen.defer(takeAway);
        return takeAway;
      },
      notify,
      zone: () => view.getState().timeZone,
    }),
  );
  useEffect(() => {
    if (state !== undefined) notices.take(state);
  }, [notices, state]);
}

function useSwarmMoves(): void {
  const { notify, advise, mirror } = useWorkbench();
  const state = useSnapshot('connections.state');
  const [moves] = useState(() => createSwarmMoves({ notify: (text) => notify(text), advise }));
  useEffect(() => {
    if (state !== undefined) moves.take(state, liveWorkers(mirror.getState()['swarm.state']));
  }, [moves, mirror, state]);
}

function useConnectionActions(): void {
  const { client, mirror, view, notify } = useWorkbench();
  const work = useConnectionWork();
  const contexts = useSnapshot('connections.state')?.contexts;
  useActions(
    useMemo(
      () => createConnectionActions({ client, mirror, view, notify, work }),
      [client, mirror, view, notify, work],
    ),
  );
  useActions(
    useMemo(
      () => createUseActions({ client, mirror, view, notify, work }, contexts ?? []),
      [client, mirror, view, notify, work, contexts],
    ),
  );
}

function RemoveGuard() {
  const work = useConnectionWork();
  const context = useWorkState((state) => state.removing);
  const close = (): void => work.store.setState({ removing: undefined });
  const guarded: Guarded | undefined = context && {
    ...{ verb: 'Remove', count: 1, noun: 'connection', object: context.name, environment: 'the settings' },
    environmentColour: environmentColour(context),
    consequence:
      'Its credentials leave the key store at once and cannot be brought back. What the server holds stays there.',
  };
  const confirm = (): void => {
    close();
    if (context !== undefined) void work.remove(context.name);
  };
  return <GuardDialog guarded={guarded} onCancel={close} onConfirm={confirm} />;
}

/** Says before the connection is changed that the swarm goes along. */
function MoveGuard() {
  const work = useConnectionWork();
  const moving = useWorkState((state) => state.moving);
  const close = (): void => work.store.setState({ moving: undefined });
  if (moving === undefined) return null;
  const { context, workerCount } = moving;
  const use = (): void => {
    close();
    void work.use(context.name);
  };
  return (
    <Dialog
      isOpen
      kind="alert"
      title={`Use ${context.name} while the local swarm runs`}
      description={`${moveWords(workerCount, context)} Stop the swarm first if that is not meant.`}
      tint={environmentColour(context)}
      onClose={close}
    >
      <div className="dialog-body">
        <DialogActions>
          <Button autoFocus onClick={close}>
            Cancel
          </Button>
          <Button variant="primary" onClick={use} data-testid="connection-move">
            Use {context.name}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}

export function ConnectionsFeature() {
  useOutageNotices();
  useSwarmMoves();
  useConnectionActions();
  return (
    <>
      <ConnectionDialog />
      <RemoveGuard />
      <MoveGuard />
      <ProvisionDialog />
      <CredentialsFileSheet />
    </>
  );
}
