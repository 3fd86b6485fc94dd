import { describe, expect, it } from 'vitest';
import { createTrustedWorkspace } from '../../../tests/support/trusted-workspace.ts';
import {
  acceptAll,
  marksOfAll,
  type Sent,
  soundMarks,
  takeSent,
  writeMany,
} from '../../../tests/support/waiting-messages.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';

const changed = ({ subject, data }: Sent, change: (envelope: Envelope) => Partial<Envelope>): Sent => {
  const envelope = decodeEnvelope(data);
  return { subject, data: encodeEnvelope({ ...envelope, ...change(envelope) }) };
};

describe('a grant that is not known yet', () => {
  it('E21 what was refused for want of a grant is accepted once it is known: marks, chain, counts and quarantine', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const held = writeMany(acme.peer('w1', { key: 7, isGranted: false }), 3).map((sent) => takeSent(acme, sent));
    expect(marksOfAll(held).map(({ isRefused }) => isRefused)).toEqual([true, true, true]);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 3, countByReason: { sender: 3 } });
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 2, 3]);
    expect(marksOfAll(held)).toEqual([soundMarks, soundMarks, soundMarks]);
    expect(held.map(({ trust }) => trust.link?.previousSeq)).toEqual([undefined, 1, 2]);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 0, countByReason: { sender: 0 }, recent: [] });
  });

  it('E22 a grant that was given a moment ago is looked for before anything is refused', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    acme.grantElsewhere('w1', { key: 7 });
    const held = writeMany(acme.peer('w1', { key: 7, isGranted: false }), 2).map((sent) => takeSent(acme, sent));
    expect(marksOfAll(held)).toEqual([soundMarks, soundMarks]);
    expect(handled).toEqual([1, 2]);
    expect(acme.looks.grants).toBe(1);
    expect(acme.clock.timerCount).toBe(0);
  });

  it.each([2, 3, 4, 5])(
    'E23 whichever of the looks finds it (the one after %i), the first is ahead of the next',
    (vainLooks) => {
      const acme = createTrustedWorkspace();
      const handled = acceptAll(acme);
      acme.vainLooks = vainLooks;
      acme.grantElsewhere('w1', { key: 7 });
      const sent = writeMany(acme.peer('w1', { key: 7, isGranted: false }), 4);
      const held = sent.map((one) => takeSent(acme, one));
      acme.clock.advance(20);
      expect(handled).toEqual([1, 2, 3, 4]);
      expect(marksOfAll(held)).toEqual([soundMarks, soundMarks, soundMarks, soundMarks]);
      expect(held.map(({ trust }) => trust.link?.previousSeq)).toEqual([undefined, 1, 2, 3]);
    },
  );

  it('E22 E23 the next message looks for it, and what came before it is handled before it', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const [first, second, third] = writeMany(acme.peer('w1', { key: 7, isGranted: false }), 3) as [Sent, Sent, Sent];
    const before = [first, second].map((sent) => takeSent(acme, sent));
    acme.grantElsewhere('w1', { key: 7 });
    expect(marksOfAll([...before, takeSent(acme, third)])).toEqual([soundMarks, soundMarks, soundMarks]);
    expect(handled).toEqual([1, 2, 3]);
  });

  it('E22 when no other message comes it is looked for 20 ms later, and then no more', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    takeSent(acme, acme.peer('w1', { key: 7, isGranted: false }).write({ state: 'started' }));
    expect(acme.looks.grants).toBe(1);
    acme.grantElsewhere('w1', { key: 7 });
    acme.clock.advance(20);
    expect(handled).toEqual([1]);
    expect(acme.looks.grants).toBe(2);
    takeSent(acme, acme.peer('stranger', { isGranted: false }).write({ state: 'started' }));
    const { grants } = acme.looks;
    acme.clock.advance(60_000);
    expect(acme.looks.grants).toBe(grants + 1);
    expect(acme.clock.timerCount).toBe(0);
  });

  it('I4 a grant that was stored after a message came does not make it count', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const held = takeSent(acme, acme.peer('w1', { key: 7, isGranted: false }).write({ state: 'started' }));
    acme.grantElsewhere('w1', { key: 7, storedMs: held.atMs + 1 });
    acme.learn();
    acme.clock.runDeferred();
    expect(acme.intake.admit(held)).toMatchObject({ kind: 'refused', refusal: { reason: 'sender' } });
    expect(held.trust.refusal?.why).toContain('no grant yet at that time');
    expect(handled).toEqual([]);
    expect(acme.quarantine.state().recent).toMatchObject([{ seq: 1, why: held.trust.refusal?.why }]);
    expect(acme.quarantine.state().refusedCount).toBe(1);
  });

  it.each([
    ['another key', { key: 8 }],
    ['another role', { key: 7, roles: ['observer'] }],
  ] as const)('E21 a newer grant of %s takes the place of the one that refused', (_, older) => {
    const acme = createTrustedWorkspace();
    acme.grantElsewhere('w1', older);
    acme.learn();
    const held = takeSent(acme, acme.peer('w1', { key: 7, isGranted: false }).write({ state: 'started' }));
    expect(acme.intake.isSound(held)).toBe(false);
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    expect(acme.intake.admit(held).kind).toBe('accepted');
  });

  it('E21 what comes before the root is known is judged in order when it is', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    acme.isRootKnown = false;
    const sent = writeMany(acme.peer('w1'), 2) as [Sent, Sent];
    const held = [sent[0], sent[1], sent[0]].map((one) => takeSent(acme, one));
    expect(acme.quarantine.state().refusedCount).toBe(0);
    acme.isRootKnown = true;
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 2]);
    expect(marksOfAll(held).map(({ chain }) => chain)).toEqual(['ok', 'ok', 'reordered']);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 1, countByReason: { chain: 1 } });
  });
});

describe('what stays refused', () => {
  it('E21 a bad signature, a wrong place, plain, unsigned, a broken chain: whatever is granted later', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const stranger = { key: 7, isGranted: false } as const;
    const peer = acme.peer('w1', stranger);
    const fork = acme.peer('w2', { key: 9 });
    const held = [
      changed(peer.write({ state: 'done' }), () => ({ time: '2026-05-05T05:05:05Z' })),
      { ...peer.write({ state: 'done' }), subject: 'vak.events.acme.w1-1-e.tokens' },
      acme.peer('w1', { ...stranger, isSealing: false, session: 'w1-2-e' }).write({ state: 'done' }),
      acme.peer('w1', { ...stranger, isSigning: false, session: 'w1-3-e' }).write({ state: 'done' }),
      fork.write({ state: 'started' }),
      acme.peer('w2', { key: 9 }).write({ state: 'done' }),
    ].map((sent) => takeSent(acme, sent));
    const before = held.map(({ trust }) => trust.refusal);
    expect(before.map((refusal) => refusal?.reason)).toEqual([
      'signature',
      'misplaced',
      'plain',
      'unsigned',
      undefined,
      'chain',
    ]);
    acme.grantElsewhere('w1', { key: 7 });
    acme.grantElsewhere('w2', { key: 9 });
    acme.learn();
    acme.clock.runDeferred();
    expect(held.map(({ trust }) => trust.refusal)).toEqual(before);
    expect(handled).toEqual([5]);
    expect(acme.quarantine.state().refusedCount).toBe(5);
  });

  it('E21 what was accepted once is not refused for a grant that is gone', () => {
    const acme = createTrustedWorkspace();
    const held = takeSent(acme, acme.peer('w1', { key: 7 }).write({ state: 'started' }));
    expect(acme.intake.admit(held).kind).toBe('accepted');
    acme.grantElsewhere('w1', { key: 8 });
    acme.learn();
    expect(acme.intake.checkSignature(held).kind).toBe('invalid');
    expect(acme.intake.admit(held).kind).toBe('accepted');
    expect(acme.quarantine.state().refusedCount).toBe(0);
  });
});

describe('handlers', () => {
  it('E23 of two copies that came while nobody was known one is handled, the other is a repeat', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const [first, second] = writeMany(acme.peer('w1', { key: 7, isGranted: false }), 2) as [Sent, Sent];
    const held = [first, first, second, first].map((sent) => takeSent(acme, sent));
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 3]);
    expect(held.map(({ trust }) => trust.refusal?.reason)).toEqual([undefined, 'chain', undefined, 'chain']);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 2, countByReason: { sender: 0, chain: 2 } });
  });

  it('E23 who took a message is not told of it again, and who left meanwhile neither', () => {
    const acme = createTrustedWorkspace();
    const counts = { counting: 0, denied: 0, gone: 0 };
    // It takes whatever comes, as one that only counts.
    acme.intake.handle('>', () => ++counts.counting > 0);
    acme.intake.handle('>', (held) => {
      if (acme.intake.admit(held).kind !== 'accepted') return false;
      return ++counts.denied > 0;
    });
    const gone = acme.intake.handle('>', (held) => {
      counts.gone++;
      return acme.intake.admit(held).kind === 'accepted';
    });
    takeSent(acme, acme.peer('w1', { key: 7, isGranted: false }).write({ state: 'started' }));
    gone.dispose();
    acme.grantElsewhere('w1', { key: 7 });
    for (let round = 0; round < 3; round++) {
      acme.learn();
      acme.clock.runDeferred();
    }
    expect(counts).toEqual({ counting: 1, denied: 1, gone: 1 });
  });

  it('E23 what comes to be known while handlers are told is judged after them', () => {
    const acme = createTrustedWorkspace();
    const handled: number[] = [];
    acme.intake.handle('>', (held) => {
      if (acme.intake.admit(held).kind !== 'accepted') return false;
      acme.learn();
      for (const seq of [1, 2, 3]) acme.intake.isSound(acme.buffer.get(seq) ?? held);
      return handled.push(held.seq) > 0;
    });
    const [one, two] = [acme.peer('w1', { key: 7, isGranted: false }), acme.peer('w2', { key: 8, isGranted: false })];
    for (const peer of [one, two, one]) takeSent(acme, peer.write({ state: 'progress' }));
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.grantElsewhere('w2', { key: 8 });
    acme.clock.runDeferred();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 3, 2]);
  });

  it('E23 a handler that asks for other messages while it is told of one disturbs nothing', () => {
    const acme = createTrustedWorkspace();
    const handled: number[] = [];
    acme.intake.handle('>', (held) => {
      const all = [1, 2, 3].map((seq) => acme.buffer.get(seq)).filter((one) => one !== undefined);
      for (const one of all) acme.intake.checkSignature(one);
      if (acme.intake.admit(held).kind !== 'accepted') return false;
      handled.push(held.seq);
      return true;
    });
    for (const sent of writeMany(acme.peer('w1', { key: 7, isGranted: false }), 3)) takeSent(acme, sent);
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 2, 3]);
  });
});

describe('a chain whose sender was not granted for a while', () => {
  it('E21 E23 what was taken back is linked again when the grant is known, and a repeat of it is none of it', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const peer = acme.peer('w1', { key: 7 });
    takeSent(acme, peer.write({ state: 'started' }));
    acme.grantElsewhere('w1', { key: 8, storedMs: acme.clock.now() });
    acme.learn();
    const sent = writeMany(peer, 20);
    const held = sent.map((one) => takeSent(acme, one));
    const repeat = takeSent(acme, sent[4] as Sent);
    expect(acme.quarantine.state().countByReason.sender).toBeGreaterThanOrEqual(20);
    acme.grantElsewhere('w1', { key: 7, storedMs: acme.clock.now() });
    acme.learn();
    const next = takeSent(acme, peer.write({ state: 'done' }));
    expect(marksOfAll([...held, next])).toEqual(Array(21).fill(soundMarks));
    expect(handled).toEqual([...Array.from({ length: 21 }, (_, index) => index + 1), next.seq]);
    expect(repeat.trust.refusal?.reason).toBe('chain');
    expect(acme.quarantine.state().refusedCount).toBe(1);
  });
});

describe('a flood', () => {
  it('E22 of unknown signers: 1 024 wait, the oldest are refused for good, and a change judges only whom it concerns', () => {
    const acme = createTrustedWorkspace({ capacityCount: 5000, capacityBytes: 1e9 });
    const handled = acceptAll(acme);
    const victim = acme.peer('w1', { key: 7, isGranted: false, session: 'w1-1-e' });
    const late = acme.peer('w1', { key: 7, isGranted: false, session: 'w1-2-e' });
    takeSent(acme, victim.write({ state: 'started' }));
    const flood = acme.peer('noise', { key: 8, isGranted: false });
    for (let count = 0; count < 1024; count++) takeSent(acme, flood.write({ state: 'progress' }));
    const newest = takeSent(acme, late.write({ state: 'started' }));
    const before = acme.checkedCount;
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([newest.seq]);
    // The one that waited, and its chain's beginning: none of the flood.
    expect(acme.checkedCount - before).toBeLessThanOrEqual(3);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 1025, capacity: 256 });
    expect(acme.buffer.get(1)?.trust.refusal?.reason).toBe('sender');
  });

  it('E22 what has left the buffer and the quarantine stays counted as refused', () => {
    const acme = createTrustedWorkspace({ capacityCount: 10, capacityBytes: 1e9 });
    const handled = acceptAll(acme);
    takeSent(acme, acme.peer('w1', { key: 7, isGranted: false }).write({ state: 'started' }));
    const flood = acme.peer('noise', { key: 8, isGranted: false });
    for (let count = 0; count < 300; count++) takeSent(acme, flood.write({ state: 'progress' }));
    acme.grantElsewhere('w1', { key: 7 });
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([]);
    expect(acme.quarantine.state().refusedCount).toBe(301);
  });
});
