/** A new room: its name, its topic, and whether who joins later reads what was said before. */
import { useState } from 'react';
import { ChoiceSwitch } from '../../ui/choice-switch.tsx';
import { Field } from '../../ui/field.tsx';
import { useWorkbench } from '../../workbench.tsx';
import { DialogForm } from './dialog-form.tsx';
import { whyNotCreate } from './room-reasons.ts';
import { useRoomSituation, useRoomWork } from './use-room-work.ts';

const histories = [
  { id: 'joined', title: 'From joining on' },
  { id: 'shared', title: 'All of it' },
] as const;

export function CreateDialog() {
  const { view } = useWorkbench();
  const { calls } = useRoomWork();
  const situation = useRoomSituation();
  const [name, setName] = useState('');
  const [topic, setTopic] = useState('');
  const [history, setHistory] = useState<'joined' | 'shared'>('joined');
  return (
    <DialogForm
      title="Create a room"
      description="You own it. Its name, its topic and who is in it are signed, not secret; what is said in it is."
      verb="Create"
      why={whyNotCreate(situation) ?? (name.trim() === '' ? 'give it a name first' : undefined)}
      send={async () => view.setState({ view: 'rooms', selectedRoom: await calls.create({ name, topic, history }) })}
    >
      <Field
        autoFocus
        label="Name"
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.target.value)}
        data-testid="room-name"
      />
      <Field
        label="Topic (optional)"
        maxLength={256}
        value={topic}
        onChange={(event) => setTopic(event.target.value)}
      />
      <div className="field">
        <span className="field-label">Who joins later reads</span>
        <ChoiceSwitch
          label="Who joins later reads"
          choices={histories}
          chosen={history}
          onChoose={setHistory}
          testId="room-history"
        />
        <p className="field-note">
          {history === 'joined'
            ? 'What was said before somebody joined stays closed to them. This cannot be changed later.'
            : 'Whoever joins is sent the former keys, too. This cannot be changed later.'}
        </p>
      </div>
    </DialogForm>
  );
}
