/** What is shown of a session: its messages, or its terminal, charts and tasks. */
import { ToggleGroup } from 'radix-ui';
import type { StreamsMode } from '../../state/view-store.ts';
import { useViewState, useWorkbench } from '../../workbench.tsx';

export function ModeSwitch() {
  const { view } = useWorkbench();
  const hasSession = useViewState((state) => state.selectedSession !== null);
  const mode = useViewState((state) => (hasSession ? state.streamsMode : 'messages'));
  const onChange = (next: string): void => {
    if (next !== '') view.setState({ streamsMode: next as StreamsMode });
  };
  return (
    <ToggleGroup.Root type="single" className="mode-switch" aria-label="Show" value={mode} onValueChange={onChange}>
      <ToggleGroup.Item className="mode-choice" value="messages" data-testid="mode-messages">
        Messages
      </ToggleGroup.Item>
      <ToggleGroup.Item
        className="mode-choice"
        value="session"
        data-testid="mode-session"
        disabled={!hasSession}
        title={hasSession ? undefined : 'Select a session first'}
      >
        Session
      </ToggleGroup.Item>
    </ToggleGroup.Root>
  );
}
