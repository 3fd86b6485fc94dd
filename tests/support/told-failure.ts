/** A failure with all that can be told of it, secrets among it: a receipt, a cause, a session that was heard. */
import { toBase64, utf8 } from '../../src/shared/base/bytes.ts';
import type { LetterPlace } from './letter-place.ts';

export const secrets = ['hunter2hunter2', 'AKIAABCDEFGHIJKLMNOP', 'tOpSeCrEtPaSsWoRd', '4111111111111111'] as const;

/** A letter whose task, reason and output hold secrets, with a receipt, a cause, a session that can be heard, and a checkpoint. */
export async function failWithAll(place: LetterPlace) {
  const first = await place.bury({ task: { command: ['mysql', '--password', secrets[0]] } });
  const failing = {
    reason: `login with ${secrets[1]} failed`,
    stack: `Error: password=${secrets[2]}\n    at f (/a/b.js:1:2)`,
  };
  const task = await place.bury({ causationId: first.letterId, failure: failing });
  const wanda = place.peer('wanda', 'worker');
  const attempt = { outcome: 'attempt-failed', reason: `card ${secrets[3]}`, exitCode: 7, errorClass: 'exit.7' };
  await place.receipt(wanda, task, attempt);
  const { envelope } = wanda.write({}, '', 'vak.audit.acme.wanda.void');
  const head = {
    source: envelope.source,
    seq: Number(envelope.seqnum) - 1,
    head: envelope.prevhash,
    at: envelope.time,
  };
  return { first, task, wanda, head };
}

/** What a session says on the bus, in the trace of a task. */
export function hear(place: LetterPlace, traceId: string): void {
  const events = place.workspace.peer('wanda', { roles: ['worker'], key: 50, session: 'wanda-live-e' });
  const trace = { traceId, spanId: 'a'.repeat(16), flags: 1, tracestate: undefined };
  const say = (verb: string, said: object): void => {
    const subject = `vak.events.acme.wanda-live-e.${verb}`;
    events.author.publish({ subject, payload: utf8(JSON.stringify(said)), trace }, (written) => {
      const message = { subject, data: Uint8Array.from(written), headers: undefined, reply: undefined };
      place.workspace.intake.take(message as never);
    });
  };
  say('status', { state: 'failed' });
  const [half, rest] = [`export API_TOKEN=${secrets[2].slice(0, 8)}`, `${secrets[2].slice(8)}\nfailed\n`];
  say('terminal', { stream: 'stderr', offset: 0, bytes: toBase64(utf8(half)) });
  say('terminal', { stream: 'stderr', offset: half.length, bytes: toBase64(utf8(rest)) });
  say('telemetry', { pid: 1, processes: 2, rssBytes: 3_000, cpuPercent: 4.5 });
}
