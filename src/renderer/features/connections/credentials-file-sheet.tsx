/** Credentials that the system handed over: which connection they are for, before the file is read. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { WaitingLink } from '../../../shared/contract/links-contract.ts';
import { showConnections } from '../../state/view-store.ts';
import { DetailFact, DetailFacts } from '../../ui/detail-facts.tsx';
import { environmentColour } from '../../ui/environment-colour.ts';
import { HandedOverDialog } from '../../ui/handed-over-dialog.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { ChoiceField } from './choice-field.tsx';
import { whyNotImport } from './connection-reasons.ts';
import { useConnectionWork } from './use-connection-work.ts';

function Sheet({ waiting, name }: { readonly waiting: WaitingLink; readonly name: string }) {
  const { view } = useWorkbench();
  const work = useConnectionWork();
  const all = useSnapshot('connections.state')?.contexts ?? [];
  const contexts = all.filter((context) => whyNotImport(context) === undefined);
  const [chosen, setChosen] = useState('');
  const context = contexts.length === 1 ? contexts[0] : contexts.find((one) => one.name === chosen);
  const onOpen = (): void => {
    if (context === undefined) return;
    // Its row says how it ends.
    showConnections(view);
    void work.importCredentials(context.name, waiting.id);
  };
  return (
    <HandedOverDialog
      waiting={waiting}
      title="Import credentials?"
      description="They came from outside this app. They go into the key store, for the connection that you name, in place of those that it has."
      onOpen={contexts.length === 0 ? undefined : onOpen}
      disabledReason={context === undefined ? 'say first for which connection' : undefined}
    >
      <DetailFacts>
        <DetailFact name="File">{visibleText(name)}</DetailFact>
      </DetailFacts>
      {contexts.length === 0 ? (
        <p role="alert">
          There is no connection to a remote server. Add one in Settings, Connections, then open the file again.
        </p>
      ) : (
        <ChoiceField
          label="Connection"
          options={contexts.map((one) => ({ value: one.name, label: one.name, swatch: environmentColour(one) }))}
          value={context?.name ?? ''}
          error={undefined}
          onChoose={setChosen}
        />
      )}
    </HandedOverDialog>
  );
}

export function CredentialsFileSheet() {
  const waiting = useSnapshot('links.waiting') ?? null;
  if (waiting?.file?.kind !== 'credentials') return null;
  return <Sheet key={waiting.id} waiting={waiting} name={waiting.file.name} />;
}
