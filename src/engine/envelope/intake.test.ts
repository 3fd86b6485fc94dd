import { describe, expect, it } from 'vitest';
import { createTrustedWorkspace, type TrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { RefusalReason } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import type { HeldMessage } from '../feeds/message-buffer.ts';
import { marksOf } from './message-trust.ts';

type Sent = { readonly subject: string; readonly data: Uint8Array };

function take(acme: TrustedWorkspace, { subject, data }: Sent): HeldMessage {
  acme.intake.take({ subject, data });
  return acme.buffer.get(acme.buffer.newestSeq) as HeldMessage;
}

const changed = ({ subject, data }: Sent, change: (envelope: Envelope) => Partial<Envelope>): Sent => {
  const envelope = decodeEnvelope(data);
  return { subject, data: encodeEnvelope({ ...envelope, ...change(envelope) }) };
};

const flipped = (bytes: Uint8Array): Uint8Array => bytes.with(0, (bytes[0] as number) ^ 1);

/** What each breach is refused for. */
const breaches: readonly {
  readonly name: string;
  readonly reason: RefusalReason;
  readonly make: (acme: TrustedWorkspace) => Sent;
}[] = [
  {
    name: 'E8 a plain message',
    reason: 'plain',
    make: (acme) => acme.peer('w1', { isSealing: false }).write({ state: 'done' }),
  },
  {
    name: 'E8 a plain message that claims a type which is never sealed',
    reason: 'plain',
    make(acme) {
      const subject = 'vak.agent.acme.p.inbox';
      const plain = acme.peer('w1', { isSealing: false }).write({ state: 'done' });
      return { ...changed(plain, () => ({ subject, type: 'vak.control.run' })), subject };
    },
  },
  {
    name: 'E8 an unsigned message',
    reason: 'unsigned',
    make: (acme) => acme.peer('w1', { isSigning: false }).write({ state: 'done' }),
  },
  {
    name: 'E2 bytes that are no envelope',
    reason: 'malformed',
    make: () => ({ subject: 'vak.events.acme.w1-1-e.status', data: utf8('{"state":"done"}') }),
  },
  {
    name: 'E13 an envelope on another subject than its own',
    reason: 'misplaced',
    make(acme) {
      const { data } = acme.peer('w1').write({ state: 'done' });
      return { subject: 'vak.events.acme.w1-1-e.tokens', data };
    },
  },
  {
    name: 'A4 an envelope in the session of another',
    reason: 'misplaced',
    make: (acme) =>
      changed(acme.peer('w1').write({ state: 'done' }), () => ({ subject: 'vak.events.acme.w2-1-e.status' })),
  },
  {
    name: 'A4 an envelope whose source is not the peer that it names',
    reason: 'misplaced',
    make: (acme) => changed(acme.peer('w1').write({ state: 'done' }), () => ({ agentid: 'w2' })),
  },
  {
    name: 'A4 an envelope of another workspace',
    reason: 'misplaced',
    make: (acme) =>
      changed(acme.peer('w1').write({ state: 'done' }), () => ({
        workspaceid: 'other',
        source: 'vak://other/w1/w1-1-e',
      })),
  },
  {
    name: 'E13 an envelope whose type is not that of its subject',
    reason: 'misplaced',
    make: (acme) => changed(acme.peer('w1').write({ state: 'done' }), () => ({ type: 'vak.events.terminal' })),
  },
  {
    name: 'E11 a payload that was changed',
    reason: 'chain',
    make: (acme) =>
      changed(acme.peer('w1').write({ state: 'done' }), ({ data }) => ({
        data: data.kind === 'bytes' ? { kind: 'bytes', bytes: flipped(data.bytes) } : data,
      })),
  },
  {
    name: 'E13 metadata that was changed',
    reason: 'signature',
    make: (acme) => changed(acme.peer('w1').write({ state: 'done' }), () => ({ time: '2026-01-01T00:00:00Z' })),
  },
  {
    name: 'I4 a message of a peer that was granted nothing',
    reason: 'sender',
    make: (acme) => acme.peer('w1', { isGranted: false }).write({ state: 'done' }),
  },
  {
    name: 'I4 a message under the name of another',
    reason: 'sender',
    make(acme) {
      acme.peer('w1', { key: 7 });
      acme.peer('w2', { key: 8 });
      return acme.peer('w1', { key: 8, session: 'w1-2-e' }).write({ state: 'done' });
    },
  },
  {
    name: 'I4 a message of a role that may not say that',
    reason: 'sender',
    make: (acme) => acme.peer('w1', { roles: ['observer'] }).write({ state: 'done' }),
  },
];

describe('what is refused', () => {
  for (const { name, reason, make } of breaches) {
    it(`${name} is refused as ${reason}, counted once, and kept`, () => {
      const acme = createTrustedWorkspace();
      const held = take(acme, make(acme));
      const admission = acme.intake.admit(held);
      expect(admission).toMatchObject({ kind: 'refused', refusal: { reason } });
      acme.intake.admit(held);
      acme.intake.checkSignature(held);
      expect(acme.quarantine.state()).toMatchObject({
        refusedCount: 1,
        countByReason: { [reason]: 1 },
        recent: [{ seq: held.seq, subject: held.subject, reason, sizeBytes: held.data.length }],
      });
      expect(acme.quarantine.get(held.seq)).toBe(held);
      expect(marksOf(held.trust).isRefused).toBe(true);
    });
  }

  it('E11 a fork and a forged link are refused, each with its cause', () => {
    const acme = createTrustedWorkspace();
    const [one, two] = [acme.peer('w1', { key: 5 }), acme.peer('w1', { key: 5 })];
    take(acme, one.write({ state: 'started' }));
    const fork = take(acme, two.write({ state: 'started' }));
    expect(acme.intake.admit(fork)).toMatchObject({
      refusal: { reason: 'chain', why: expect.stringContaining('has its place') },
    });
    const forged = take(acme, two.write({ state: 'done' }));
    expect(acme.intake.admit(forged)).toMatchObject({
      refusal: { reason: 'chain', why: expect.stringContaining('does not follow') },
    });
    expect(acme.quarantine.state().countByReason.chain).toBe(2);
  });

  it('E9 what was sealed with a secret that is not here is refused as unopenable, with the secret that is missing', () => {
    const acme = createTrustedWorkspace();
    const sent = acme.peer('w1').write({ state: 'done' });
    acme.secrets = [];
    const held = take(acme, sent);
    const admission = acme.intake.admit(held);
    expect(admission).toMatchObject({ kind: 'refused', refusal: { reason: 'unopenable' } });
    expect(admission.kind === 'refused' && admission.refusal.why).toContain('s1');
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 1, countByReason: { unopenable: 1 } });
    expect(marksOf(held.trust)).toMatchObject({ seal: 'fails', signature: 'valid' });
  });

  it('E8 the policy may accept plain and unsigned messages; then they are handled', () => {
    const acme = createTrustedWorkspace();
    acme.policy = { acceptPlain: true, acceptUnsigned: true };
    const held = take(acme, acme.peer('w1', { isSealing: false, isSigning: false }).write({ state: 'done' }));
    const admission = acme.intake.admit(held);
    expect(admission.kind).toBe('accepted');
    expect(admission.kind === 'accepted' && toText(admission.payload)).toBe('{"state":"done"}');
    expect(marksOf(held.trust)).toEqual({ seal: 'plain', signature: 'unsigned', chain: 'ok', isRefused: false });
  });

  it('S4 a subject of no row is refused, never an error', () => {
    const acme = createTrustedWorkspace();
    const { data } = acme.peer('w1').write({ state: 'done' });
    const held = take(acme, { subject: 'some.foreign.subject', data });
    expect(acme.intake.admit(held)).toMatchObject({ kind: 'refused', refusal: { reason: 'misplaced' } });
    const foreign = take(
      acme,
      changed({ subject: '', data }, () => ({ subject: 'some.foreign.subject' })),
    );
    acme.intake.take({ subject: 'some.foreign.subject', data: foreign.data });
    expect(acme.quarantine.state().countByReason.misplaced).toBe(3);
  });
});

describe('what is accepted', () => {
  it('E6 E13 a sound message is handed over opened; its marks say so', () => {
    const acme = createTrustedWorkspace();
    const held = take(acme, acme.peer('w1').write({ state: 'done', big: 1 }));
    expect(marksOf(held.trust)).toEqual({ seal: 'sealed', signature: 'unchecked', chain: 'ok', isRefused: false });
    // The first of a chain is checked, so that it begins with what is sound; later ones when they are handled.
    expect(acme.checkedCount).toBe(1);
    const admission = acme.intake.admit(held);
    expect(admission).toMatchObject({ kind: 'accepted', subject: held.subject, envelope: { agentid: 'w1' } });
    expect(admission.kind === 'accepted' && toText(admission.payload)).toBe('{"state":"done","big":1}');
    expect(marksOf(held.trust)).toEqual({ seal: 'opens', signature: 'valid', chain: 'ok', isRefused: false });
    acme.intake.admit(held);
    expect(acme.checkedCount).toBe(2);
    expect(acme.quarantine.state().refusedCount).toBe(0);
  });

  it('E20 what was accepted stays so, although its secret is out of use later', () => {
    const acme = createTrustedWorkspace();
    const held = take(acme, acme.peer('w1').write({ state: 'done' }));
    expect(acme.intake.admit(held).kind).toBe('accepted');
    acme.secrets = acme.secrets?.map((one) => ({ ...one, state: 'revoked' as const }));
    expect(acme.intake.admit(held)).toEqual({ kind: 'locked' });
    expect(acme.quarantine.state().refusedCount).toBe(0);
    expect(marksOf(held.trust).isRefused).toBe(false);
  });

  it('A4 a session that was named for a peer before it spoke is that peer’s', () => {
    const acme = createTrustedWorkspace();
    acme.intake.claim('w1-1-e', 'w1');
    const squatter = take(acme, acme.peer('w2', { session: 'w1-1-e' }).write({ state: 'ended' }));
    expect(acme.intake.admit(squatter)).toMatchObject({ kind: 'refused', refusal: { reason: 'misplaced' } });
    expect(acme.intake.isSound(squatter)).toBe(false);
    expect(acme.intake.admit(take(acme, acme.peer('w1').write({ state: 'started' }))).kind).toBe('accepted');
  });

  it('I3 while locked nothing is refused for it; once the keys are there the same message is accepted', () => {
    const acme = createTrustedWorkspace();
    const { secrets } = acme;
    const sent = acme.peer('w1').write({ state: 'done' });
    acme.secrets = undefined;
    const held = take(acme, sent);
    expect(acme.intake.admit(held)).toEqual({ kind: 'locked' });
    expect(acme.intake.open(held)).toMatchObject({ kind: 'failed', failure: { kind: 'locked' } });
    expect(marksOf(held.trust).seal).toBe('sealed');
    acme.secrets = secrets;
    expect(acme.intake.admit(held).kind).toBe('accepted');
    expect(acme.quarantine.state().refusedCount).toBe(0);
  });

  it('A4 a session belongs to the peer that soundly spoke in it first, whoever else is granted the same', () => {
    const acme = createTrustedWorkspace();
    const session = 'w1-1-e';
    const squatter = acme.peer('w2', { session });
    const forged = take(acme, acme.peer('w3', { session, isGranted: false }).write({ state: 'ended' }));
    expect(acme.intake.admit(forged)).toMatchObject({ kind: 'refused', refusal: { reason: 'sender' } });
    expect(acme.intake.admit(take(acme, acme.peer('w1', { session }).write({ state: 'started' }))).kind).toBe(
      'accepted',
    );
    const held = take(acme, squatter.write({ state: 'ended' }));
    expect(acme.intake.admit(held)).toMatchObject({ kind: 'refused', refusal: { reason: 'misplaced' } });
    expect(acme.intake.admit(held).kind).toBe('refused');
    expect(acme.quarantine.state().refusedCount).toBe(2);
  });

  it('B1 handlers hear what their pattern matches, in order, until they are disposed', () => {
    const acme = createTrustedWorkspace();
    const heard: string[] = [];
    const handling = acme.intake.handle('vak.events.acme.*.status', ({ subject }) => heard.push(subject) > 0);
    const peer = acme.peer('w1');
    take(acme, peer.write({ state: 'started' }));
    take(acme, peer.write({ channel: 'assistant', index: 0, text: 'x' }, 'tokens'));
    take(acme, peer.write({ state: 'done' }));
    expect(heard).toHaveLength(2);
    handling.dispose();
    take(acme, peer.write({ state: 'done' }));
    expect(heard).toHaveLength(2);
    expect(() => acme.intake.handle('vak..x', () => true)).toThrow(/pattern/);
  });
});
