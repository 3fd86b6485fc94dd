/** The table of contexts. A row has the focus; its keys and its buttons do the same. */
import { Check, KeyRound, Lock, Pencil, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { ConnectionContext, ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { Button } from '../../ui/button.tsx';
import { placeWords } from '../../ui/connection-words.ts';
import { environmentColour } from '../../ui/environment-colour.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { liveWorkers } from '../../ui/swarm-words.ts';
import { useWorkbench } from '../../workbench.tsx';
import { commandOfKey } from './connection-keys.ts';
import { ConnectionOutcome } from './connection-outcome.tsx';
import { whyNotEdit, whyNotImport, whyNotRemove, whyNotUse } from './connection-reasons.ts';
import type { Outcome } from './connection-work.ts';
import { useConnectionWork, useWorkState } from './use-connection-work.ts';
import '../../ui/data-table.css';

const credentialWords: Readonly<Record<ConnectionContext['credentials'], string>> = {
  none: 'none',
  password: 'password',
  token: 'token',
  nkey: 'NKey',
  jwt: 'JWT',
};
const columns = 7;

/** What can be done with one context, each with the reason why not. */
function useCommands(state: ConnectionsState, context: ConnectionContext, outcome: Outcome | undefined) {
  const work = useConnectionWork();
  const { mirror } = useWorkbench();
  const { name } = context;
  const requestUse = (): void => work.requestUse(context, liveWorkers(mirror.getState()['swarm.state']));
  const busy = outcome?.kind === 'running' ? 'something is under way' : undefined;
  return {
    use: { reason: busy ?? whyNotUse(state, context), run: requestUse },
    test: { reason: busy, run: () => void work.test(name) },
    importCredentials: { reason: busy ?? whyNotImport(context), run: () => void work.importCredentials(name) },
    edit: { reason: busy ?? whyNotEdit(context), run: () => work.store.setState({ editing: { context } }) },
    remove: {
      reason: busy ?? whyNotRemove(state, context),
      run: () => work.store.setState({ removing: context }),
    },
  };
}

type Commands = ReturnType<typeof useCommands>;

interface ButtonsProps {
  readonly name: string;
  readonly commands: Commands;
  readonly outcome: Outcome | undefined;
}

function RowButtons({ name, commands, outcome }: ButtonsProps) {
  const { use, test, importCredentials, edit, remove } = commands;
  const doing = outcome?.kind === 'running' ? outcome.doing : undefined;
  return (
    <div className="connection-buttons">
      <Button
        aria-label={`Use ${name}`}
        data-testid={`connection-use-${name}`}
        disabledReason={use.reason}
        onClick={use.run}
      >
        {doing === 'Use' ? 'Connecting…' : 'Use'}
      </Button>
      <Button
        aria-label={`Test ${name}`}
        data-testid={`connection-test-${name}`}
        disabledReason={test.reason}
        onClick={test.run}
      >
        {doing === 'Test' ? 'Testing…' : 'Test'}
      </Button>
      <IconButton
        icon={KeyRound}
        label={`Import credentials for ${name}…`}
        hint={`Import a .creds file for ${name}`}
        disabledReason={importCredentials.reason}
        onClick={importCredentials.run}
      />
      <IconButton icon={Pencil} label={`Edit ${name}…`} disabledReason={edit.reason} onClick={edit.run} />
      <IconButton icon={Trash2} label={`Remove ${name}…`} disabledReason={remove.reason} onClick={remove.run} />
    </div>
  );
}

interface RowProps {
  readonly state: ConnectionsState;
  readonly context: ConnectionContext;
  readonly isActive: boolean;
  readonly onActive: () => void;
  /** Moves on the keys that belong to the table. */
  readonly onMove: (key: string) => boolean;
}

function useRowKeys(commands: Commands, onMove: RowProps['onMove']) {
  const { refuse } = useWorkbench();
  return (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const command = commandOfKey(event.key, { index: 0, count: 1 });
    if (command === undefined) return;
    event.preventDefault();
    if (command.kind === 'focus') onMove(event.key);
    else {
      const { reason, run } = commands[command.kind];
      if (reason === undefined) run();
      else refuse(`It cannot be done: ${reason}.`);
    }
  };
}

function ReadOnlyMark() {
  return (
    <span className="connection-read-only">
      <Lock size={12} aria-hidden="true" />
      read-only
    </span>
  );
}

function ConnectionRow({ state, context, isActive, onActive, onMove }: RowProps) {
  const work = useConnectionWork();
  const { name, kind, isReadOnly, credentials } = context;
  const outcome = useWorkState(({ outcomes }) => outcomes.get(name));
  const commands = useCommands(state, context, outcome);
  const onKeyDown = useRowKeys(commands, onMove);
  const isCurrent = state.current === name;
  const place = visibleText(placeWords(context));
  return (
    <>
      <tr
        className="connection-row"
        tabIndex={isActive ? 0 : -1}
        aria-current={isCurrent || undefined}
        data-testid={`connection-${name}`}
        data-current={isCurrent}
        onFocus={onActive}
        onKeyDown={onKeyDown}
      >
        <td>{isCurrent && <Check size={14} role="img" aria-label="in use" />}</td>
        <th scope="row" title={name}>
          <span className="connection-dot" aria-hidden="true" style={{ background: environmentColour(context) }} />
          <span className="connection-name">{name}</span>
        </th>
        <td>{kind}</td>
        <td className={kind === 'remote' ? 'data' : 'dim'} title={place}>
          {place}
        </td>
        <td className={credentials === 'none' ? 'dim' : undefined}>{credentialWords[credentials]}</td>
        <td>{isReadOnly && <ReadOnlyMark />}</td>
        <td>
          <RowButtons name={name} commands={commands} outcome={outcome} />
        </td>
      </tr>
      {outcome !== undefined && outcome.kind !== 'running' && (
        <tr className="connection-outcome-row">
          <td colSpan={columns}>
            <ConnectionOutcome outcome={outcome} onDismiss={() => work.dismiss(name)} />
          </td>
        </tr>
      )}
    </>
  );
}

function Header() {
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="visually-hidden">In use</span>
        </th>
        <th scope="col">Name</th>
        <th scope="col">Kind</th>
        <th scope="col">Server</th>
        <th scope="col">Credentials</th>
        <th scope="col">Access</th>
        <th scope="col">
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

export function ConnectionsTable({ state }: { readonly state: ConnectionsState }) {
  const { contexts } = state;
  const body = useRef<HTMLTableSectionElement>(null);
  const [active, setActive] = useState<string | undefined>();
  // The row that Tab leads to: the one that had the focus last, else the one in use.
  const found = contexts.findIndex(({ name }) => name === (active ?? state.current));
  const activeIndex = Math.max(0, found);
  const moveFrom = (index: number, key: string): boolean => {
    const command = commandOfKey(key, { index, count: contexts.length });
    if (command?.kind !== 'focus') return false;
    body.current?.querySelectorAll<HTMLElement>('.connection-row')[command.index]?.focus();
    return true;
  };
  return (
    <table
      className="data-table connections-table"
      data-own-rows
      aria-label="Connections: u uses, t tests, Enter edits, Delete removes"
    >
      <Header />
      <tbody ref={body}>
        {contexts.map((context, index) => (
          <ConnectionRow
            key={context.name}
            state={state}
            context={context}
            isActive={index === activeIndex}
            onActive={() => setActive(context.name)}
            onMove={(key) => moveFrom(index, key)}
          />
        ))}
      </tbody>
    </table>
  );
}
