/** One listener for all keys of the window: finds the action that is bound to a press and runs it. */
import { useEffect } from 'react';
import { useWorkbench } from '../workbench.tsx';
import { isApplePlatform, type KeyTarget, matchesBinding, mayStartAction } from './key-bindings.ts';
import { useRunAction } from './use-registry.ts';

const textInputs = 'input:not([type=checkbox], [type=radio], [type=button], [type=range]), textarea, select';
const controls = 'button, a[href], summary, input, [role=button], [role=link], [role=menuitem], [role=switch]';

function classify(target: EventTarget | null): KeyTarget {
  if (!(target instanceof HTMLElement)) return 'page';
  if (target.closest('[role=dialog], [role=alertdialog]') !== null) return 'dialog';
  if (target.isContentEditable || target.matches(textInputs)) return 'text';
  return target.closest(controls) === null ? 'page' : 'control';
}

/** Listens while mounted; what a component has handled itself (`preventDefault`) is left alone. */
export function useKeyDispatch(): void {
  const { actions } = useWorkbench();
  const run = useRunAction();
  useEffect(() => {
    const isApple = isApplePlatform(navigator.userAgent);
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || !mayStartAction(classify(event.target), event, isApple))
        return;
      const action = actions.all().find(({ keys }) => keys?.some((binding) => matchesBinding(binding, event, isApple)));
      if (action === undefined) return;
      event.preventDefault();
      // A held chord is one wish; held j/k move on.
      if (!(event.repeat && (event.metaKey || event.ctrlKey))) void run(action);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [actions, run]);
}
