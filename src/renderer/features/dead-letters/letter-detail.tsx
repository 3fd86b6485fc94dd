/** One dead letter from all its sides: why it failed, the task that it was, what was done about it. */
import { Archive, Layers, PenLine, RotateCw, Terminal, X } from 'lucide-react';
import { useState } from 'react';
import type { LetterReport } from '../../../shared/contract/dlq-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { showQueue, showSession } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useWorkbench } from '../../workbench.tsx';
import { LetterBody, LetterStanding, type LetterTab } from './letter-body.tsx';
import { HeardOutput } from './letter-output.tsx';
import { LetterTask } from './letter-task.tsx';
import { useLetter } from './use-dead-letters.ts';
import './letter-detail.css';

function Standing({ letter }: { readonly letter: LetterReport }) {
  const { view } = useWorkbench();
  const { queue, session } = letter;
  return (
    <LetterStanding letter={letter}>
      <p className="letter-links">
        <Button icon={Layers} onClick={() => showQueue(view, queue, letter.taskId)}>
          Open its queue
        </Button>
        <Button
          icon={Terminal}
          disabledReason={session === null ? 'no session of it was heard lately in this window' : undefined}
          onClick={() => session !== null && showSession(view, session)}
        >
          Open its session
        </Button>
      </p>
    </LetterStanding>
  );
}

function Head({ seq, onClose }: { readonly seq: number; readonly onClose: () => void }) {
  return (
    <header className="side-panel-head">
      <h2 className="side-panel-name">Letter {formatCount(seq)}</h2>
      <ActionButton action="letters.retry" icon={RotateCw} label="Retry…" />
      <ActionButton action="letters.edit" icon={PenLine} label="Edit…" />
      <ActionButton action="letters.archive" icon={Archive} label="Archive…" />
      <IconButton icon={X} label="Close the letter" keys="Escape" side="left" onClick={onClose} />
    </header>
  );
}

export function LetterDetail({ seq, onClose }: { readonly seq: number; readonly onClose: () => void }) {
  const { letter, error } = useLetter(seq);
  const [tab, setTab] = useState<LetterTab>('failure');
  return (
    <>
      <Head seq={seq} onClose={onClose} />
      {error !== undefined && (
        <div className="view-note" data-testid="letter-gone">
          <ErrorNotice report={describeError(`Read letter ${formatCount(seq)}`, error)} />
        </div>
      )}
      {letter === undefined && error === undefined && <p className="view-note dim late">Reading the letter…</p>}
      {letter !== undefined && (
        <>
          <Standing letter={letter} />
          <LetterBody
            {...{ letter, tab, onTab: setTab }}
            output={<HeardOutput key={seq} letter={letter} />}
            task={<LetterTask key={seq} letter={letter} />}
          />
        </>
      )}
    </>
  );
}
