/** `vak approvals ls|approve|deny`: what waits for an operator's word, and that word (protocol.md W8). */
import { type ApprovalAnswering, answerApproval, checkAnswering } from '../../engine/work/approval-answer.ts';
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalState,
  type AskerGone,
  approvalState,
} from '../../engine/work/approval-book.ts';
import { type ApprovalReading, createApprovalReading } from '../../engine/work/approval-reading.ts';
import { type ApprovalTasks, createApprovalTasks } from '../../engine/work/approval-tasks.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { type CliHost, type Command, type CommonOptions, exitCodes } from './command.ts';
import { contextNeed } from './example-needs.ts';
import { readId } from './id-input.ts';
import { type IdentityBus, publishSealed, withIdentityBus } from './identity-bus.ts';
import { createWorkspaceTrust, type WorkspaceTrust } from './workspace-trust.ts';

const words = { list: 'vak approvals ls --all', reason: '--reason' };
/** Records that do not count are told one by one, so many of them. */
const maxTold = 5;

/** Reads the approvals from the beginning; what does not count is said on stderr. */
function readApprovals(
  { fabric, open: { workspace } }: IdentityBus,
  { judge, isWanted }: Pick<WorkspaceTrust, 'judge'> & { readonly isWanted: (request: ApprovalRequest) => boolean },
  { output }: CliHost,
): ApprovalReading {
  let refusedCount = 0;
  const { book, read } = createApprovalReading({
    ...{ workspace, durable: fabric.durable, judge, isWanted },
    onRefused({ seq }, why) {
      refusedCount++;
      if (refusedCount <= maxTold) output.talk(`vak: message ${seq} of the approvals does not count: ${why}`);
    },
  });
  return {
    book,
    async read() {
      await read();
      if (refusedCount > maxTold) output.talk(`vak: ${refusedCount - maxTold} more of the approvals do not count`);
      refusedCount = 0;
    },
  };
}

/** What became of the tasks that requests name. */
function tasksOf(
  { fabric, open: { workspace } }: IdentityBus,
  { judge, reader }: Pick<WorkspaceTrust, 'judge' | 'reader'>,
  { reading, host }: { readonly reading: ApprovalReading; readonly host: CliHost },
): ApprovalTasks {
  return createApprovalTasks({
    ...{ workspace, durable: fabric.durable, judge, reader, clock: host.clock, book: reading.book },
  });
}

interface Standing {
  readonly state: ApprovalState;
  readonly gone: AskerGone | undefined;
}

function print({ request, verdict }: Approval, { state, gone }: Standing, { output }: CliHost): void {
  const { requestId: id, title, detail, command = null, peer, session, taskId = null, storedMs, expiresAt } = request;
  const asked = new Date(storedMs).toISOString();
  const { decision, by, reason = null, storedMs: atMs = 0 } = verdict ?? {};
  const answer = verdict === undefined ? null : { decision, by, reason, at: new Date(atMs).toISOString() };
  const line = [visibleText(id), state, peer, `until ${expiresAt}`, visibleText(title)];
  const why = state === 'asker-gone' ? (gone?.why ?? null) : null;
  const left = why === null ? '' : `  ${visibleText(why)}`;
  const answered = answer === null ? left : `  by ${by}${reason === null ? '' : `: ${visibleText(reason)}`}`;
  // The whole of it: who is shown only a part of a command would approve the rest unseen.
  const run = command === null ? '' : `\n    runs ${visibleText(JSON.stringify(command))}`;
  output.data(
    { id, state, title, detail, command, peer, session, taskId, asked, expiresAt, answer, gone: why },
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
  changes: 'nothing',
  args: [],
  options: { all: { help: 'also those that were answered or have expired, or that nobody waits for any more' } },
  summary: 'Lists what waits for the answer of an operator, oldest first.',
  notes: `Prints {id, state: pending|approved|denied|expired|asker-gone, title, detail, command, peer, session, taskId, asked, expiresAt,
answer: {decision, by, reason, at}, gone}, one a line. asker-gone, and why in gone: its task has ended, was taken out of its queue, or was
claimed anew. This command hears no heartbeats: what a worker has asked that died is pending here until its task is claimed anew, or its
time is over. Only requests that their session signed are listed, and only answers that count; what does not count is said on stderr.`,
  needs: contextNeed,
  example: 'vak approvals ls --context prod --json',
  async run({ common, isOn }, host) {
    await withApprovals(common, host, async (bus, trust) => {
      const nowMs = host.clock.now();
      const isWanted = ({ expiresAt }: { readonly expiresAt: string }): boolean =>
        isOn('all') || nowMs <= Date.parse(expiresAt);
      const reading = readApprovals(bus, { ...trust, isWanted }, host);
      await reading.read();
      const all = [...reading.book.all()];
      const isWaiting = (one: Approval): boolean => approvalState(one, nowMs) === 'pending';
      const goneOf = await tasksOf(bus, trust, { reading, host }).read(
        all.filter(isWaiting).map(({ request }) => request),
      );
      for (const approval of all) {
        const gone = goneOf(approval.request);
        const state = approvalState(approval, nowMs, gone);
        if (isOn('all') || state === 'pending') print(approval, { state, gone }, host);
      }
    });
    return exitCodes.done;
  },
};

/** Answers a request, and makes sure that it was this answer that counted. */
async function answer(
  answering: ApprovalAnswering,
  { bus, trust }: { readonly bus: IdentityBus; readonly trust: ReturnType<typeof createWorkspaceTrust> },
  host: CliHost,
): Promise<void> {
  const { output } = host;
  const { requestId: id, decision, reason = null } = answering;
  const { workspace } = bus.open;
  const nowMs = host.clock.now();
  // What else waits says whether its task was claimed anew.
  const isWanted = ({ requestId, expiresAt }: ApprovalRequest): boolean =>
    requestId === id || nowMs <= Date.parse(expiresAt);
  const reading = readApprovals(bus, { ...trust, isWanted }, host);
  await answerApproval(answering, {
    ...{ ...host, workspace, words, reading },
    goneOf: async (request) => (await tasksOf(bus, trust, { reading, host }).read([request]))(request),
    async publish(draft) {
      const { seq = 0 } = await publishSealed(bus, { subject: draft.subject, kind: 'd', draft: () => draft }, host);
      return seq;
    },
  });
  output.change({ id, decision, by: bus.identity.peer, reason });
  output.talk(`${id} is ${decision === 'approve' ? 'approved' : 'denied'}`);
}

function createCommand(decision: ApprovalAnswering['decision'], more: Pick<Command, 'summary' | 'notes'>): Command {
  return {
    words: ['approvals', decision],
    changes: 'bus',
    args: ['ID'],
    options: { reason: { value: 'R', help: 'why, for who asked and for the record; at most 1 KiB' } },
    ...more,
    needs: `a request that waits; ${contextNeed}`,
    example: `vak approvals ${decision} "$(vak approvals ls --context prod --json | jq -rs '.[0].id')" --reason 'as agreed' --context prod`,
    async run({ args: [text = ''], common, option }, host) {
      const id = readId(text, 'vak approvals ls');
      const answering = { requestId: id, decision, reason: option('reason') };
      checkAnswering(answering, words);
      await withApprovals(common, host, (bus, trust) => answer(answering, { bus, trust }, host));
      return exitCodes.done;
    },
  };
}

const told =
  'With --json prints {id, decision, by, reason}. Exit code 1 if the request is not known, has expired, nobody waits for it any more, or was answered before';

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
