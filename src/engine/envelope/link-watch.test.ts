import { describe, expect, it } from 'vitest';
import { createTrustedWorkspace, type TrustedPeer } from '../../../tests/support/trusted-workspace.ts';
import { genesisHash } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, encodeEnvelope } from '../../shared/protocol/envelope-codec.ts';

type Sent = ReturnType<TrustedPeer['write']>;

function setUp() {
  const acme = createTrustedWorkspace();
  const take = ({ subject, data }: Pick<Sent, 'subject' | 'data'>) => {
    acme.intake.take({ subject, data });
    return acme.buffer.get(acme.buffer.newestSeq)?.trust.link;
  };
  const verdictOf = (sent: Pick<Sent, 'subject' | 'data'>) => take(sent)?.verdict;
  /** An envelope that claims to be the peer's next one; nobody signed it. */
  const forge = ({ subject, data }: Sent, seqnum: number, prevhash: string) => {
    const envelope = decodeEnvelope(data);
    return { subject, data: encodeEnvelope({ ...envelope, seqnum, prevhash, time: '2026-05-05T05:05:05Z' }) };
  };
  return { acme, take, verdictOf, forge };
}

const write = (peer: TrustedPeer, count: number): Sent[] =>
  Array.from({ length: count }, (_, index) => peer.write({ state: 'progress', detail: { reason: `${index}` } }));

describe('chains as they arrive', () => {
  it('E11 links that follow are ok, each with the place of the one before; one signature in sixteen is looked at', () => {
    const { acme, take } = setUp();
    const links = write(acme.peer('w1'), 49).map(take);
    expect(new Set(links.map((link) => link?.verdict.kind))).toEqual(new Set(['ok']));
    expect(links.slice(0, 5).map((link) => link?.previousSeq)).toEqual([undefined, 1, 2, 3, 4]);
    expect(new Set(links.map((link) => link?.isFirst))).toEqual(new Set([false]));
    // The first, and the last of each sixteen once the next one comes: 17 and 33.
    expect(acme.checkedCount).toBe(3);
  });

  it('E11 a chain that is first seen in its middle begins there', () => {
    const { acme, take } = setUp();
    const [, , third, fourth] = write(acme.peer('w1'), 4) as [Sent, Sent, Sent, Sent];
    expect(take(third)).toEqual({ verdict: { kind: 'ok' }, isFirst: true, previousSeq: undefined, isHeld: true });
    expect(take(fourth)).toMatchObject({ verdict: { kind: 'ok' }, isFirst: false, previousSeq: 1 });
  });

  it('E11 what is missing is a gap once, and what follows it is ok', () => {
    const { acme, verdictOf } = setUp();
    const sent = write(acme.peer('w1'), 6);
    const verdicts = [0, 1, 4, 5].map((index) => verdictOf(sent[index] as Sent));
    expect(verdicts).toEqual([{ kind: 'ok' }, { kind: 'ok' }, { kind: 'gap', from: 2, to: 3 }, { kind: 'ok' }]);
  });

  it('E11 a repeat is reordered, and moves nothing', () => {
    const { acme, verdictOf } = setUp();
    const sent = write(acme.peer('w1'), 3) as [Sent, Sent, Sent];
    expect([0, 1, 1, 0, 2].map((index) => verdictOf(sent[index] as Sent)?.kind)).toEqual([
      'ok',
      'ok',
      'reordered',
      'reordered',
      'ok',
    ]);
  });

  it('E12 two runs under one source are a fork, although both are signed', () => {
    const { acme, verdictOf } = setUp();
    const one = write(acme.peer('w1', { key: 5 }), 2) as [Sent, Sent];
    const two = write(acme.peer('w1', { key: 5 }), 2) as [Sent, Sent];
    expect(verdictOf(one[0])).toEqual({ kind: 'ok' });
    expect(verdictOf(two[0])).toEqual({ kind: 'fork' });
    expect(verdictOf(one[1])).toEqual({ kind: 'ok' });
    expect(verdictOf(two[1])?.kind).toBe('fork');
  });

  it('E11 sources do not touch each other', () => {
    const { acme, verdictOf } = setUp();
    const one = write(acme.peer('w1'), 3);
    const two = write(acme.peer('w2'), 3);
    const mixed = [one[0], two[0], two[1], one[1], one[2], two[2]] as Sent[];
    expect(mixed.map((sent) => verdictOf(sent)?.kind)).toEqual(Array(6).fill('ok'));
  });
});

describe('forged messages among true ones', () => {
  it('E13 a forged next envelope does not make the true one look broken', () => {
    const { acme, verdictOf, forge } = setUp();
    const [a, b, c] = write(acme.peer('w1'), 3) as [Sent, Sent, Sent];
    verdictOf(a);
    const forged = forge(a, 1, leafOf(acme, a));
    // Nothing speaks against it yet: it names the right predecessor.
    expect(verdictOf(forged)).toEqual({ kind: 'ok' });
    expect(verdictOf(b)).toEqual({ kind: 'ok' });
    expect(verdictOf(c)).toEqual({ kind: 'ok' });
    expect(acme.buffer.get(3)?.trust.link?.previousSeq).toBe(1);
  });

  it('E13 a run of forged envelopes is taken back at the first true one', () => {
    const { acme, verdictOf, forge } = setUp();
    const [a, b, c] = write(acme.peer('w1'), 3) as [Sent, Sent, Sent];
    verdictOf(a);
    let before: Pick<Sent, 'data'> = a;
    for (let seq = 1; seq <= 9; seq++) {
      const forged = forge(a, seq, leafOf(acme, before));
      expect(verdictOf(forged)).toEqual({ kind: 'ok' });
      before = forged;
    }
    expect(verdictOf(b)).toEqual({ kind: 'ok' });
    expect(verdictOf(c)).toEqual({ kind: 'ok' });
  });

  it('E13 a forged jump ahead does not hide what the peer says next', () => {
    const { acme, verdictOf, forge } = setUp();
    const [a, b] = write(acme.peer('w1'), 2) as [Sent, Sent];
    verdictOf(a);
    expect(verdictOf(forge(a, 900, genesisHash))).toEqual({ kind: 'gap', from: 1, to: 899 });
    expect(verdictOf(b)).toEqual({ kind: 'ok' });
  });

  it('E13 a forged first envelope does not stand in the way of the true ones', () => {
    const { acme, verdictOf, forge } = setUp();
    const [a, b] = write(acme.peer('w1'), 2) as [Sent, Sent];
    verdictOf(forge(a, 5, genesisHash));
    expect(verdictOf(a)).toEqual({ kind: 'ok' });
    expect(verdictOf(b)).toEqual({ kind: 'ok' });
  });

  it('E11 a signed envelope that names another predecessor is a forged link, and does not move the chain', () => {
    const { acme, verdictOf } = setUp();
    const [a] = write(acme.peer('w1', { key: 5 }), 1) as [Sent];
    const [, other] = write(acme.peer('w1', { key: 5 }), 2) as [Sent, Sent];
    verdictOf(a);
    expect(verdictOf(other)).toEqual({ kind: 'forged-link' });
  });

  it('E11 a changed payload never moves the chain', () => {
    const { acme, verdictOf } = setUp();
    const [a, b] = write(acme.peer('w1'), 2) as [Sent, Sent];
    verdictOf(a);
    const envelope = decodeEnvelope(b.data);
    const bytes = envelope.data.kind === 'bytes' ? envelope.data.bytes.with(0, 1) : new Uint8Array();
    const tampered = { subject: b.subject, data: encodeEnvelope({ ...envelope, data: { kind: 'bytes', bytes } }) };
    expect(verdictOf(tampered)).toEqual({ kind: 'forged-payload' });
    expect(verdictOf(b)).toEqual({ kind: 'ok' });
  });
});

describe('floods and replays', () => {
  const admitAll = (acme: ReturnType<typeof createTrustedWorkspace>, sent: readonly Sent[]): string[] =>
    sent.map(({ subject, data }) => {
      acme.intake.take({ subject, data });
      const held = acme.buffer.get(acme.buffer.newestSeq);
      return held === undefined ? 'gone' : acme.intake.admit(held).kind;
    });

  for (const count of [1, 15, 16, 17, 40]) {
    it(`E12 ${count} forged links that fit do not make old messages new, and the true ones go on`, () => {
      const { acme, take, verdictOf, forge } = setUp();
      const peer = acme.peer('w1');
      const sent = write(peer, 40);
      expect(new Set(admitAll(acme, sent))).toEqual(new Set(['accepted']));
      let before: Pick<Sent, 'data'> = sent[39] as Sent;
      for (let seq = 40; seq < 40 + count; seq++) {
        const forged = forge(sent[0] as Sent, seq, leafOf(acme, before));
        take(forged);
        before = forged;
      }
      expect(admitAll(acme, [sent[20], sent[21], sent[39]] as Sent[])).toEqual(['refused', 'refused', 'refused']);
      expect(verdictOf(peer.write({ state: 'done' }))).toEqual({ kind: 'ok' });
    });
  }

  it('E11 what is refused anyway moves no chain: plain, unsigned, misplaced', () => {
    const { acme, verdictOf } = setUp();
    const [a, b] = write(acme.peer('w1'), 2) as [Sent, Sent];
    verdictOf(a);
    const envelope = decodeEnvelope(b.data);
    const unsigned = { subject: b.subject, data: encodeEnvelope({ ...envelope, signed: undefined }) };
    expect(verdictOf(unsigned)).toEqual({ kind: 'ok' });
    expect(verdictOf({ subject: 'vak.events.acme.other-1-e.status', data: b.data })).toEqual({ kind: 'ok' });
    expect(admitAll(acme, [b])).toEqual(['accepted']);
  });

  it('E12 a forged jump moves no chain, whether or not it is still in the buffer when the true ones come', () => {
    const { acme, forge, verdictOf } = setUp();
    const sent = write(acme.peer('w1'), 6) as [Sent, ...Sent[]];
    const jump = forge(sent[0], 2 ** 53 - 1, genesisHash);
    verdictOf(jump);
    expect(admitAll(acme, sent.slice(0, 2))).toEqual(['accepted', 'accepted']);
    verdictOf(jump);
    const garbage = { subject: 'vak.events.acme.x-1-e.status', data: new Uint8Array([1]) };
    for (let index = 0; index < 1001; index++) acme.intake.take(garbage);
    expect(admitAll(acme, sent.slice(2))).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
  });

  it('E12 no number of strange sources makes old messages new: one that is not sound takes no place', () => {
    const { acme, forge } = setUp();
    const sent = write(acme.peer('w1'), 5);
    expect(new Set(admitAll(acme, sent))).toEqual(new Set(['accepted']));
    const [first] = sent as [Sent];
    for (let index = 0; index < 4200; index++) {
      const { data } = forge(first, 0, genesisHash);
      const strange = { ...decodeEnvelope(data), source: `vak://acme/w1/s${index}-e`, sessionid: `s${index}-e` };
      acme.intake.take({ subject: first.subject, data: encodeEnvelope(strange) });
    }
    expect(new Set(admitAll(acme, sent))).toEqual(new Set(['refused']));
  });

  it('E12 a source that was forgotten for sound others still knows its last number', () => {
    const { acme } = setUp();
    const sent = write(acme.peer('w1'), 5);
    admitAll(acme, sent.slice(0, 4));
    for (let index = 0; index < 4100; index++) {
      acme.intake.take(acme.peer('w2', { key: 9, session: `w2-${index}-e` }).write({ state: 'started' }));
    }
    expect(admitAll(acme, sent.slice(0, 4))).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect(admitAll(acme, sent.slice(4))).toEqual(['accepted']);
  }, 60_000);

  it('E8 an unsigned message moves no signed chain, also while unsigned ones are accepted', () => {
    const { acme, forge, verdictOf } = setUp();
    const sent = write(acme.peer('w1'), 4) as [Sent, ...Sent[]];
    acme.policy = { acceptPlain: false, acceptUnsigned: true };
    admitAll(acme, sent.slice(0, 1));
    const jump = decodeEnvelope(forge(sent[0], 900, genesisHash).data);
    expect(verdictOf({ subject: sent[0].subject, data: encodeEnvelope({ ...jump, signed: undefined }) })?.kind).toBe(
      'gap',
    );
    acme.policy = { acceptPlain: false, acceptUnsigned: false };
    expect(admitAll(acme, sent.slice(1))).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('E8 a chain of unsigned messages is nobody’s: a signed one under its name begins anew', () => {
    const { acme, forge, verdictOf } = setUp();
    const sent = write(acme.peer('w1'), 2) as [Sent, Sent];
    acme.policy = { acceptPlain: false, acceptUnsigned: true };
    const jump = decodeEnvelope(forge(sent[0], 900, genesisHash).data);
    verdictOf({ subject: sent[0].subject, data: encodeEnvelope({ ...jump, signed: undefined }) });
    expect(admitAll(acme, sent)).toEqual(['accepted', 'accepted']);
  });
});

function leafOf({ reader }: ReturnType<typeof createTrustedWorkspace>, { data }: Pick<Sent, 'data'>): string {
  const reading = reader.read(data);
  if (reading.kind !== 'envelope') throw new Error('no envelope');
  return reading.leaf;
}
