/**
 * Main's end of a peer's durable plane: does on a durable plane what the peer asks for (protocol.md B3–B5).
 * Law: nothing that the peer sends can throw here or grow without bound; a call ends once, and is open until the peer took its answer.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { type ErrorShape, isVakError, VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { DurablePlane } from '../durable.ts';
import type { ChannelPort } from './channel-port.ts';
import { type DurableCall, readDurableCall } from './durable-calls.ts';
import { type PlaneHostFrame, type PlanePeerFrame, readPlanePeerFrame } from './durable-frames.ts';
import { createOpenCalls, type OpenCall } from './open-calls.ts';
import { createOpenDeliveries } from './open-deliveries.ts';
import { isFlow, runFlow } from './plane-flows.ts';
import { runMethod } from './plane-methods.ts';

/** What serving a durable plane takes. */
export interface ChannelPlaneHostDeps {
  readonly port: ChannelPort;
  /** What the peer may do is for whoever gives this to decide. */
  readonly durable: DurablePlane;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Serves a durable plane over a channel until disposed or until the peer has gone. */
export function serveChannelPlane({ port, durable: plane, clock, logger }: ChannelPlaneHostDeps): Disposable {
  const held = createDisposer();
  const deliveries = createOpenDeliveries();
  const calls = createOpenCalls();

  function post(frame: PlaneHostFrame): void {
    if (!held.isDisposed) port.post(frame);
  }

  function run(call: DurableCall, open: OpenCall): Promise<unknown> {
    const { id, signal } = open;
    if (!isFlow(call)) return runMethod(call, { plane, deliveries, signal });
    const { input, answer } = runFlow(call, { plane, clock, id, signal, post });
    open.input = input;
    return answer;
  }

  function toShape(thrown: unknown): ErrorShape {
    if (isVakError(thrown)) return thrown.toShape();
    return new VakError('internal', `call failed, see the log: ${logger.bug('channel.call', thrown)}`).toShape();
  }

  function answer(open: OpenCall, frame: PlaneHostFrame): void {
    open.isAnswered = true;
    post(frame);
  }

  /** Up to its first wait it runs within the frame: so what the peer does in order is done in order. */
  async function serve(open: OpenCall, read: () => DurableCall): Promise<void> {
    const { id } = open;
    try {
      if (open.turn !== undefined) await open.turn;
      if (open.signal.aborted) throw new VakError('aborted', 'cancelled');
      answer(open, { kind: 'durable-reply', id, value: await run(read(), open) });
    } catch (thrown) {
      answer(open, { kind: 'durable-error', id, error: toShape(thrown) });
    }
  }

  function onCall(id: number, value: unknown): void {
    let reading: { readonly call: DurableCall } | { readonly error: unknown };
    try {
      reading = { call: readDurableCall(value) };
    } catch (error) {
      reading = { error };
    }
    const open = calls.open(id, 'call' in reading ? reading.call : undefined);
    void serve(open, () => {
      if ('error' in reading) throw reading.error;
      return reading.call;
    });
  }

  function onFrame(frame: PlanePeerFrame<unknown>): void {
    switch (frame.kind) {
      case 'durable-call':
        onCall(frame.id, frame.call);
        return;
      case 'durable-abort':
        calls.abort(frame.id);
        return;
      case 'durable-taken':
        calls.taken(frame.id);
        return;
      case 'durable-next':
        calls.inputOf(frame.id)?.next();
        return;
      case 'durable-part':
        calls.inputOf(frame.id)?.part(frame.data);
        return;
      case 'durable-end':
        calls.inputOf(frame.id)?.end();
        return;
    }
  }

  held.add(
    port.onMessage((value) => {
      const reading = readPlanePeerFrame(value);
      if (reading === 'malformed') logger.warn('channel.malformed-frame', { side: 'host' });
      if (typeof reading === 'string') return;
      const { kind } = reading.frame;
      try {
        onFrame(reading.frame);
      } catch (thrown) {
        if (isVakError(thrown)) logger.warn('channel.refused', { kind, code: thrown.code, message: thrown.message });
        else logger.bug('channel.frame', thrown);
      }
    }),
  );
  held.add(port.onClose(() => held.dispose()));
  held.defer(() => {
    calls.abortAll();
    deliveries.clear();
  });
  return held;
}
