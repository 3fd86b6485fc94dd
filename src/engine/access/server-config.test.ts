import { createUser } from 'nkeys.js';
import { expect, it } from 'vitest';
import type { KeyStoreContents } from '../identity/key-store.ts';
import { holdsRoot } from './access-export.ts';
import { accountsBlock, type GrantedPeer, serverUsersOf } from './server-config.ts';

const key = createUser().getPublicKey();
const peer = (name: string, more: Partial<GrantedPeer> = {}): GrantedPeer => {
  const sign = createUser().getPublicKey();
  return { peer: name, sign, roles: ['bot'], queues: [], notAfter: 0, holdsRoot: false, ...more };
};

it('A4 two peers with one key are told of with both names, as no server takes that', () => {
  const twins = [peer('mailer', { sign: key }), peer('twin', { sign: key })];
  expect(() => serverUsersOf('ws', twins, [])).toThrow(/mailer and twin are granted with the same key/);
});

it('A4 a configuration says whose grants end, as it cannot say so to a server', () => {
  const users = serverUsersOf('ws', [peer('one', { notAfter: 4_070_908_800 }), peer('two')], []);
  const text = accountsBlock('ws', users);
  expect(text).toMatch(/^# 1 of these grants end, the first 2099-01-01T00:00:00.000Z: export anew then/);
  expect(text).toContain('# one: its grant ends 2099-01-01T00:00:00.000Z, its rights here do not');
  expect(text).toMatch(/# two\n/);
  expect(accountsBlock('ws', users.slice(1))).toMatch(/^accounts \{/);
});

it('A22 nobody is a user of the account of the streams, and that of the peers has no JetStream', () => {
  const text = accountsBlock('ws', serverUsersOf('ws', [peer('one')], []));
  const [streams = '', peers = ''] = text.split('  VAK_PEERS_ws {');
  expect(streams).toContain('jetstream: { max_consumers: 16384 }');
  expect(streams).not.toContain('users');
  expect(peers).not.toContain('jetstream');
  expect(peers).not.toContain('stream: {');
  expect(() => accountsBlock('a.b', [])).toThrow(/expected 1–64/);
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
