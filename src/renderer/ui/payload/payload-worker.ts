/** The desk of a large payload in a thread of its own: bytes come in parts, what is asked for is answered (payload-port.ts). */
import { createPayloadDesk, type PayloadDesk } from './payload-desk.ts';
import type { WorkerAnswer, WorkerRequest } from './payload-port.ts';

/** Answers what comes, one after the other; the bytes are this thread's own. */
function serve(scope: typeof self): void {
  let whole = new Uint8Array(0);
  let desk: PayloadDesk = createPayloadDesk(whole);

  function answer(request: WorkerRequest): unknown {
    switch (request.do) {
      case 'begin':
        whole = new Uint8Array(request.sizeBytes);
        desk = createPayloadDesk(whole);
        return undefined;
      case 'part':
        whole.set(request.bytes, request.offset);
        return undefined;
      case 'read':
        return desk.read();
      case 'rows':
        return desk.rows(request.start, request.end);
      case 'move':
        return desk.move(request.move);
    }
  }

  scope.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly request: WorkerRequest }>): void => {
    const reply = (message: WorkerAnswer): void => scope.postMessage(message);
    try {
      reply({ id: data.id, value: answer(data.request) });
    } catch (error) {
      reply({ id: data.id, error: error instanceof Error ? error.message : String(error) });
    }
  };
}

serve(self);
