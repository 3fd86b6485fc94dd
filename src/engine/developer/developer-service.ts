/** Developer commands. Law: what they publish goes through `bus.publish` as any peer's message does. */
import { utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { CallContext, Services } from '../../shared/contract/define-contract.ts';
import type { TokensPayload } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { createDeveloperPeer, type DeveloperPeerDeps } from './developer-peer.ts';
import { publishTampered } from './tampered-message.ts';

type DeveloperCalls = Services<AppContract>['developer'];
type BurstInput = Parameters<DeveloperCalls['burst']>[0];

export interface DeveloperService extends Disposable {
  readonly calls: DeveloperCalls;
  /** Drops the keys; the next command asks for them anew. */
  lock(): void;
}

/** What the service is made of. */
export interface DeveloperServiceDeps extends DeveloperPeerDeps {
  readonly bus: Bus;
}

/** Sealed messages that one turn publishes: some 5 ms. */
const messagesPerTurn = 100;

function textPayload(index: number, textLength: number): Uint8Array {
  const text = `message ${index} `.padEnd(textLength, '·').slice(0, Math.max(textLength, 16));
  return utf8(JSON.stringify({ channel: 'assistant', index, text } satisfies TokensPayload));
}

/** Creates the service. Its calls throw `invalid-subject` for a session that is no token, `locked`. */
export function createDeveloperService(deps: DeveloperServiceDeps): DeveloperService {
  const { bus, workspace, clock, randomness } = deps;
  const peer = createDeveloperPeer(deps);

  /** Publishes until the bus takes no more; how many it took. */
  function publishSome(from: number, to: number, publish: (index: number) => void): number {
    for (let index = from; index < to; index++) {
      try {
        publish(index);
      } catch (thrown) {
        if (isVakError(thrown, 'limit-exceeded')) return index;
        throw thrown;
      }
    }
    return to;
  }

  function burstBare({ session, count, textLength }: BurstInput) {
    const subject = buildSubject({ plane: 'events', workspace, entity: session, verb: 'tokens' });
    const publishedCount = publishSome(0, count, (index) => bus.publish(subject, textPayload(index, textLength)));
    return { publishedCount, session };
  }

  async function burstSealed({ session: name, count, textLength }: BurstInput, signal: AbortSignal) {
    const { session, author } = await peer.session(name);
    const subject = buildSubject({ plane: 'events', workspace, entity: session, verb: 'tokens' });
    const trace = startTrace(randomness.bytes);
    const publish = (index: number): void => {
      author.publish({ subject, payload: textPayload(index, textLength), trace }, (data) => bus.publish(subject, data));
    };
    let publishedCount = 0;
    while (publishedCount < count && !signal.aborted) {
      const to = Math.min(count, publishedCount + messagesPerTurn);
      const reached = publishSome(publishedCount, to, publish);
      publishedCount = reached;
      if (reached < to) break;
      await new Promise<void>((resolve) => clock.defer(resolve));
    }
    return { publishedCount, session };
  }

  return {
    calls: {
      burst: async (input: BurstInput, { signal }: CallContext) =>
        input.form === 'bare' ? burstBare(input) : await burstSealed(input, signal),
      tamper: async ({ tampering }) => ({ session: await publishTampered({ ...deps, peer }, tampering) }),
    },
    lock: () => peer.dispose(),
    dispose: () => peer.dispose(),
  };
}
