/** Hears what passes on the bus, judged and opened, for a program (protocol.md B2, E8, E11, E21). */
import type { Message } from '../../engine/bus/bus.ts';
import { createIntake } from '../../engine/envelope/intake.ts';
import type { AcceptedMessage } from '../../engine/envelope/message-judge.ts';
import { createQuarantine } from '../../engine/envelope/quarantine.ts';
import { createMessageBuffer, type HeldMessage } from '../../engine/feeds/message-buffer.ts';
import { createSubjectReader } from '../../engine/feeds/subject-reader.ts';
import { createSerialLane } from '../../engine/serial-lane.ts';
import { recordProblem } from '../../engine/work/record-content.ts';
import type { WorkPorts } from '../../engine/work/work-peer.ts';
import { toTextStrict } from '../../shared/base/bytes.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import { checkPattern } from '../../shared/protocol/subject.ts';
import type { RunningPeer } from '../work-peer.ts';
import { checkCount, checkFunction } from './calls.ts';
import type { ReceivedMessage, SubscribeOptions, Subscription, Vak } from './library-api.ts';

/** What a chain is judged by: a verdict is about the messages before it. */
const buffered = { capacityCount: 4096, capacityBytes: 32 * 1024 * 1024 };
const standardCapacity = 16_384;

type Handler = Parameters<Vak['subscribe']>[1];

function toReceived({ subject, envelope, payload: shared }: AcceptedMessage): ReceivedMessage {
  const { id, type, agentid, sessionid, time, causationid, traceparent } = envelope;
  const payload = shared.slice();
  return {
    ...{ subject, id, type, from: agentid, session: sessionid, time, causationId: causationid, traceparent, payload },
    text: () => toTextStrict(payload, 'payload'),
    json: () => parseJson(payload, 'payload'),
  };
}

/** Hands messages to a handler, one after the other; what it throws is logged. */
function createHandOver(handler: Handler, { logger }: WorkPorts) {
  const lane = createSerialLane();
  return {
    give: (message: ReceivedMessage): void =>
      void lane.run(async () => {
        try {
          await handler(message);
        } catch (thrown) {
          logger.bug('subscribe.handler-threw', thrown);
        }
      }),
    idle: lane.idle,
  };
}

/** Begins to hear. Resolves when the server has the subscription. Throws `invalid-pattern`, `invalid-input`, `forbidden`, `timeout`, `disconnected`. */
export async function openSubscription(
  { bus, judging, knowledge, fabric }: RunningPeer,
  { pattern, handler, options }: { pattern: string; handler: Handler; options: SubscribeOptions },
  ports: WorkPorts,
): Promise<Subscription> {
  checkPattern(pattern);
  checkFunction(handler, 'handler');
  const { onRefused } = options;
  const capacity = checkCount(options.capacity, 'capacity', { min: 1, max: 1_000_000, standard: standardCapacity });
  const held = createDisposer();
  const handOver = createHandOver(handler, ports);
  const intake = held.add(
    createIntake({
      ...{
        ...judging,
        knowledge,
        contentProblem: recordProblem,
        clock: ports.clock,
        buffer: createMessageBuffer(buffered),
        subjects: createSubjectReader(),
      },
      quarantine: createQuarantine({ onChange: () => {} }),
    }),
  );

  /** Whether it has done with the message: what is refused now may be sound when more is known. */
  function admit(message: HeldMessage): boolean {
    const admission = intake.admit(message);
    if (admission.kind === 'accepted') handOver.give(toReceived(admission));
    if (admission.kind === 'refused') tellRefused({ subject: message.subject, ...admission.refusal });
    return admission.kind === 'accepted';
  }

  function tellRefused(refused: Parameters<NonNullable<typeof onRefused>>[0]): void {
    try {
      onRefused?.(refused);
    } catch (thrown) {
      ports.logger.bug('subscribe.on-refused-threw', thrown);
    }
  }

  async function take(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      if (held.isDisposed) return;
      intake.take(message);
      await handOver.idle();
    }
  }

  let droppedCount = 0;
  async function close(): Promise<void> {
    if (!held.isDisposed) droppedCount = subscription.stats().droppedCount;
    held.dispose();
  }

  held.add(intake.handle('>', admit));
  const subscription = held.add(bus.subscribe(pattern, { kind: 'drop-oldest', capacity, onBatch: take }));
  try {
    await fabric.ping();
  } catch (error) {
    held.dispose();
    throw error;
  }
  return {
    pattern,
    get droppedCount() {
      return held.isDisposed ? droppedCount : subscription.stats().droppedCount;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
