/**
 * The live plane as one peer may use it (protocol.md A4).
 * Law: every call is judged before the engine hears of it; messages pass as they are, and only requests to itself can be answered.
 */
import type { Bus, Delivery, Message } from '../bus/bus.ts';
import type { Permit } from './permit.ts';

type MayAnswer = (subject: string) => boolean;

/** Passes a delivery on; a request that is not this peer's to answer comes without its answer. */
function withOwnAnswers(delivery: Delivery, mayAnswer: MayAnswer): Delivery {
  const isForeign = ({ respond, subject }: Message): boolean => respond !== undefined && !mayAnswer(subject);
  const passed = (message: Message): Message =>
    isForeign(message) ? { subject: message.subject, data: message.data } : message;
  if (delivery.kind === 'inline') {
    return { kind: 'inline', onMessage: (message) => delivery.onMessage(passed(message)) };
  }
  return {
    ...delivery,
    onBatch: (messages, dropped) =>
      delivery.onBatch(messages.some(isForeign) ? messages.map(passed) : messages, dropped),
  };
}

/**
 * Wraps a bus for one peer: `publish`, `subscribe` and `request` throw (or reject with) `forbidden` for what its permit does not
 * allow. What it was given to answer it may answer. Metrics are the engine's; closing it closes the bus.
 */
export function createPermittedBus(bus: Bus, permit: Permit): Bus {
  const mayAnswer: MayAnswer = (subject) => permit.ask('answer', subject).allowed;
  return {
    publish(subject, data) {
      permit.check('publish', subject);
      bus.publish(subject, data);
    },
    subscribe(pattern, delivery) {
      permit.check('subscribe', pattern);
      return bus.subscribe(pattern, mayAnswer(pattern) ? delivery : withOwnAnswers(delivery, mayAnswer));
    },
    async request(subject, data, options) {
      permit.check('publish', subject, { action: 'request', subject });
      return await bus.request(subject, data, options);
    },
    whenWritable: () => bus.whenWritable(),
    metrics: () => bus.metrics(),
    close: () => bus.close(),
  };
}
