/** The task that a letter holds: its envelope, and its payload once it is asked for, which is put on record. */
import { LockOpen } from 'lucide-react';
import { useMemo, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { LetterReport } from '../../../shared/contract/dlq-contract.ts';
import type { OpenedPayload } from '../../../shared/contract/trust-report.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { showTrace } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { CopyFact, DetailFact, DetailFacts, TrustLine } from '../../ui/detail-facts.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatBytes } from '../../ui/format.ts';
import { type PayloadMode, PayloadViews } from '../../ui/payload/payload-views.tsx';
import { SealFailure } from '../../ui/seal-failure.tsx';
import { SealBadge, SignatureBadge } from '../../ui/trust-badges.tsx';
import { signatureSentence } from '../../ui/trust-sentences.ts';
import { useAttempt } from '../../ui/use-attempt.ts';
import { useActions, useWorkbench } from '../../workbench.tsx';
import { whyNotOpen } from './letter-reasons.ts';

/** Attributes of an envelope, read-only. */
export function LetterAttributes({ attributes }: Pick<LetterReport, 'attributes'>) {
  return (
    <DetailFacts title="Envelope, as on the wire">
      {attributes.map(({ name, value }) => (
        <CopyFact key={name} name={visibleText(name)} value={value} />
      ))}
    </DetailFacts>
  );
}

/** What the letter and its envelope say of the task. */
export function TaskFacts({ letter }: { readonly letter: LetterReport }) {
  const { view } = useWorkbench();
  const { taskId, sizeBytes, isSealed, signature, by, traceId } = letter;
  return (
    <DetailFacts>
      <CopyFact name="task" value={taskId} />
      <DetailFact name="size">{formatBytes(sizeBytes)}</DetailFact>
      <DetailFact name="seal">
        <TrustLine badge={<SealBadge mark={taskId === null ? 'none' : isSealed ? 'sealed' : 'plain'} />}>
          {isSealed
            ? 'Sealed: only peers of the workspace can open it.'
            : 'Not sealed: whoever reads the stream reads it.'}
        </TrustLine>
      </DetailFact>
      <DetailFact name="letter signed">
        <TrustLine badge={<SignatureBadge mark={signature.kind} />}>
          {visibleText(signatureSentence(signature))}
        </TrustLine>
      </DetailFact>
      <CopyFact name="written by" value={by} />
      <CopyFact name="trace" value={traceId} />
      {traceId !== null && (
        <DetailFact name="">
          <Button onClick={() => showTrace(view, traceId)} data-testid="letter-show-trace">
            Show the trace
          </Button>
        </DetailFact>
      )}
    </DetailFacts>
  );
}

function Payload({ opened }: { readonly opened: OpenedPayload }) {
  const [mode, setMode] = useState<PayloadMode>('json');
  if (opened.kind === 'failed') return <SealFailure failure={opened.failure} />;
  return (
    <div className="letter-payload" data-testid="letter-payload">
      <PayloadViews bytes={opened.bytes} mode={mode} onMode={setMode} />
    </div>
  );
}

export function LetterTask({ letter }: { readonly letter: LetterReport }) {
  const { client, mirror } = useWorkbench();
  const { isBusy, report, run } = useAttempt();
  const [opened, setOpened] = useState<OpenedPayload | undefined>();
  const { seq, isSealed, closedWhy } = letter;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt is the same for the life of the page.
  const actions = useMemo(
    () => [
      {
        ...{ id: 'letters.openPayload', title: isSealed ? 'Open the sealed payload' : 'Show the payload' },
        ...{ group: 'Dead letters', keys: ['o'] },
        disabledReason: () =>
          whyNotOpen({ connection: mirror.getState()['connections.state'], scope: undefined, cause: null }, closedWhy),
        run: async () => {
          await run('Open the payload', async () => setOpened(await client.dlq.open({ seq })));
        },
      },
    ],
    [client, mirror, seq, isSealed, closedWhy],
  );
  useActions(actions);
  return (
    <div className="letter-page" data-testid="letter-task">
      <div className="letter-open">
        <ActionButton action="letters.openPayload" icon={LockOpen} />
        <span className="dim">Who opens it is put on record, before it is shown.</span>
      </div>
      {closedWhy !== null && <p className="letter-why tone-wait">{visibleText(closedWhy)}</p>}
      {isBusy && <p className="view-note dim late">Opening the payload…</p>}
      {report !== undefined && (
        <div className="view-note">
          <ErrorNotice report={report} />
        </div>
      )}
      {opened !== undefined && <Payload opened={opened} />}
      <TaskFacts letter={letter} />
      <LetterAttributes attributes={letter.attributes} />
    </div>
  );
}
