/** One dead letter from all its sides: why it failed, the task that it was, what was done about it. */
import { Archive, Layers, PenLine, RotateCw, Terminal, X } from 'lucide-react';
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { LetterReport } from '../../../shared/contract/dlq-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { showQueue, showSession } from '../../state/view-store.ts';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDateTime, formatRelative } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';
import { LetterFailure } from './letter-failure.tsx';
import { LetterHistory } from './letter-history.tsx';
import { StateMark } from './letter-marks.tsx';
import { LetterTask } from './letter-task.tsx';
import { stateWords } from './letter-words.ts';
import { useLetter } from './use-dead-letters.ts';
import './letter-detail.css';

type LetterTab = 'failure' | 'task' | 'history';

const tabs: readonly Choice<LetterTab>[] = [
  { id: 'failure', title: 'Failure' },
  { id: 'task', title: 'Task' },
  { id: 'history', title: 'History' },
];

function Standing({ letter }: { readonly letter: LetterReport }) {
  const { view } = useWorkbench();
  const zone = useViewState((state) => state.timeZone);
  const nowMs = useNow();
  const { state, failedMs, queue, session, keptUntilMs } = letter;
  return (
    <div className="letter-standing">
      <p>
        <StateMark word={stateWords[state]} />
        <span className="dim">
          failed {formatDateTime(failedMs, zone)}, {formatRelative(Math.min(failedMs, nowMs), nowMs)}
          {keptUntilMs !== null && ` · kept until ${formatDateTime(keptUntilMs, zone)}`}
        </span>
      </p>
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
    </div>
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
        <div className="letter-none" data-testid="letter-gone">
          <ErrorNotice report={describeError(`Read letter ${formatCount(seq)}`, error)} />
        </div>
      )}
      {letter === undefined && error === undefined && <p className="letter-none dim late">Reading the letter…</p>}
      {letter !== undefined && (
        <>
          <Standing letter={letter} />
          <Tabs
            label={`What is known of letter ${visibleText(String(seq))}`}
            tabs={tabs}
            selected={tab}
            onSelect={setTab}
          >
            {tab === 'failure' && <LetterFailure letter={letter} />}
            {tab === 'task' && <LetterTask key={seq} letter={letter} />}
            {tab === 'history' && <LetterHistory letter={letter} />}
          </Tabs>
        </>
      )}
    </>
  );
}
