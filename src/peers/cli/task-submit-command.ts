/** `vak task submit`: a task into its queue (protocol.md W1, W2). */
import { openForTask } from '../../engine/work/enqueue-task.ts';
import { taskSubject } from '../../engine/work/work-queue.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { type Command, exitCodes } from './command.ts';
import { contextNeed } from './example-needs.ts';
import { publishSealed, withIdentityBus } from './identity-bus.ts';
import { readSubmission } from './task-submission.ts';

export const taskSubmitCommand: Command = {
  words: ['task', 'submit'],
  changes: 'bus',
  args: [],
  rest: 'COMMAND…',
  options: {
    queue: { value: 'Q', help: 'the queue that it goes into' },
    'max-retries': { value: 'N', help: 'tries after the first (default: what the queue allows; a new one allows 3)' },
    timeout: { value: 'S', help: 'ends the command after so many seconds; that is a failure' },
    cwd: { value: 'DIR', help: "folder that it runs in, on the worker's machine" },
    env: { value: 'NAME=VALUE', isMultiple: true, help: 'variable of its environment, once for each' },
    'json-task': { value: '-|FILE|JSON', help: 'the whole task, {command, …} or {input, …}, instead of COMMAND' },
  },
  summary: 'Puts a task into a queue as --identity, sealed and signed.',
  notes: `Prints {id, queue, leaf, seq}; vak task wait says what becomes of id. COMMAND stands after --, and is no shell's line: for one
write -- sh -c '…'. A task is checked before anything is sent, by its schema and for what no worker could run: exit code 2, and the
field is named. {input: any JSON} is for workers with --exec, which get it on stdin. Options go before the same fields of --json-task.
A queue is made by its first task, and allows its tasks as many retries as that one asked for, 3 at least; exit code 1 if a later one
asks for more than its queue allows. Secrets are never arguments: a task that needs one finds it where its worker runs.`,
  needs: `the streams are there (vak provision); ${contextNeed}`,
  example: `vak task submit --queue builds --max-retries 1 --timeout 600 --env LEVEL=2 --context prod -- make all
echo '{"input":{"pages":[1,2]}}' | vak task submit --queue pages --json-task - --context prod`,
  async run(input, host) {
    const { common, option } = input;
    const { workspace } = common;
    const named = option('queue');
    if (named === undefined) throw new VakError('invalid-input', '--queue: missing; give the queue of the task');
    const queue = checkToken(named, '--queue');
    const { bytes: payload, maxRetries } = await readSubmission(input, host);
    const subject = taskSubject({ workspace, queue });
    return await withIdentityBus({ common, isPublishing: true }, host, async (bus) => {
      const draft = async () => {
        await openForTask(bus.fabric.durable, { workspace, queue }, { maxRetries, field: '--max-retries' });
        return { subject, payload, trace: startTrace((length) => host.randomness.bytes(length)) };
      };
      const { id, leaf, seq } = await publishSealed(bus, { subject, kind: 'q', draft }, host);
      const value = { id, queue, leaf, seq };
      host.output.data(value, JSON.stringify(value));
      return exitCodes.done;
    });
  },
};
