/**
 * A stream and its consumers as one peer may use them (protocol.md A4, A9, A10).
 * Law: no message is given out whose subject the peer may not read, however it was found; nobody claims what is another's.
 */
import type { AccessAnswer } from '../../shared/protocol/acl.ts';
import { consumerFilter, streamNamed } from '../../shared/protocol/storage-access.ts';
import type { Consumer, ConsumerSpec, Delivery, DurablePlane, StoredMessage, Stream } from '../bus/durable.ts';
import type { Permit } from './permit.ts';

export interface PermittedStreamDeps {
  readonly durable: DurablePlane;
  readonly permit: Permit;
  /** Whether the peer was told that its own message is a duplicate of this one: W1 and W3 have it look. */
  readonly isEcho: (message: StoredMessage) => boolean;
}

/** What lies in a stream, as far as the peer may read it. */
function createReadRights(permit: Permit, name: string) {
  const place = `stream.${name}`;
  const subjects = streamNamed(permit.workspace, name)?.subjects ?? [];
  // Advisories are no subjects of the table: there is no right to some of them.
  const isOneThing = subjects.length === 0 || subjects.some((subject) => subject.startsWith('$'));

  /** Of what one subject or pattern matches. */
  function of(pattern: string): AccessAnswer {
    const all = permit.askStorage('read', place);
    return all.allowed || isOneThing ? all : permit.ask('read', pattern);
  }

  return {
    of,
    /** Of what a pattern matches, without one of all that the stream takes. Throws `forbidden`, `invalid-pattern`. */
    check(pattern: string | undefined): void {
      const wanted = pattern === undefined && !isOneThing ? subjects : [pattern ?? place];
      for (const one of wanted) {
        const { allowed, rule } = of(one);
        if (!allowed) throw permit.refuse({ action: 'read', subject: pattern ?? place }, rule);
      }
    },
  };
}

type ReadRights = ReturnType<typeof createReadRights>;

interface ConsumerDeps {
  readonly permit: Permit;
  readonly rights: ReadRights;
  readonly inner: () => Consumer;
  readonly place: string;
}

/** Gives back what was claimed, and throws, if any of it is not for this peer: the consumer has another filter than its name says. */
async function checkDeliveries(
  deliveries: readonly Delivery[],
  { permit, rights, place }: ConsumerDeps,
): Promise<void> {
  for (const { message } of deliveries) {
    const { allowed, rule } = rights.of(message.subject);
    if (allowed) continue;
    // What could not be given back comes again after the ack wait.
    await Promise.allSettled(deliveries.map((delivery) => delivery.nak()));
    throw permit.refuse({ action: 'pull', subject: place }, rule);
  }
}

function permittedConsumer(deps: ConsumerDeps): Consumer {
  const { permit, inner, place } = deps;
  return {
    async pull(options) {
      permit.checkStorage('pull', place);
      const deliveries = await inner().pull(options);
      await checkDeliveries(deliveries, deps);
      return deliveries;
    },
    async state() {
      permit.checkStorage('inspect', place);
      return await inner().state();
    },
  };
}

/** Wraps the stream of that name; of one that is not of the workspace every call is refused. */
export function createPermittedStream({ durable, permit, isEcho }: PermittedStreamDeps, name: string): Stream {
  const rights = createReadRights(permit, name);
  const place = `stream.${name}`;
  const placeOf = (consumer: string): string => `consumer.${name}.${consumer}`;
  let found: Stream | undefined;
  /** Asked for only behind a check, so that it has the name of a stream. */
  const inner = (): Stream => {
    found ??= durable.stream(name);
    return found;
  };

  /** Throws `forbidden` for a consumer that would take what is another's, or more than the peer may read. */
  function checkConsumer({ name: consumer, filter }: ConsumerSpec): void {
    permit.checkStorage('make', placeOf(consumer));
    const wanted = consumerFilter(permit.workspace, name, consumer);
    if (wanted === filter) return;
    const tried = { action: 'make', subject: `${placeOf(consumer)} ${filter}` };
    if (wanted !== 'any')
      throw permit.refuse(tried, 'A10 a consumer of tasks or messages to a peer is named for its filter');
    if (permit.askStorage('make', place).allowed) return;
    const { allowed, rule } = rights.of(filter);
    if (!allowed) throw permit.refuse(tried, rule);
  }

  return {
    async state() {
      permit.checkStorage('inspect', place);
      return await inner().state();
    },
    async count(subject) {
      permit.checkStorage('inspect', place);
      return await inner().count(subject);
    },
    async get(seq) {
      permit.checkStorage('inspect', place);
      const message = await inner().get(seq);
      if (message === undefined || isEcho(message)) return message;
      const { allowed, rule } = rights.of(message.subject);
      if (!allowed) throw permit.refuse({ action: 'read', subject: `${place}.${seq}` }, rule);
      return message;
    },
    async last(subject) {
      rights.check(subject);
      return await inner().last(subject);
    },
    async read(options) {
      rights.check(options.subject);
      return await inner().read(options);
    },
    async delete(seq) {
      permit.checkStorage('delete', place);
      return await inner().delete(seq);
    },
    async purge(subject, upToSeq) {
      permit.checkStorage('purge', place);
      return await inner().purge(subject, upToSeq);
    },
    async ensureConsumer(spec) {
      checkConsumer(spec);
      const consumer = await inner().ensureConsumer(spec);
      return permittedConsumer({ permit, rights, inner: () => consumer, place: placeOf(spec.name) });
    },
    consumer: (consumer) =>
      permittedConsumer({ permit, rights, inner: () => inner().consumer(consumer), place: placeOf(consumer) }),
    async consumers() {
      permit.checkStorage('inspect', place);
      const all = await inner().consumers();
      return all.filter(({ spec }) => permit.askStorage('inspect', placeOf(spec.name)).allowed);
    },
    async deleteConsumer(consumer) {
      permit.checkStorage('remove', placeOf(consumer));
      return await inner().deleteConsumer(consumer);
    },
  };
}
