/** What `vak subscribe` prints of a message: its envelope, its bytes, or what is known of it when it is opened. */

import type { Message } from '../../engine/bus/bus.ts';
import { createIntake, type Intake } from '../../engine/envelope/intake.ts';
import { marksOf } from '../../engine/envelope/message-trust.ts';
import { createQuarantine } from '../../engine/envelope/quarantine.ts';
import { createMessageBuffer, type HeldMessage } from '../../engine/feeds/message-buffer.ts';
import { createSubjectReader } from '../../engine/feeds/subject-reader.ts';
import { recordProblem } from '../../engine/work/record-content.ts';
import { toBase64 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { OpenedPayload } from '../../shared/contract/trust-report.ts';
import type { CliHost } from './command.ts';
import type { EnvelopeWorkspace } from './envelope-workspace.ts';
import { envelopeTextOf, jsonTextOf, messageLine } from './message-line.ts';
import { createWorkspaceTrust } from './workspace-trust.ts';

/** Makes what is printed of each message, in their order. */
export interface SubscribeLines extends Disposable {
  linesOf(message: Message): readonly (string | Uint8Array)[];
}

/** The envelope as it came, on one line; `{subject, base64}` for anything else. */
export function createEnvelopeLines(): SubscribeLines {
  return {
    linesOf: ({ subject, data }) => [`${envelopeTextOf(data) ?? messageLine({ subject }, data)}\n`],
    dispose: () => {},
  };
}

/** `SUBJECT SIZE`, a line break, so many bytes, a line break. */
export function createRawLines(): SubscribeLines {
  return { linesOf: ({ subject, data }) => [`${subject} ${data.length}\n`, data, '\n'], dispose: () => {} };
}

/** What a chain is judged by: a verdict is about the messages before it. */
const buffered = { capacityCount: 4096, capacityBytes: 32 * 1024 * 1024 };

/** The opened payload of what nothing speaks against; of what is refused nothing is handed out. */
function payloadOf(held: HeldMessage, intake: Intake): { readonly payload?: Uint8Array; readonly why?: string } {
  const admission = intake.admit(held);
  if (admission.kind === 'accepted') return { payload: admission.payload };
  if (admission.kind === 'refused') return {};
  const opened: OpenedPayload = intake.open(held);
  return opened.kind === 'opened' ? { payload: opened.bytes } : { why: opened.failure.why };
}

function openedLine(held: HeldMessage, intake: Intake): string {
  const { subject, data, trust } = held;
  const { payload, why } = payloadOf(held, intake);
  const { signature, seal, chain } = marksOf(trust);
  const known = { signature, seal, chain, ...(why === undefined ? {} : { why }) };
  const told = trust.refusal === undefined ? known : { ...known, refusal: trust.refusal };
  const text = payload === undefined ? undefined : jsonTextOf(payload);
  const bytes = payload === undefined ? null : toBase64(payload);
  const line = messageLine({ subject }, data).slice(0, -1);
  return `${line},"payload":${text ?? 'null'},"payload_base64":${JSON.stringify(bytes)},"trust":${JSON.stringify(told)}}\n`;
}

/** Opened and judged as an engine does it: by the workspace's secrets, its grants, its policy, and the chain so far. */
export function createOpenedLines(known: EnvelopeWorkspace & { workspace: string }, host: CliHost): SubscribeLines {
  const held = createDisposer();
  const trust = held.add(createWorkspaceTrust(known, host));
  const intake = createIntake({
    ...trust,
    buffer: createMessageBuffer(buffered),
    subjects: createSubjectReader(),
    quarantine: createQuarantine({ onChange: () => {} }),
    clock: host.clock,
    contentProblem: recordProblem,
  });
  held.add(intake);
  let last: HeldMessage | undefined;
  held.add(
    intake.handle('>', (message) => {
      last = message;
      return true;
    }),
  );
  return {
    linesOf(message) {
      last = undefined;
      intake.take(message);
      return last === undefined ? [] : [openedLine(last, intake)];
    },
    dispose: () => held.dispose(),
  };
}
