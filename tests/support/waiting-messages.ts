/** What tests of messages that wait for a grant or a secret do with a trusted workspace. */
import { marksOf } from '../../src/engine/envelope/message-trust.ts';
import type { HeldMessage } from '../../src/engine/feeds/message-buffer.ts';
import type { TrustMarks } from '../../src/shared/protocol/trust-marks.ts';
import type { TrustedPeer, TrustedWorkspace } from './trusted-workspace.ts';

/** A message as it goes over the bus. */
export type Sent = { readonly subject: string; readonly data: Uint8Array };

/** Takes a message in; each comes with bytes of its own, a repeat too. */
export function takeSent(acme: TrustedWorkspace, { subject, data }: Sent): HeldMessage {
  acme.intake.take({ subject, data: Uint8Array.from(data) });
  return acme.buffer.get(acme.buffer.newestSeq) as HeldMessage;
}

/** Marks of what nothing speaks against. */
export const soundMarks = { seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false } as const;

export const marksOfAll = (held: readonly HeldMessage[]): readonly TrustMarks[] =>
  held.map(({ trust }) => marksOf(trust));

/** Messages of a peer, in order. */
export const writeMany = (peer: TrustedPeer, count: number): Sent[] =>
  Array.from({ length: count }, () => peer.write({ state: 'progress' }));

/** Accepts what it is told of, at once, and notes which and how often. */
export function acceptAll({ intake }: TrustedWorkspace): readonly number[] {
  const handled: number[] = [];
  intake.handle('vak.events.acme.>', (held) => {
    if (intake.admit(held).kind !== 'accepted') return false;
    handled.push(held.seq);
    return true;
  });
  return handled;
}
