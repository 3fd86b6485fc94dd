/** `vak dlq retries|cancel`: the retries that any app or command of the workspace is at, and the end of one (docs/spec/triage.md D8). */

import { type CancelPorts, createRunningClaims, requestCancel } from '../../engine/triage/campaign-cancel.ts';
import type { CampaignPlace } from '../../engine/triage/campaign-place.ts';
import type { LetterClaims } from '../../engine/triage/letter-claims.ts';
import { readToldCampaigns } from '../../engine/triage/told-campaigns.ts';
import { pause } from '../../engine/wait.ts';
import { auditSubject } from '../../engine/work/purge-records.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { type CliHost, type Command, type ExitCode, exitCodes } from './command.ts';
import { retryTable, retryValue } from './dlq-lines.ts';
import { readReason } from './dlq-selection.ts';
import { contextNeed } from './example-needs.ts';
import { type IdentityBus, withIdentityBus } from './identity-bus.ts';
import { checkRights, requireOperator } from './publish-rights.ts';
import { createWorkspaceTrust, type WorkspaceTrust } from './workspace-trust.ts';

/** So long it is waited for that whoever works on it ends it, ms. */
const endMs = 10_000;
const lookEveryMs = 200;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Throws `invalid-input`. */
function readOperation(text: string): string {
  if (uuid.test(text)) return text;
  throw new VakError(
    'invalid-input',
    `OPERATION: found ${text.length} characters, allowed: an operationId as vak dlq retries prints it`,
  );
}

/** Runs with the operator's outbox, on the server that is connected. */
async function withPlace<T>(
  bus: IdentityBus,
  trust: WorkspaceTrust,
  { host, work }: { readonly host: CliHost; readonly work: (place: CampaignPlace, ports: CancelPorts) => Promise<T> },
): Promise<T> {
  // Read only here: the store of an outbox has a native part, and most commands need none.
  const { withOwnOutbox } = await import('./own-outbox.ts');
  const { clock, randomness } = host;
  const { workspace } = bus.open;
  const { peer } = bus.identity;
  const subject = auditSubject(workspace, peer);
  return await withOwnOutbox({ ...bus, subject }, host, async (durable, own) => {
    checkRights(subject, durable.session('d'), { ...bus, nowMs: clock.now() });
    const { destination } = bus.place;
    const place = { ...{ destination, peer, durable: bus.fabric.durable, publish: durable.publish }, ...own };
    const basis = (): number => {
      trust.knowledge.look();
      return trust.knowledge.version();
    };
    return await work(place, { workspace, judge: trust.judge, basis, clock, randomness });
  });
}

/** Waits until it has ended; gives how, undefined: nobody has ended it yet. */
async function waitForEnd(
  operationId: string,
  claims: LetterClaims,
  { clock, signal }: CliHost,
): Promise<string | undefined> {
  const untilMs = clock.monotonic() + endMs;
  for (;;) {
    await claims.read();
    const end = claims.operationOf(operationId)?.end;
    if (end !== undefined || signal.aborted || clock.monotonic() >= untilMs) return end;
    await pause(clock, lookEveryMs, signal);
  }
}

const retries: Command = {
  words: ['dlq', 'retries'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Lists the retries that apps and commands of the workspace are at, newest first.',
  notes: `Prints a table, or with --json {operationId, by, kind: retry|edit|retarget, state: running|waiting, count, counts, title, reason,
started}, one a line, as their operators put them on record in the last 12 h; waiting: somebody has cancelled it, and it has not ended
yet. Whether a process still works on one is not on record.`,
  needs: contextNeed,
  example: 'vak dlq retries --context prod',
  async run({ common, isOn }, host) {
    return await withIdentityBus({ common }, host, async (bus) => {
      const trust = createWorkspaceTrust({ ...bus, workspace: common.workspace }, host);
      try {
        const { durable } = bus.fabric;
        const found = await readToldCampaigns({ ...common, durable, judge: trust.judge }, host.clock.now());
        if (isOn('json')) for (const one of found) host.output.data(retryValue(one), '');
        else if (found.length > 0) host.output.print(retryTable(found));
        return exitCodes.done;
      } finally {
        trust.dispose();
      }
    });
  },
};

const cancel: Command = {
  words: ['dlq', 'cancel'],
  changes: 'bus',
  args: ['OPERATION'],
  options: { reason: { value: 'R', help: 'why, for the record; at most 1 KiB' } },
  summary: 'Ends a retry that any app or command of the workspace is at, as --identity, which must be an operator.',
  notes: `What was published stays published, what has not begun does not begin. It is put on record, and whoever works on the retry follows
it within a second; one whose process has died ends when it is taken up, and publishes nothing more. Prints {operationId, by, state:
cancelled|requested|…}: requested after 10 s without anybody who ended it. Exit code 1 if it had ended before, or ended as something else.`,
  needs: `a retry that is under way (vak dlq retry in another terminal); ${contextNeed}`,
  example: `vak dlq cancel "$(vak dlq retries --context prod --json | jq -rs '.[0].operationId')" --reason 'wrong cure' --context prod`,
  async run({ args: [text = ''], common, option }, host): Promise<ExitCode> {
    const operationId = readOperation(text);
    const reason = readReason(option('reason'));
    return await withIdentityBus({ common }, host, async (bus) => {
      requireOperator('dlq cancel', { ...bus, nowMs: host.clock.now() });
      const trust = createWorkspaceTrust({ ...bus, workspace: common.workspace }, host);
      try {
        return await withPlace(bus, trust, {
          host,
          async work(place, ports) {
            const claims = createRunningClaims(place, ports);
            await requestCancel({ operationId, reason }, { place, claims, ports });
            const end = await waitForEnd(operationId, claims, host);
            const by = claims.operationOf(operationId)?.by ?? '';
            const state = end ?? 'requested';
            host.output.change({ operationId, by, state });
            if (end === undefined)
              host.output.talk('vak: it is on record; nobody has ended it yet, and nobody will go on with it');
            return end === undefined || end === 'cancelled' ? exitCodes.done : exitCodes.no;
          },
        });
      } finally {
        trust.dispose();
      }
    });
  },
};

export const dlqCancelCommands: readonly Command[] = [retries, cancel];
