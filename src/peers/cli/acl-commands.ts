/** `vak acl explain`: what a role may publish and subscribe to, and which rule says so (protocol.md A1, A2, A5). */
import { VakError } from '../../shared/base/vak-error.ts';
import { type AccessContext, explainAccess } from '../../shared/protocol/acl.ts';
import type { AccessAction } from '../../shared/protocol/acl-rules.ts';
import { explainServer, isServerSubject } from '../../shared/protocol/explain-server.ts';
import { roles } from '../../shared/protocol/roles.ts';
import type { GrantedHolder } from '../../shared/protocol/server-rights.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { type Command, type CommandInput, exitCodes } from './command.ts';

const actions: readonly AccessAction[] = ['publish', 'subscribe'];

/** An option that must be there. Throws `invalid-input`. */
function needed({ option }: CommandInput, name: string, what: string): string {
  const value = option(name);
  if (value === undefined) throw new VakError('invalid-input', `--${name}: missing; give ${what}`);
  return value;
}

/** A value of a closed set. Throws `invalid-input` that lists it. */
function oneOf<T extends string>(text: string, name: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw new VakError('invalid-input', `--${name}: found ${text.length} characters, allowed: ${allowed.join(', ')}`);
}

/** Whose rights at a server are asked for: they name the peer. */
function serverHolder(
  input: CommandInput,
  { role, workspace, queue }: Pick<AccessContext, 'role' | 'workspace' | 'queue'>,
): GrantedHolder {
  const peer = needed(input, 'peer', 'the peer: what a server is told of names it');
  return { workspace, peer, roles: [role], queues: queue === undefined ? [] : [queue] };
}

const explain: Command = {
  words: ['acl', 'explain'],
  changes: 'nothing',
  args: [],
  options: {
    role: { value: 'R', help: roles.join(', ') },
    peer: { value: 'P', help: 'the peer that asks' },
    session: { value: 'S', help: 'its session' },
    queue: { value: 'Q', help: 'the queue of a worker' },
    action: { value: 'A', help: 'publish or subscribe' },
    subject: { value: 'S', help: 'subject to publish, or pattern to subscribe to' },
  },
  summary: 'Says whether a role may publish or subscribe, and which rule decides; also what a server may let it do.',
  notes: `Prints {allowed, rule}; exit code 1 if it is denied. The workspace is that of --workspace; every other one is denied. A rule
about what is a peer's own applies only if --peer, --session or --queue says whose it is. Rooms count as entered: who is a
member of a room is proved by signatures, not by this policy. A subject of the server's own ($JS.API.…, $KV.…, $O.…, _INBOX.…) is judged by
what vak acl export tells a server of that --peer, which must be named: the answer is the rule about the stream, consumer or bucket that is meant.`,
  example: `vak acl explain --role operator --action publish --subject vak.work.default.builds.task
vak acl explain --role worker --queue builds --action subscribe --subject vak.work.default.builds.task
vak acl explain --role worker --peer builder --queue builds --action publish --subject '$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_default.queue-builds'`,
  run(input, { output }) {
    const role = oneOf(needed(input, 'role', 'a role'), 'role', roles);
    const action = oneOf(needed(input, 'action', 'publish or subscribe'), 'action', actions);
    const subject = needed(input, 'subject', 'a subject or a pattern');
    const own = (name: string): string | undefined => {
      const text = input.option(name);
      return text === undefined ? undefined : checkToken(text, `--${name}`);
    };
    const context = { role, workspace: input.common.workspace };
    const asked = { ...context, peer: own('peer'), session: own('session'), queue: own('queue') };
    const answer = isServerSubject(subject)
      ? explainServer(serverHolder(input, asked), action, subject)
      : explainAccess(asked, action, subject);
    output.data(answer, `${answer.allowed ? 'allowed' : 'denied'}  ${answer.rule}`);
    return Promise.resolve(answer.allowed ? exitCodes.done : exitCodes.no);
  },
};

export const aclCommands: readonly Command[] = [explain];
