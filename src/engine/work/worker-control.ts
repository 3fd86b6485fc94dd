/**
 * Serves a worker's control subjects `vak.control.<ws>.<peer>.run` and `.cancel` (S5).
 * Law: only what the gate lets through reaches the session.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { type ControlServiceDeps, serveControl } from '../control/control-service.ts';
import type { CommandGate } from './command-gate.ts';
import { decodeCancelRequest, decodeRunRequest } from './worker-requests.ts';
import type { WorkerSession } from './worker-session.ts';

/** What serving takes. */
export interface WorkerControlDeps extends Pick<ControlServiceDeps, 'bus' | 'logger' | 'workspace'> {
  readonly gate: CommandGate;
  readonly worker: Pick<WorkerSession, 'start' | 'cancel'>;
  readonly peer: string;
  readonly session: string;
}

/** Serves until disposed. */
export function serveWorkerControl(deps: WorkerControlDeps): Disposable {
  const { bus, logger, gate, worker, workspace, peer, session } = deps;
  return serveControl(
    { bus, logger, workspace, service: peer, name: 'worker' },
    {
      run(message) {
        const { payload, trace } = gate.open(message);
        const request = decodeRunRequest(payload);
        checkSession(request, session);
        worker.start({ ...request, trace });
        return undefined;
      },
      async cancel(message) {
        const request = decodeCancelRequest(gate.open(message).payload);
        checkSession(request, session);
        await worker.cancel(request.taskId);
        return undefined;
      },
    },
  );
}

/** A request names the session that it is for: one that was answered by a worker before may not be put to the next of its name. */
function checkSession(request: { readonly session: string }, session: string): void {
  if (request.session === session) return;
  throw new VakError('forbidden', 'The request was refused: it is for another session of this worker.', {
    details: { field: 'session' },
  });
}
