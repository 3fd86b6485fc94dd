/** What belongs to grants and peers whatever view is shown: the actions, the forms, and the questions before what is hard to undo. */
import { useMemo } from 'react';
import { useEnvironment } from '../../state/use-environment.ts';
import { GuardDialog } from '../../ui/guard-dialog.tsx';
import { useActions, useViewState } from '../../workbench.tsx';
import { createAccessActions } from './access-actions.ts';
import { AddCardDialog } from './add-card-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { GrantDialog } from './grant-dialog.tsx';
import { revokeConsequence } from './grant-standing.ts';
import { changeCause } from './peer-words.ts';
import { SafetyDialog } from './safety-dialog.tsx';
import { useAccessDeps } from './use-access-deps.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';

function RevokeGuard() {
  const work = useAccessWork();
  const environment = useEnvironment();
  const grant = useAccessWorkState((state) => state.revoking);
  if (grant === undefined || environment === undefined) return null;
  const count = grant.roles.length;
  return (
    <GuardDialog
      guarded={{
        ...{ verb: 'Revoke', count, noun: count === 1 ? 'role' : 'roles', preposition: 'of', object: grant.peer },
        environment: environment.name,
        environmentColour: environment.colour,
        consequence: revokeConsequence(grant),
        reasonHint: 'It stands in the signed record of the revocation.',
      }}
      onCancel={work.close}
      onConfirm={(given) => void work.revoke(given)}
    />
  );
}

function AcceptGuard() {
  const work = useAccessWork();
  const environment = useEnvironment();
  const accepting = useAccessWorkState((state) => state.accepting);
  if (accepting === undefined || environment === undefined) return null;
  const { peer, isCompared } = accepting;
  return (
    <GuardDialog
      guarded={{
        ...{ verb: 'Accept', count: 1, noun: 'changed key', preposition: 'of', object: peer.peer },
        environment: environment.name,
        environmentColour: environment.colour,
        consequence: `${isCompared ? 'You have compared the number with the new key.' : changeCause(peer)} From then on it is sent to, and what only the old key signs is not believed.`,
      }}
      onCancel={work.close}
      onConfirm={(given) => void work.accept(given)}
    />
  );
}

export function IdentityFeature() {
  const deps = useAccessDeps();
  const isIdentityView = useViewState((state) => state.view === 'identity');
  useActions(useMemo(() => createAccessActions(deps, isIdentityView), [deps, isIdentityView]));
  return (
    <>
      <GrantDialog />
      <AddCardDialog />
      <ExportDialog />
      <SafetyDialog />
      <RevokeGuard />
      <AcceptGuard />
    </>
  );
}
