/** Filters with a name beside the field that they are typed in: recalled, saved, renamed, deleted; kept in the settings. */
import { Bookmark, Trash2 } from 'lucide-react';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { FilterFault } from '../../shared/filter/typed-filter.ts';
import {
  nameFault,
  type SavedFilter,
  savedFiltersOf,
  withFilter,
  withName,
  withoutFilter,
} from '../../shared/settings/saved-filters.ts';
import type { Action } from '../actions/action-registry.ts';
import { useActions, useSnapshot, useWorkbench } from '../workbench.tsx';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Field } from './field.tsx';
import { IconButton } from './icon-button.tsx';
import { Menu, type MenuItem } from './menu.tsx';

export type SavedFilterKind = 'messages' | 'letters';

export interface SavedFiltersProps {
  readonly kind: SavedFilterKind;
  readonly filter: string;
  readonly faults: readonly FilterFault[];
  readonly onFilter: (filter: string) => void;
}

type Asked = 'save' | 'manage' | null;
/** Writes a list; a string says why it cannot be. */
type Write = (list: string | { readonly text: string | null }) => string | undefined;

/** Why what is typed is not saved; undefined: it can be. */
function whyNotSave({ filter, faults }: Pick<SavedFiltersProps, 'filter' | 'faults'>): string | undefined {
  if (filter.trim() === '') return 'type a filter first';
  return faults.length > 0 ? 'the filter has a fault' : undefined;
}

function useList(kind: SavedFilterKind): { readonly filters: readonly SavedFilter[]; readonly write: Write } {
  const { client, reportError } = useWorkbench();
  const key = `filters.${kind}`;
  const text = useSnapshot('settings.current')?.values.find((one) => one.key === key)?.value;
  const filters = useMemo(() => savedFiltersOf(typeof text === 'string' ? text : null), [text]);
  const write: Write = (list) => {
    if (typeof list === 'string') return list;
    const call = list.text === null ? client.settings.reset({ key }) : client.settings.set({ key, value: list.text });
    call.catch((error: unknown) => reportError('Keep the filters', error));
    return undefined;
  };
  return { filters, write };
}

interface SaveFormProps {
  readonly filter: string;
  readonly filters: readonly SavedFilter[];
  readonly write: Write;
  readonly onClose: () => void;
}

function SaveForm({ filter, filters, write, onClose }: SaveFormProps) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string | undefined>();
  const isThere = filters.some((one) => one.name === name);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const why = write(withFilter(filters, { name, filter }));
    if (why === undefined) onClose();
    else setFault(why);
  };
  return (
    <form className="dialog-body" onSubmit={save}>
      <Field
        label="Name"
        autoFocus
        value={name}
        error={fault}
        hint={isThere ? 'It takes the place of the filter with this name.' : undefined}
        onChange={(event) => {
          setName(event.target.value);
          setFault(undefined);
        }}
        data-testid="saved-filter-name"
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary">
          {isThere ? 'Replace' : 'Save'}
        </Button>
      </DialogActions>
    </form>
  );
}

type RowProps = Pick<SaveFormProps, 'filters' | 'write'> & { readonly saved: SavedFilter };

/** One of them: its name is changed in place, and kept when the field is left or Enter is pressed. */
function SavedRow({ saved, filters, write }: RowProps) {
  const [name, setName] = useState(saved.name);
  const [refusal, setRefusal] = useState<string | undefined>();
  const keep = (): void => {
    if (name !== saved.name) setRefusal(write(withName(filters, saved.name, name)));
  };
  return (
    <form
      className="saved-filter"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <Field
        label={`Name of ${visibleText(saved.name)}`}
        value={name}
        hint={visibleText(saved.filter)}
        error={nameFault(name) ?? refusal}
        onChange={(event) => {
          setName(event.target.value);
          setRefusal(undefined);
        }}
        onBlur={keep}
      />
      <IconButton
        icon={Trash2}
        label={`Delete ${visibleText(saved.name)}`}
        onClick={() => write(withoutFilter(filters, saved.name))}
      />
    </form>
  );
}

const words = {
  messages: { group: 'Streams', of: 'of messages', prefix: 'streams' },
  letters: { group: 'Dead letters', of: 'of dead letters', prefix: 'letters' },
} as const;

interface ActionsDeps {
  readonly kind: SavedFilterKind;
  readonly filters: readonly SavedFilter[];
  readonly whySave: () => string | undefined;
  readonly ask: (asked: Asked) => void;
  readonly onFilter: (filter: string) => void;
}

/** What the palette lists of them. */
function savedFilterActions({ kind, filters, whySave, ask, onFilter }: ActionsDeps): readonly Action[] {
  const { group, of, prefix } = words[kind];
  return [
    {
      id: `${prefix}.saveFilter`,
      title: `Save the filter ${of} under a name…`,
      group,
      disabledReason: whySave,
      run: () => ask('save'),
    },
    {
      id: `${prefix}.manageFilters`,
      title: `Rename or delete saved filters ${of}…`,
      group,
      disabledReason: () => (filters.length === 0 ? 'none is saved yet' : undefined),
      run: () => ask('manage'),
    },
    ...filters.map(
      ({ name, filter }): Action => ({
        id: `${prefix}.filter.${name}`,
        title: `Filter ${of.slice(3)}: ${visibleText(name)}`,
        group,
        isOneOfMany: true,
        run: () => onFilter(filter),
      }),
    ),
  ];
}

/** What the palette offers; registered anew only when the list has changed, and reading what stands now. */
function usePaletteActions({
  kind,
  filters,
  ask,
  whySave,
  onFilter,
}: Omit<ActionsDeps, 'whySave'> & { readonly whySave: string | undefined }): void {
  const now = useRef({ whySave, onFilter });
  now.current = { whySave, onFilter };
  useActions(
    useMemo(
      () =>
        savedFilterActions({
          ...{ kind, filters, ask },
          whySave: () => now.current.whySave,
          onFilter: (next) => now.current.onFilter(next),
        }),
      [kind, filters, ask],
    ),
  );
}

export function SavedFilters({ kind, filter, faults, onFilter }: SavedFiltersProps) {
  const [asked, ask] = useState<Asked>(null);
  const { filters, write } = useList(kind);
  const whySave = whyNotSave({ filter, faults });
  usePaletteActions({ kind, filters, ask, whySave, onFilter });
  const items: readonly MenuItem[] = [
    ...filters.map((one) => ({
      id: `filter-${one.name}`,
      label: visibleText(one.name),
      onSelect: () => onFilter(one.filter),
    })),
    { id: 'save-filter', label: 'Save this filter…', disabledReason: whySave, onSelect: () => ask('save') },
    {
      id: 'manage-filters',
      label: 'Rename or delete…',
      disabledReason: filters.length === 0 ? 'none is saved yet' : undefined,
      onSelect: () => ask('manage'),
    },
  ];
  const close = (): void => ask(null);
  return (
    <>
      <span className="typed-filter-saved">
        <Menu label={`Saved filters ${words[kind].of}`} items={items}>
          <IconButton icon={Bookmark} label={`Saved filters ${words[kind].of}`} data-testid="saved-filters" />
        </Menu>
      </span>
      <Dialog
        isOpen={asked === 'save'}
        onClose={close}
        title="Save the filter"
        description={<span className="data">{visibleText(filter)}</span>}
      >
        <SaveForm {...{ filter, filters, write }} onClose={close} />
      </Dialog>
      <Dialog isOpen={asked === 'manage'} onClose={close} title={`Saved filters ${words[kind].of}`}>
        <div className="dialog-body" data-testid="saved-filters-list">
          {filters.length === 0 && <p className="dim">None is saved any more.</p>}
          {filters.map((saved) => (
            <SavedRow key={saved.name} {...{ saved, filters, write }} />
          ))}
          <DialogActions>
            <Button onClick={close}>Close</Button>
          </DialogActions>
        </div>
      </Dialog>
    </>
  );
}
