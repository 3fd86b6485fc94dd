/**
 * Serves a worker's control subjects `vak.control.<ws>.<peer>.run` and `.cancel` (S5).
 * Law: every request is answered; only what the gate lets through reaches the session, and a refusal is logged without its payload.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus, Message } from '../bus/bus.ts';
import type { Logger } from '../ports/logger.ts';
import type { Command, CommandGate } from './command-gate.ts';
import { decodeCancelRequest, decodeRunRequest } from './worker-requests.ts';
import type { WorkerSession } from './worker-session.ts';

/** What serving takes. */
export interface WorkerControlDeps {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly logger: Logger;
  readonly gate: CommandGate;
  readonly worker: Pick<WorkerSession, 'start' | 'cancel'>;
  readonly workspace: string;
  readonly peer: string;
  readonly session: string;
}

/** Serves until disposed. */
export function serveWorkerControl(deps: WorkerControlDeps): Disposable {
  const { bus, worker, workspace, peer, session } = deps;
  const held = createDisposer();

  function serve(verb: string, handle: (command: Command) => Promise<void> | void): void {
    const subject = buildSubject({ plane: 'control', workspace, entity: peer, verb });
    held.add(bus.subscribe(subject, { kind: 'inline', onMessage: (message) => void answer(deps, message, handle) }));
  }

  serve('run', ({ payload, trace }) => {
    const request = decodeRunRequest(payload);
    checkSession(request, session);
    worker.start({ ...request, trace });
  });
  serve('cancel', ({ payload }) => {
    const request = decodeCancelRequest(payload);
    checkSession(request, session);
    return worker.cancel(request.taskId);
  });
  return held;
}

/** A request names the session that it is for: one that was answered by a worker before may not be put to the next of its name. */
function checkSession(request: { readonly session: string }, session: string): void {
  if (request.session === session) return;
  throw new VakError('forbidden', 'The request was refused: it is for another session of this worker.', {
    details: { field: 'session' },
  });
}

/** Answers one request with `{ok: true}` or the shape of its error. */
async function answer(
  { gate, logger }: WorkerControlDeps,
  { respond, data, subject }: Message,
  handle: (command: Command) => Promise<void> | void,
): Promise<void> {
  if (respond === undefined) return logger.warn('worker.request-without-answer', { subject });
  let result: object = { ok: true };
  try {
    await handle(gate.open({ subject, data }));
  } catch (thrown) {
    const error = isVakError(thrown)
      ? thrown
      : new VakError('internal', `internal error, see the worker's log: ${logger.bug('worker.request', thrown)}`);
    logger.warn('worker.request-refused', { subject, code: error.code, message: error.message });
    result = error.toShape();
  }
  respond(utf8(JSON.stringify(result)));
}
