/** Before letters are retried: which ones, where, how fast, and whether a few go first. */
import { useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Field } from '../../ui/field.tsx';
import { formatDuration } from '../../ui/format.ts';
import { useSnapshot } from '../../workbench.tsx';
import { lettersWords } from './letter-words.ts';
import type { Asking } from './letter-work.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { useLetterWork } from './use-letter-work.ts';

const defaultRate = 10;

/** What is wrong with a rate that was typed; undefined: nothing. */
function rateFault(text: string): string | undefined {
  const rate = Number(text.trim());
  return text.trim() !== '' && rate >= 0.1 && rate <= 1000 ? undefined : 'Give a number from 0.1 to 1000.';
}

/** What is wrong with the name of a queue; empty: each goes to its own. */
export function queueFault(text: string): string | undefined {
  return /^[A-Za-z0-9_-]{0,64}$/.test(text.trim()) ? undefined : 'Letters, digits, _ and - only, at most 64.';
}

interface HowProps {
  readonly isCanary: boolean;
  readonly setIsCanary: (isCanary: boolean) => void;
  readonly rate: string;
  readonly setRate: (text: string) => void;
  readonly queue: string;
  readonly setQueue: (text: string) => void;
  readonly count: number;
}

function Begin({ isCanary, setIsCanary }: Pick<HowProps, 'isCanary' | 'setIsCanary'>) {
  return (
    <div className="plan-canary">
      <ChoiceSwitch
        label="How it begins"
        testId="retry-canary"
        chosen={isCanary ? 'canary' : 'all'}
        onChoose={(one) => setIsCanary(one === 'canary')}
        choices={[
          { id: 'canary', title: 'Canary first' },
          { id: 'all', title: 'All at once' },
        ]}
      />
      <span className="dim">
        {isCanary
          ? 'Steps of 1, 2, 5 and 20, each when the one before is done; a failure stops it by itself.'
          : 'It stops by itself after five failures of one cause in a row.'}
      </span>
    </div>
  );
}

function How({ isCanary, setIsCanary, rate, setRate, queue, setQueue, count }: HowProps) {
  const queues = useSnapshot('queues.state')?.queues ?? [];
  const fault = rateFault(rate);
  const takes =
    fault === undefined ? `All of them take ${formatDuration((count / Number(rate)) * 1000)} at least.` : '';
  return (
    <>
      <Begin isCanary={isCanary} setIsCanary={setIsCanary} />
      <div className="plan-pair">
        <Field
          isData
          inputMode="decimal"
          label="Letters a second"
          hint={takes}
          error={fault}
          value={rate}
          data-testid="retry-rate"
          onChange={(event) => setRate(event.target.value)}
        />
        <Field
          isData
          label="Another queue (optional)"
          hint="Empty: each goes to the queue that it came from."
          error={queueFault(queue)}
          list="retry-queues"
          value={queue}
          data-testid="retry-queue"
          onChange={(event) => setQueue(event.target.value)}
        />
        <datalist id="retry-queues">
          {queues.map((one) => (
            <option key={one.queue} value={one.queue} />
          ))}
        </datalist>
      </div>
    </>
  );
}

export function RetryDialog({ asking: { plan } }: { readonly asking: Asking & { readonly kind: 'retry' } }) {
  const work = useLetterWork();
  const [isCanary, setIsCanary] = useState(plan.count > 1);
  const [rate, setRate] = useState(String(defaultRate));
  const [queue, setQueue] = useState('');
  return (
    <PlanDialog
      plan={plan}
      action="retry"
      title={`Retry ${lettersWords(plan.count)} in ${visibleText(plan.environment)}`}
      description="Each is run again as a new task, sealed and signed by you; what becomes of each is told, and nothing is retried twice."
      doing="Retry"
      submit={`Retry ${lettersWords(plan.count)}`}
      busy="Beginning…"
      submitTestId="retry-submit"
      fault={rateFault(rate) ?? queueFault(queue)}
      onSubmit={(reason) => work.retry({ isCanary, ratePerSec: Number(rate), queue, reason })}
    >
      <How {...{ isCanary, setIsCanary, rate, setRate, queue, setQueue, count: plan.count }} />
    </PlanDialog>
  );
}
