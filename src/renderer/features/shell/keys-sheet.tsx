/** The sheet of keys (`?`): what can be pressed in this view now, from the registered actions. */
import { isApplePlatform, keyLabel } from '../../actions/key-bindings.ts';
import { useAllActions } from '../../actions/use-registry.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useViewState } from '../../workbench.tsx';
import { groupActions } from './palette-entries.ts';
import { titleOfView } from './view-catalog.ts';
import './keys-sheet.css';

function KeysList({ viewTitle }: { readonly viewTitle: string }) {
  const isApple = isApplePlatform(navigator.userAgent);
  const groups = groupActions(
    useAllActions().filter(({ keys }) => keys !== undefined && keys.length > 0),
    viewTitle,
  );
  return (
    <div className="keys-sheet">
      {groups.map(([group, actions]) => (
        <section key={group} className="keys-sheet-group" aria-label={`Keys: ${group}`}>
          <h3 className="keys-sheet-heading">{group}</h3>
          <dl>
            {actions.map(({ id, title, keys = [] }) => (
              <div key={id} className="keys-sheet-row">
                <dt>{title}</dt>
                <dd>
                  {keys.map((binding) => (
                    <kbd key={binding} className="keys-sheet-key">
                      {keyLabel(binding, isApple)}
                    </kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

export function KeysSheet({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const viewTitle = titleOfView(useViewState((state) => state.view));
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Keys in ${viewTitle}`}
      description="While you type in a field, only keys with a modifier work."
    >
      <KeysList viewTitle={viewTitle} />
    </Dialog>
  );
}
