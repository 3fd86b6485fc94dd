/**
 * Answers requests on the control subjects of one service: `vak.control.<ws>.<service>.<verb>` (protocol.md §1, S5).
 * Law: every request is answered, with `{ok: true, …}` or the shape of its error; a refusal is logged without its payload.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus, Message } from '../bus/bus.ts';
import type { Logger } from '../ports/logger.ts';
import type { RequestMessage } from './request-gate.ts';

/** Gives what stands in the answer besides `ok`. Throws what the answer tells instead. */
export type ControlHandler = (request: RequestMessage) => Promise<object | undefined> | object | undefined;

export interface ControlServiceDeps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly logger: Logger;
  readonly workspace: string;
  /** As the subject has it: a peer's name, or `rooms`. */
  readonly service: string;
  /** What the log calls it: `worker`. */
  readonly name: string;
  /** Requests under way at most; one more is answered with `limit-exceeded`. */
  readonly maxUnderWay?: number;
}

export interface ControlService extends Disposable {
  /** Resolves when every request that came was answered. */
  idle(): Promise<void>;
}

/** Serves until disposed. */
export function serveControl(
  deps: ControlServiceDeps,
  handlers: Readonly<Record<string, ControlHandler>>,
): ControlService {
  const { bus, logger, workspace, service, name, maxUnderWay = Number.POSITIVE_INFINITY } = deps;
  const held = createDisposer();
  const underWay = new Set<Promise<void>>();

  async function resultOf({ subject, data }: Message, handle: ControlHandler): Promise<object> {
    try {
      if (underWay.size >= maxUnderWay) {
        const message = `${name}: ${underWay.size} requests are under way, at most ${maxUnderWay} may be; ask again later`;
        throw new VakError('limit-exceeded', message, { retryable: true });
      }
      return { ok: true, ...(await handle({ subject, data })) };
    } catch (thrown) {
      const error = isVakError(thrown)
        ? thrown
        : new VakError('internal', `internal error, see the ${name}'s log: ${logger.bug(`${name}.request`, thrown)}`);
      logger.warn(`${name}.request-refused`, { subject, code: error.code, message: error.message });
      return error.toShape();
    }
  }

  async function answer(message: Message, handle: ControlHandler): Promise<void> {
    const { respond, subject } = message;
    if (respond === undefined) return logger.warn(`${name}.request-without-answer`, { subject });
    const result = await resultOf(message, handle);
    try {
      respond(utf8(JSON.stringify(result)));
    } catch (thrown) {
      // The connection went meanwhile: whoever asked asks again.
      if (!isVakError(thrown)) throw thrown;
      logger.warn(`${name}.not-answered`, { subject, code: thrown.code });
    }
  }

  for (const [verb, handle] of Object.entries(handlers)) {
    const subject = buildSubject({ plane: 'control', workspace, entity: service, verb });
    held.add(
      bus.subscribe(subject, {
        kind: 'inline',
        onMessage(message) {
          const answering = answer(message, handle)
            .catch((thrown: unknown) => void logger.bug(`${name}.answer`, thrown))
            .finally(() => underWay.delete(answering));
          underWay.add(answering);
        },
      }),
    );
  }
  return {
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    dispose: () => held.dispose(),
  };
}
