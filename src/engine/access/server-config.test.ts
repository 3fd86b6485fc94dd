import { createUser } from 'nkeys.js';
import { expect, it } from 'vitest';
import type { KeyStoreContents } from '../identity/key-store.ts';
import { holdsRoot } from './access-export.ts';
import { accountsBlock, type GrantedPeer, serverPolicyOf } from './server-config.ts';

const key = createUser().getPublicKey();
const peer = (name: string, more: Partial<GrantedPeer> = {}): GrantedPeer => {
  const sign = createUser().getPublicKey();
  return { peer: name, sign, roles: ['bot'], queues: [], notAfter: 0, holdsRoot: false, ...more };
};

it('A4 two peers with one key are told of with both names, as no server takes that', () => {
  const twins = [peer('mailer', { sign: key }), peer('twin', { sign: key })];
  expect(() => serverPolicyOf('ws', twins, [])).toThrow(/mailer and twin are granted with the same key/);
});

it('A4 a configuration says whose grants end, as it cannot say so to a server', () => {
  const policy = serverPolicyOf('ws', [peer('one', { notAfter: 4_070_908_800 }), peer('two')], []);
  const text = accountsBlock(policy);
  expect(text).toMatch(/^# 1 of these grants end, the first 2099-01-01T00:00:00.000Z: export anew then/);
  expect(text).toContain('# one: its grant ends 2099-01-01T00:00:00.000Z, its rights here do not');
  expect(text).toMatch(/# two\n/);
  expect(accountsBlock({ ...policy, users: policy.users.slice(1) })).toMatch(/^accounts \{/);
});

it('A22 A35 nobody is a user of the accounts of the streams, and that of the peers has no JetStream', () => {
  const text = accountsBlock(serverPolicyOf('ws', [peer('one')], []));
  const [stores = '', peers = ''] = text.split('  VAK_PEERS_ws {');
  const [, streams = '', queues = ''] = stores.split(/ {2}VAK_(?:STREAMS|QUEUES)_ws \{/);
  for (const store of [streams, queues]) {
    expect(store).toContain('jetstream: { max_consumers: 16384 }');
    expect(store).not.toContain('users');
  }
  expect([queues.includes('vak.work.ws'), streams.includes('vak.work.ws')]).toEqual([true, false]);
  expect(peers).not.toContain('jetstream');
  expect(peers).not.toContain('stream: {');
  expect(() => accountsBlock({ workspace: 'a.b', users: [], writers: [] })).toThrow(/expected 1–64/);
});

it('I4 the root’s rights are the operator’s in whose profile it lies, and of no other person there', () => {
  const contents = {
    identities: [
      { peer: 'ada', kind: 'human' },
      { peer: 'carol', kind: 'human' },
      { peer: 'job', kind: 'process' },
    ],
    workspaces: [{ workspace: 'ws', rootSeed: {} }],
  } as unknown as KeyStoreContents;
  const place = { contents, workspace: 'ws' };
  expect(holdsRoot({ peer: 'ada', roles: ['operator', 'human'] }, place)).toBe(true);
  expect(holdsRoot({ peer: 'carol', roles: ['human'] }, place)).toBe(false);
  expect(holdsRoot({ peer: 'job', roles: ['operator'] }, place)).toBe(false);
  expect(holdsRoot({ peer: 'elsewhere', roles: ['operator'] }, place)).toBe(false);
});
