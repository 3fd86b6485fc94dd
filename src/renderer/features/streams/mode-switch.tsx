/** What is shown of a session: its messages, or its terminal, charts and tasks. */

import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { useViewState, useWorkbench } from '../../workbench.tsx';

export function ModeSwitch() {
  const { view } = useWorkbench();
  const hasSession = useViewState((state) => state.selectedSession !== null);
  const mode = useViewState((state) => (hasSession ? state.streamsMode : 'messages'));
  return (
    <ChoiceSwitch
      label="Show"
      testId="mode"
      chosen={mode}
      onChoose={(streamsMode) => view.setState({ streamsMode })}
      choices={[
        { id: 'messages', title: 'Messages' },
        { id: 'session', title: 'Session', disabledReason: hasSession ? undefined : 'Select a session first' },
      ]}
    />
  );
}
