/** Who the session is, what it does now, what can be done to it; a death is shown for what it is. */

import { CircleStop, OctagonX, Skull } from 'lucide-react';
import { useMemo, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import { commandTitle } from '../../../shared/protocol/command-title.ts';
import type { Action } from '../../actions/action-registry.ts';
import { type Environment, useEnvironment } from '../../state/use-environment.ts';
import { Button } from '../../ui/button.tsx';
import { publishFault, readOnlyLack } from '../../ui/connection-words.ts';
import { formatCount, formatDateTime, formatRate, shortenId } from '../../ui/format.ts';
import { GuardDialog, type Guarded } from '../../ui/guard-dialog.tsx';
import { taskWords, workerWord } from '../../ui/swarm-words.ts';
import { useActions, useSnapshot, useViewState, useWorkbench } from '../../workbench.tsx';
import { type SessionFacts, whyNoCancel, whyNoKill } from './session-limits.ts';

function useFacts(session: string): SessionFacts {
  const summary = useSnapshot('sessions.list')?.sessions.find((each) => each.session === session);
  const worker = useSnapshot('swarm.state')?.workers.find((each) => each.session === session);
  const readOnly = readOnlyLack(useSnapshot('connections.state'));
  return { summary, worker, readOnly };
}

/** A command line in a sentence. */
function briefly(command: readonly string[]): string {
  const line = visibleText(commandTitle(command));
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

function killGuard(worker: WorkerSummary, environment: Environment): Guarded {
  return {
    verb: 'Kill',
    count: 1,
    noun: 'worker',
    object: worker.peer,
    environment: environment.name,
    environmentColour: environment.colour,
    consequence:
      worker.task === null
        ? 'Its process ends at once, as in a crash.'
        : `Its process ends at once, as in a crash, and with it “${briefly(worker.task.command)}”${worker.kind === 'queue' ? ', which comes again' : ''}.`,
  };
}

function useCommands({ worker, summary }: SessionFacts) {
  const { client, reportError, notify, advise } = useWorkbench();
  const environment = useEnvironment();
  const [guarded, setGuarded] = useState<Guarded | undefined>();
  const taskId = worker?.task?.taskId;
  /** A worker of another program is asked through its inbox. */
  const ask = async (session: string): Promise<void> => {
    const { isStored } = await client.sessions.signal({ session, signal: 'cancel' });
    const peer = visibleText(summary?.peer ?? '');
    if (isStored) notify(`${peer} is asked to end its command`);
    else advise(`What ${peer} is asked waits in the outbox until the server answers`);
  };
  const cancel = (): void => {
    const report = (error: unknown): void => reportError('Cancel the command', error);
    if (taskId !== undefined) client.swarm.cancel({ taskId }).catch(report);
    else if (worker === undefined && summary !== undefined) ask(summary.session).catch(report);
  };
  const askKill = (): void => {
    if (worker !== undefined && environment !== undefined) setGuarded(killGuard(worker, environment));
  };
  const kill = (): void => {
    setGuarded(undefined);
    if (guarded !== undefined)
      client.swarm.kill({ peer: guarded.object }).catch((error: unknown) => reportError('Kill the worker', error));
  };
  return { cancel, askKill, kill, guarded, keep: () => setGuarded(undefined) };
}

function Death({ worker }: { readonly worker: WorkerSummary }) {
  const zone = useViewState((state) => state.timeZone);
  const { death } = worker;
  if (death === null) return null;
  const how = death.signal ?? (death.exitCode === null ? undefined : `exit code ${death.exitCode}`);
  return (
    <p className="session-death" data-testid="session-death">
      <Skull size={14} aria-hidden="true" />
      <span>
        The worker died at {formatDateTime(death.atMs, zone)}
        {how === undefined ? '' : ` (${how})`}: {visibleText(death.reason)}
      </span>
    </p>
  );
}

interface CurrentCommandProps extends Pick<SessionFacts, 'summary' | 'worker'> {
  /** Why an idle worker cannot publish. */
  readonly fault: string | undefined;
}

function CurrentCommand({ summary, worker, fault }: CurrentCommandProps) {
  return (
    <p
      className="session-command data"
      data-testid="session-command"
      title={worker?.task ? visibleText(worker.task.command.join(' ')) : undefined}
    >
      {worker?.task ? (
        `${worker.task.isWaiting ? '' : '$ '}${taskWords(worker.task)}`
      ) : (
        <span className="dim">{fault ?? (visibleText(summary?.note ?? '') || 'no command is running')}</span>
      )}
    </p>
  );
}

/** Only what was accepted is shown below; what was not is counted here. */
function Refused({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span
      className="session-refused"
      title={`${formatCount(count)} on the subjects of this session broke the workspace’s policy: not shown here, not handled. The table of messages shows them in red.`}
      data-testid="session-refused"
      data-count={count}
    >
      <OctagonX size={14} aria-hidden="true" />
      {formatCount(count)} refused
    </span>
  );
}

/** What its commands have come to; where there is no room, its end is on hover. */
function Counts({ worker }: { readonly worker: WorkerSummary }) {
  const { pid, doneCount, failedCount, cancelledCount } = worker;
  const cancelled = cancelledCount > 0 ? ` · ${formatCount(cancelledCount)} cancelled` : '';
  const process = pid === null ? '' : ` · pid ${pid}`;
  return (
    <span
      className="session-counts dim"
      title={`${formatCount(doneCount)} done · ${formatCount(failedCount)} failed${cancelled}${process}`}
    >
      {formatCount(doneCount)} done ·{' '}
      <span className={failedCount > 0 ? 'streams-bad' : undefined}>{formatCount(failedCount)} failed</span>
      {cancelled}
      {process}
    </span>
  );
}

export interface SessionHeaderProps {
  readonly session: string;
  /** Messages on its subjects that were refused. */
  readonly refusedCount: number;
}

export function SessionHeader({ session, refusedCount }: SessionHeaderProps) {
  const facts = useFacts(session);
  const { summary, worker } = facts;
  const { cancel, askKill, kill, guarded, keep } = useCommands(facts);
  const fault = publishFault(useSnapshot('connections.state'));
  const isMute = worker?.state === 'idle' && fault !== undefined;
  const state = worker?.state ?? summary?.state ?? 'unknown';
  const cancelReason = whyNoCancel(facts);
  const killReason = whyNoKill(facts);
  const taskId = worker?.task?.taskId;
  const peer = worker?.peer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the commands change with the worker's task and process only.
  const actions = useMemo<readonly Action[]>(
    () => [
      {
        id: 'streams.cancelCommand',
        title: 'Cancel the command of this session',
        group: 'Streams',
        disabledReason: () => cancelReason,
        run: cancel,
      },
      {
        id: 'streams.killWorker',
        title: 'Kill the worker of this session…',
        group: 'Streams',
        disabledReason: () => killReason,
        run: askKill,
      },
    ],
    [cancelReason, killReason, taskId, peer],
  );
  useActions(actions);
  return (
    <div className="session-header">
      <div className="session-line">
        <span className={`session-state session-state-${isMute ? 'mute' : state}`} data-testid="session-state">
          {worker === undefined ? state : workerWord(worker, fault)}
        </span>
        <span className="data dim" title={session}>
          {shortenId(visibleText(session), 20)}
        </span>
        {worker && <Counts worker={worker} />}
        <Refused count={refusedCount} />
        {summary && summary.state !== 'ended' && <span className="data dim">{formatRate(summary.perSecond)}</span>}
        <span className="streams-head-actions">
          <Button icon={CircleStop} disabledReason={cancelReason} onClick={cancel} data-testid="cancel-command">
            Cancel command
          </Button>
          <Button icon={Skull} variant="danger" disabledReason={killReason} onClick={askKill} data-testid="kill-worker">
            Kill worker…
          </Button>
        </span>
      </div>
      {worker?.death ? (
        <Death worker={worker} />
      ) : (
        <CurrentCommand summary={summary} worker={worker} fault={isMute ? fault : undefined} />
      )}
      <GuardDialog guarded={guarded} onCancel={keep} onConfirm={kill} />
    </div>
  );
}
