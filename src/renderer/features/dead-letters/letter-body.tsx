/** What is known of one letter, wherever it was read: how it stands, and its sides as tabs. */
import type { ReactNode } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { LetterReport } from '../../../shared/contract/dlq-contract.ts';
import type { Choice } from '../../ui/choice.ts';
import { formatDateTime, formatRelative } from '../../ui/format.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { LetterFailure } from './letter-failure.tsx';
import { LetterHistory } from './letter-history.tsx';
import { StateMark } from './letter-marks.tsx';
import { stateWords } from './letter-words.ts';
import './letter-detail.css';

export type LetterTab = 'failure' | 'output' | 'task' | 'history';

const tabs: readonly Choice<LetterTab>[] = [
  { id: 'failure', title: 'Failure' },
  { id: 'output', title: 'Output' },
  { id: 'task', title: 'Task' },
  { id: 'history', title: 'History' },
];

/** Its state and times, and what stands below them. */
export function LetterStanding({
  letter: { state, failedMs, keptUntilMs },
  children,
}: {
  readonly letter: LetterReport;
  readonly children: ReactNode;
}) {
  const zone = useViewState((one) => one.timeZone);
  const nowMs = useNow();
  return (
    <div className="letter-standing">
      <p>
        <StateMark word={stateWords[state]} />
        <span className="dim">
          failed {formatDateTime(failedMs, zone)}, {formatRelative(Math.min(failedMs, nowMs), nowMs)}
        </span>
        {keptUntilMs !== null && <span className="dim">kept until {formatDateTime(keptUntilMs, zone)}</span>}
      </p>
      {children}
    </div>
  );
}

export interface LetterBodyProps {
  readonly letter: LetterReport;
  /** It stays while one goes from letter to letter. */
  readonly tab: LetterTab;
  readonly onTab: (tab: LetterTab) => void;
  /** What its session said; drawn when it is looked at. */
  readonly output: ReactNode;
  readonly task: ReactNode;
}

export function LetterBody({ letter, tab, onTab, output, task }: LetterBodyProps) {
  return (
    <Tabs
      label={`What is known of letter ${visibleText(String(letter.seq))}`}
      tabs={tabs}
      selected={tab}
      onSelect={onTab}
    >
      {tab === 'failure' && <LetterFailure letter={letter} />}
      {tab === 'output' && output}
      {tab === 'task' && task}
      {tab === 'history' && <LetterHistory letter={letter} />}
    </Tabs>
  );
}
