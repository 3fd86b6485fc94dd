/** The access of this workspace for a nats-server, so that it enforces it too: read here, copied, or saved. */
import { Save } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AccessExport } from '../../../shared/contract/access-contract.ts';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { whyNotSign } from './access-reasons.ts';
import { useAccessWork, useAccessWorkState } from './use-access-work.ts';

type Format = AccessExport['format'];
type Loaded = { readonly text: AccessExport | undefined; readonly error: unknown };

const notes: Readonly<Record<Format, string>> = {
  'nats-conf':
    'Include this block in the configuration of the server. It knows no end of a grant: export again when one ends.',
  jwt: 'Operator, accounts and resolver for the configuration of the server, and the JWT of each peer as a comment. A JWT ends with its grant.',
};

function warnOfEnds(count: number): string {
  const whose = count === 1 ? '1 grant ends' : `${formatCount(count)} grants end`;
  return `${whose}: the server goes on letting in whose they are, until you export again. Signed JWTs end by themselves.`;
}

function useExport(format: Format): Loaded {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<Loaded & { readonly of: Format | undefined }>({
    ...{ text: undefined, error: undefined, of: undefined },
  });
  useEffect(() => {
    let isCurrent = true;
    const take = (text: AccessExport | undefined, error: unknown): void => {
      if (isCurrent) setLoaded({ text, error, of: format });
    };
    client.access.exportServer({ format }).then(
      (text) => take(text, undefined),
      (error: unknown) => take(undefined, error),
    );
    return () => {
      isCurrent = false;
    };
  }, [client, format]);
  return loaded.of === format ? loaded : { text: undefined, error: undefined };
}

function Export() {
  const { client, notify } = useWorkbench();
  const work = useAccessWork();
  const self = useSnapshot('identity.self');
  const [format, setFormat] = useState<Format>('nats-conf');
  const { text, error } = useExport(format);
  const { isBusy, report, run } = useAttempt();
  const shown = report ?? (error === undefined ? undefined : describeError('Export the access', error));
  const choices: readonly Choice<Format>[] = [
    { id: 'nats-conf', title: 'Configuration' },
    { id: 'jwt', title: 'Signed JWTs', disabledReason: whyNotSign({ self }) },
  ];
  const save = () =>
    run('Save the access', async () => {
      const { path } = await client.access.saveServer({ format });
      notify(`The access of this workspace is in ${path}: reload the server with it.`);
    });
  return (
    <div className="dialog-body access-export">
      <ChoiceSwitch label="Form" choices={choices} chosen={format} onChoose={setFormat} testId="export-format" />
      <p className="dim">{notes[format]}</p>
      <p className="access-export-ending" role="status">
        {format === 'nats-conf' && text !== undefined && text.endingCount > 0 && warnOfEnds(text.endingCount)}
      </p>
      <textarea
        className="access-export-text data"
        aria-label="The access as text"
        readOnly
        rows={14}
        spellCheck={false}
        value={text?.text ?? ''}
        data-testid="export-text"
      />
      {shown !== undefined && <ErrorNotice report={shown} />}
      <DialogActions>
        <span className="access-export-count dim">
          {text !== undefined &&
            `${formatCount(text.peerCount)} ${text.peerCount === 1 ? 'peer' : 'peers'}; nothing in it is secret`}
        </span>
        {text !== undefined && <CopyButton text={text.text}>Copy</CopyButton>}
        <Button onClick={work.close}>Close</Button>
        <Button
          variant="primary"
          icon={Save}
          disabledReason={isBusy || text === undefined ? 'there is nothing to save yet' : undefined}
          onClick={() => void save()}
        >
          Save…
        </Button>
      </DialogActions>
    </div>
  );
}

export function ExportDialog() {
  const work = useAccessWork();
  const isExporting = useAccessWorkState((state) => state.isExporting);
  return (
    <Dialog
      isOpen={isExporting}
      onClose={work.close}
      kind="wide"
      title="Export the access for a nats-server"
      description="By the grants in force now. Each peer gets the subjects that its roles need, its own inbox, and no more; after a change of grants export again and reload the server."
    >
      <Export />
    </Dialog>
  );
}
