/** Actions that mark a message: to find it again, and to compare others with it. */
import type { Action } from '../../actions/action-registry.ts';
import type { Workbench } from '../../workbench.tsx';
import { refOf } from './find-message.ts';
import { selectedPlace } from './selected-place.ts';
import type { StreamsCommands } from './streams-actions.ts';
import type { AnyTable } from './streams-toolbar.tsx';

type Needs = Pick<Workbench, 'client' | 'view' | 'notify'> & Pick<StreamsCommands, 'openDialog'>;

/** The actions over a table. */
export function createMarkActions(model: AnyTable, { client, view, notify, openDialog }: Needs): readonly Action[] {
  const group = 'Streams';
  const needsMessage = (): string | undefined =>
    model.selectedSeq === undefined ? 'select a message first' : undefined;
  return [
    {
      ...{ id: 'streams.bookmark', title: 'Bookmark the message with a note…', group, keys: ['b'] },
      disabledReason: needsMessage,
      run: () => openDialog('note'),
    },
    {
      ...{ id: 'streams.bookmarks', title: 'Open the bookmarked messages', group, keys: ['Shift+B'] },
      disabledReason: () => (view.getState().bookmarks.length === 0 ? 'none is bookmarked yet' : undefined),
      run: () => openDialog('bookmarks'),
    },
    {
      ...{ id: 'streams.markToCompare', title: 'Mark the message to compare others with it', group, keys: ['x'] },
      disabledReason: needsMessage,
      run: async () => {
        const place = selectedPlace(model);
        if (place === undefined) return;
        view.setState({ comparedTo: refOf(await client.streams.read(place)) });
        notify('Marked: select another message and compare it (Shift+X)');
      },
    },
    {
      ...{ id: 'streams.compare', title: 'Compare the message with the marked one', group, keys: ['Shift+X'] },
      disabledReason: () =>
        view.getState().comparedTo === null ? 'mark a message first: press x on it' : needsMessage(),
      run: () => openDialog('compare'),
    },
  ];
}
