/** One queue from all its sides: how it stands, what waits, what became of its tasks, who works. */
import { ListPlus, Pause, Play, Trash2, X } from 'lucide-react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { QueueState, QueuesState } from '../../../shared/contract/queues-contract.ts';
import { ActionButton } from '../../actions/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import type { Choice } from '../../ui/choice.ts';
import { DetailNotice } from '../../ui/detail-facts.tsx';
import { formatDateTime, formatRelative, formatTimeOfDay, formatZone } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { healthWords } from '../../ui/queue-health-words.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { useNow } from '../../ui/use-now.ts';
import { useViewState } from '../../workbench.tsx';
import { LagChart } from './lag-chart.tsx';
import { OutcomesTab } from './outcomes-tab.tsx';
import { PurgeLine } from './purge-line.tsx';
import { QueueFigures } from './queue-figures.tsx';
import { HealthBadge } from './queue-row.tsx';
import { WaitingTab } from './waiting-tab.tsx';
import { WorkersTab } from './workers-tab.tsx';
import './queue-detail.css';

export type DetailTab = 'waiting' | 'outcomes' | 'workers';

const tabs: readonly Choice<DetailTab>[] = [
  { id: 'waiting', title: 'Waiting' },
  { id: 'outcomes', title: 'Outcomes' },
  { id: 'workers', title: 'Workers' },
];

/** How it stands, since when, and who paused it. */
function Standing({ queue, nowMs }: { readonly queue: QueueState; readonly nowMs: number }) {
  const zone = useViewState((state) => state.timeZone);
  const { health, healthSinceMs, paused } = queue;
  const sinceMs = paused?.sinceMs ?? healthSinceMs;
  const by = paused === null ? '' : ` by ${visibleText(paused.by)}`;
  return (
    <p className="queue-standing" data-testid="queue-standing">
      <HealthBadge health={health} />
      <span className="dim">
        {by !== '' && `paused${by} `}since {formatTimeOfDay(sinceMs, zone)} {formatZone(zone, sinceMs)},{' '}
        {formatRelative(Math.min(sinceMs, nowMs), nowMs)} · {healthWords[health].meaning}
      </span>
    </p>
  );
}

/** A flag that workers do not obey: somebody meant to pause it, or to let it go on. */
function FlagNotice({ queue: { refusedFlag } }: { readonly queue: QueueState }) {
  const zone = useViewState((state) => state.timeZone);
  if (refusedFlag === null) return null;
  const by = refusedFlag.by === null ? 'by nobody who can be told' : `by ${visibleText(refusedFlag.by)}`;
  return (
    <div className="queue-flag-notice">
      <DetailNotice
        title="A pause flag lies there that does not count: workers do not obey it"
        data-testid="queue-flag"
      >
        <p>{visibleText(refusedFlag.why)}</p>
        <p className="dim">
          Set {by} at {formatDateTime(refusedFlag.atMs, zone)}. Pause or resume the queue to put yours in its place.
        </p>
      </DetailNotice>
    </div>
  );
}

function Head({
  name,
  onClose,
  isGone,
}: {
  readonly name: string;
  readonly onClose: () => void;
  readonly isGone: boolean;
}) {
  return (
    <header className="side-panel-head">
      <h2 className="side-panel-name data" title={name}>
        {name}
      </h2>
      {!isGone && (
        <>
          <ActionButton action="queues.enqueue" icon={ListPlus} label="Enqueue…" />
          <ActionButton action="queues.pause" icon={Pause} label="Pause" />
          <ActionButton action="queues.resume" icon={Play} label="Resume" />
          <ActionButton action="queues.purge" icon={Trash2} label="Purge…" />
        </>
      )}
      <IconButton icon={X} label="Close the queue" keys="Escape" side="left" onClick={onClose} />
    </header>
  );
}

export interface QueueDetailProps {
  readonly name: string;
  /** Undefined: there is none of that name now. */
  readonly queue: QueueState | undefined;
  readonly state: QueuesState;
  /** The environment that it stands in. */
  readonly environment: string;
  readonly tab: DetailTab;
  readonly onTab: (tab: DetailTab) => void;
  readonly openTask: string | undefined;
  readonly onOpenTask: (task: string | undefined) => void;
  readonly onClose: () => void;
}

export function QueueDetail(props: QueueDetailProps) {
  const { queue, state, tab, onTab, openTask, onOpenTask, onClose } = props;
  const nowMs = Math.floor(useNow() / 1000) * 1000;
  const name = visibleText(props.name);
  if (queue === undefined) {
    return (
      <>
        <Head name={name} onClose={onClose} isGone />
        <div className="queue-gone" data-testid="queue-gone">
          <p>
            There is no queue {name} in {visibleText(props.environment)} now: it was removed, or the connection leads
            elsewhere.
          </p>
          <Button onClick={onClose}>Close</Button>
        </div>
      </>
    );
  }
  return (
    <>
      <Head name={name} onClose={onClose} isGone={false} />
      <Standing queue={queue} nowMs={nowMs} />
      <FlagNotice queue={queue} />
      <PurgeLine queue={queue.queue} purges={state.purges} />
      <div className="queue-overview">
        <LagChart queue={queue} readAtMs={state.readAtMs ?? nowMs} sampleMs={state.sampleMs} />
        <QueueFigures queue={queue} nowMs={nowMs} />
      </div>
      <Tabs label={`What is known of ${name}`} tabs={tabs} selected={tab} onSelect={onTab}>
        {tab === 'waiting' && <WaitingTab key={queue.queue} queue={queue} />}
        {tab === 'outcomes' && (
          <OutcomesTab key={queue.queue} queue={queue} openTask={openTask} onOpenTask={onOpenTask} />
        )}
        {tab === 'workers' && <WorkersTab queue={queue} />}
      </Tabs>
    </>
  );
}
