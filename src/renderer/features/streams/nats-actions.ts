/** Actions that copy a message, or its place in a stream, as commands of the `nats` program. */
import type { Action } from '../../actions/action-registry.ts';
import { copyText } from '../../ui/copy-text.ts';
import { wholeOf } from '../../ui/payload/payload-source.ts';
import type { Workbench } from '../../workbench.tsx';
import { messageSource } from './message-source.ts';
import { natsGet, natsPublish } from './nats-command.ts';
import type { AnyTable } from './streams-toolbar.tsx';

type Needs = Pick<Workbench, 'client' | 'notify' | 'refuse'>;

/** The actions over a table. */
export function createNatsActions(model: AnyTable, { client, notify, refuse }: Needs): readonly Action[] {
  const stream = (): string | null => (model.kind === 'stored' ? (model.stream ?? null) : null);
  const needsMessage = (): string | undefined =>
    model.selectedSeq === undefined ? 'select a message first' : undefined;
  const copy = (line: string, what: string): void => {
    if (copyText(line)) notify(`Copied ${what}`);
    else refuse('The clipboard refused the command');
  };
  async function copyPublish(seq: number): Promise<void> {
    const message = await client.streams.read({ seq, stream: stream() });
    const bytes = await wholeOf(messageSource(client, { ...message, part: 'message' }), new AbortController().signal);
    copy(natsPublish(message.subject, bytes), 'the command that publishes the message again');
  }
  return [
    {
      id: 'streams.copyNatsPub',
      title: 'Copy the message as “nats pub …”',
      group: 'Streams',
      keys: ['c'],
      disabledReason: needsMessage,
      run: async () => {
        if (model.selectedSeq !== undefined) await copyPublish(model.selectedSeq);
      },
    },
    {
      id: 'streams.copyNatsGet',
      title: 'Copy the message’s place as “nats stream get …”',
      group: 'Streams',
      keys: ['Shift+C'],
      disabledReason: () => (stream() === null ? 'open a durable stream first: press o' : needsMessage()),
      run: () => {
        const name = stream();
        if (name !== null && model.selectedSeq !== undefined)
          copy(natsGet(name, model.selectedSeq), 'the command that reads the message');
      },
    },
  ];
}
