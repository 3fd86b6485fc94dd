/** `vak approvals ls|approve|deny`: what waits for an operator's word, and that word (protocol.md W8). */
import { type Approval, approvalState } from '../../engine/work/approval-book.ts';
import { draftVerdict, verdictSubject } from '../../engine/work/approval-records.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { checkPending, createApprovalReading } from './approval-reading.ts';
import { type CliHost, type Command, type CommonOptions, exitCodes } from './command.ts';
import { contextNeed } from './example-needs.ts';
import { readId } from './id-input.ts';
import { type IdentityBus, publishSealed, withIdentityBus } from './identity-bus.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';

function print(approval: Approval, nowMs: number, { output }: CliHost): void {
  const { request, verdict } = approval;
  const { requestId: id, title, detail, command = null, peer, taskId = null, storedMs, expiresAt } = request;
  const state = approvalState(approval, nowMs);
  const asked = new Date(storedMs).toISOString();
  const { decision, by, reason = null, storedMs: atMs = 0 } = verdict ?? {};
  const answer = verdict === undefined ? null : { decision, by, reason, at: new Date(atMs).toISOString() };
  const line = [visibleText(id), state, peer, `until ${expiresAt}`, visibleText(title)];
  const answered = answer === null ? '' : `  by ${by}${reason === null ? '' : `: ${visibleText(reason)}`}`;
  // The whole of it: who is shown only a part of a command would approve the rest unseen.
  const run = command === null ? '' : `\n    runs ${visibleText(JSON.stringify(command))}`;
  output.data(
    { id, state, title, detail, command, peer, taskId, asked, expiresAt, answer },
    `${line.join('  ')}${answered}\n    ${visibleText(detail)}${run}`,
  );
}

/** Runs with what the profile knows to judge by. */
async function withApprovals(
  common: CommonOptions,
  host: CliHost,
  work: (bus: IdentityBus, trust: ReturnType<typeof createWorkspaceTrust>) => Promise<void>,
): Promise<void> {
  await withIdentityBus({ common }, host, async (bus) => {
    const trust = createWorkspaceTrust({ ...bus, workspace: common.workspace }, host);
    try {
      await work(bus, trust);
    } finally {
      trust.dispose();
    }
  });
}

const ls: Command = {
  words: ['approvals', 'ls'],
  args: [],
  options: { all: { help: 'also those that were answered or have expired' } },
  summary: 'Lists what waits for the answer of an operator, oldest first.',
  notes: `Prints {id, state: pending|approved|denied|expired, title, detail, command, peer, taskId, asked, expiresAt, answer: {decision, by,
reason, at}}, one a line. Only requests that their session signed are listed, and only answers that count; what does not count is said on
stderr.`,
  needs: contextNeed,
  example: 'vak approvals ls --context prod --json',
  async run({ common, isOn }, host) {
    await withApprovals(common, host, async (bus, trust) => {
      const nowMs = host.clock.now();
      const isWanted = ({ expiresAt }: { readonly expiresAt: string }): boolean =>
        isOn('all') || nowMs <= Date.parse(expiresAt);
      const reading = createApprovalReading(bus, { ...trust, isWanted }, host);
      await reading.read();
      for (const approval of reading.book.all()) {
        if (isOn('all') || approvalState(approval, nowMs) === 'pending') print(approval, nowMs, host);
      }
    });
    return exitCodes.done;
  },
};

interface Answer {
  readonly id: string;
  readonly decision: 'approve' | 'deny';
  readonly reason: string | undefined;
}

/** Answers a request, and makes sure that it was this answer that counted. */
async function answer(
  { id, decision, reason }: Answer,
  { bus, trust }: { readonly bus: IdentityBus; readonly trust: ReturnType<typeof createWorkspaceTrust> },
  host: CliHost,
): Promise<void> {
  const { clock, output, randomness } = host;
  const { workspace } = bus.open;
  const { book, read } = createApprovalReading(bus, { ...trust, isWanted: ({ requestId }) => requestId === id }, host);
  await read();
  const { request } = checkPending(id, book.get(id), clock.now());
  const said = { decision, ...(reason === undefined ? {} : { reason }) };
  const trace = startTrace((length) => randomness.bytes(length));
  const draft = () => draftVerdict(request, said, { workspace, trace });
  const { seq } = await publishSealed(
    bus,
    { subject: verdictSubject(workspace, request.session), kind: 'd', draft },
    host,
  );
  await read();
  const counted = book.get(id)?.verdict;
  if (counted?.seq !== seq) {
    const why = counted === undefined ? 'it came too late' : `${counted.by} was first (${counted.decision})`;
    throw new VakError('conflict', `${id}: the answer does not count, ${why}; see vak approvals ls --all`);
  }
  output.change({ id, decision, by: bus.identity.peer, reason: reason ?? null });
  output.talk(`${id} is ${decision === 'approve' ? 'approved' : 'denied'}`);
}

function createCommand(decision: Answer['decision'], more: Pick<Command, 'summary' | 'notes'>): Command {
  return {
    words: ['approvals', decision],
    args: ['ID'],
    options: { reason: { value: 'R', help: 'why, for who asked and for the record; at most 1 KiB' } },
    ...more,
    needs: `a request that waits; ${contextNeed}`,
    example: `vak approvals ${decision} "$(vak approvals ls --context prod --json | jq -rs '.[0].id')" --reason 'as agreed' --context prod`,
    async run({ args: [text = ''], common, option }, host) {
      const id = readId(text, 'vak approvals ls');
      const reason = option('reason');
      if (decision === 'deny' && reason === undefined) {
        throw new VakError('invalid-input', '--reason: missing; say why it is denied');
      }
      const requestLeaf = '0'.repeat(64);
      checkPayload('vak.approvals.verdict', { requestId: id, requestLeaf, decision, reason });
      await withApprovals(common, host, (bus, trust) => answer({ id, decision, reason }, { bus, trust }, host));
      return exitCodes.done;
    },
  };
}

const told =
  'With --json prints {id, decision, by, reason}. Exit code 1 if the request is not known, has expired, or was answered before';

export const approvalsCommands: readonly Command[] = [
  ls,
  createCommand('approve', {
    summary: 'Approves what a session has asked for, signed as --identity, which must be an operator.',
    notes: `${told},
by whomever: the first answer decides, and this one is told only when it was the first.`,
  }),
  createCommand('deny', {
    summary: 'Denies what a session has asked for, signed as --identity, which must be an operator.',
    notes: `${told}.
--reason is a must: who asked is told it.`,
  }),
];
