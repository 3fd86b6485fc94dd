import { describe, expect, it } from 'vitest';
import {
  createTrustedWorkspace,
  type TrustedPeer,
  type TrustedWorkspace,
} from '../../../tests/support/trusted-workspace.ts';
import { acceptAll, marksOfAll, type Sent, soundMarks, takeSent } from '../../../tests/support/waiting-messages.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { createSecret } from '../identity/secret.ts';
import type { WorkspaceSecretEntry } from './secret-registry.ts';

/** A secret that is not in the workspace yet; what `seal` writes is sealed with it. */
function newSecret(acme: TrustedWorkspace, state: WorkspaceSecretEntry['state'] = 'active') {
  const known = acme.secrets ?? [];
  const added = {
    id: 's2',
    secret: createSecret(utf8('the second secret of acme')),
    state: 'active',
    openOnlyUntilMs: null,
  } as const;
  const seal = (peer: TrustedPeer, payload: object): Sent => {
    acme.secrets = [...known, added];
    const sent = peer.write(payload);
    acme.secrets = known;
    return sent;
  };
  const add = (): void => {
    acme.secrets = [...known, { ...added, state }];
    acme.learn();
  };
  return { seal, add };
}

describe('a secret that is not known yet', () => {
  it('E21 what did not open is handled once its secret is there, in order, and leaves the quarantine', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const peer = acme.peer('w1');
    const { seal, add } = newSecret(acme);
    const held = [1, 2].map(() => takeSent(acme, seal(peer, { state: 'progress' })));
    expect(held.map(({ trust }) => trust.refusal?.reason)).toEqual(['unopenable', 'unopenable']);
    expect(marksOfAll(held)[0]).toMatchObject({ seal: 'fails', signature: 'valid', chain: 'ok' });
    add();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 2]);
    expect(marksOfAll(held)).toEqual([soundMarks, soundMarks]);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 0, countByReason: { unopenable: 0 } });
  });

  it('E21 E7 under a secret that was revoked it stays refused, with that as its reason', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const { seal, add } = newSecret(acme, 'revoked');
    const held = takeSent(acme, seal(acme.peer('w1'), { state: 'done' }));
    add();
    acme.clock.runDeferred();
    expect(held.trust.refusal?.why).toContain('revoked');
    expect(acme.quarantine.state().recent[0]?.why).toBe(held.trust.refusal?.why);
    // For good: nothing waits any more.
    newSecret(acme).add();
    acme.clock.runDeferred();
    expect(held.trust.refusal?.reason).toBe('unopenable');
    expect(handled).toEqual([]);
  });

  it('E22 it is looked for at once and then once a second, as long as a message waits for it', () => {
    const acme = createTrustedWorkspace();
    acceptAll(acme);
    const { seal, add } = newSecret(acme);
    const peer = acme.peer('w1');
    for (let count = 0; count < 10; count++) takeSent(acme, seal(peer, { state: 'progress' }));
    const atOnce = acme.looks.secrets;
    expect(atOnce).toBeGreaterThan(0);
    acme.clock.advance(10_000);
    expect(acme.looks.secrets).toBe(atOnce + 10);
    add();
    acme.clock.advance(60_000);
    expect(acme.looks.secrets).toBe(atOnce + 10);
    expect(acme.clock.timerCount).toBe(0);
  });

  it('E20 while the key store is locked it waits on, and is judged when that is open', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const { seal, add } = newSecret(acme);
    const held = takeSent(acme, seal(acme.peer('w1'), { state: 'done' }));
    acme.secrets = undefined;
    acme.learn();
    acme.clock.runDeferred();
    expect(held.trust.refusal?.reason).toBe('unopenable');
    add();
    acme.clock.runDeferred();
    expect(handled).toEqual([1]);
  });
});

describe('a key id that an alias names a secret for', () => {
  const foreign = 'their-key-7';

  /** Two messages under the key id of other software. */
  function takeForeign(acme: TrustedWorkspace) {
    const peer = acme.peer('w1', { keyId: foreign });
    return [1, 2].map(() => takeSent(acme, peer.write({ state: 'progress' })));
  }

  it('E21 what was refused under a foreign key id is handled once an alias is set, in order, and leaves the quarantine', () => {
    const acme = createTrustedWorkspace();
    acme.aliases = new Map();
    const handled = acceptAll(acme);
    const held = takeForeign(acme);
    expect(held.map(({ trust }) => trust.refusal?.why)).toEqual([
      expect.stringContaining('Set an alias'),
      expect.stringContaining('Set an alias'),
    ]);
    // It waits for nothing that another process writes.
    expect(acme.looks.secrets).toBe(0);
    acme.aliases = new Map([[foreign, 's1']]);
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 2]);
    expect(marksOfAll(held)).toEqual([soundMarks, soundMarks]);
    expect(acme.quarantine.state()).toMatchObject({ refusedCount: 0, recent: [] });
  });

  it('E21 an alias to the wrong secret says so in the list, and the right one mends it', () => {
    const acme = createTrustedWorkspace();
    const other = {
      id: 's0',
      secret: createSecret(utf8('not the one')),
      state: 'active',
      openOnlyUntilMs: null,
    } as const;
    acme.secrets = [other, ...(acme.secrets ?? [])];
    acme.aliases = new Map();
    const handled = acceptAll(acme);
    takeForeign(acme);
    acme.aliases = new Map([[foreign, 's0']]);
    acme.learn();
    acme.clock.runDeferred();
    expect(acme.quarantine.state().recent[0]?.why).toContain('tag does not fit');
    acme.aliases = new Map([[foreign, 's1']]);
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([1, 2]);
    expect(acme.quarantine.state().refusedCount).toBe(0);
  });

  it('E21 where no aliases are heeded it is refused for good, on a stream as well', () => {
    const acme = createTrustedWorkspace();
    const handled = acceptAll(acme);
    const [held] = takeForeign(acme);
    const stored = { subject: held?.subject ?? '', data: held?.data ?? new Uint8Array(), storedMs: acme.clock.now() };
    expect(acme.judge(stored)).toMatchObject({ kind: 'refused', isFinal: true });
    acme.aliases = new Map();
    expect(acme.judge(stored)).toMatchObject({ kind: 'refused', isFinal: false });
    acme.aliases = new Map([[foreign, 's1']]);
    acme.learn();
    acme.clock.runDeferred();
    expect(handled).toEqual([]);
    expect(acme.judge(stored)).toMatchObject({ kind: 'accepted' });
  });
});
