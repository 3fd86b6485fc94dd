import { describe, expect, it } from 'vitest';
import { readerNames } from './reader-names.ts';
import { roles } from './roles.ts';
import { type GrantedHolder, serverRights } from './server-rights.ts';
import { storeImports } from './server-store.ts';
import { streamsOf } from './stream-table.ts';
import { covers } from './subject.ts';

const holderOf = (more: Partial<GrantedHolder>): GrantedHolder => ({
  ...{ workspace: 'ws', peer: 'me', roles: ['worker'], queues: ['q'] },
  ...more,
});

describe('the rights of a server', () => {
  it('A4 a worker publishes its own, asks for its queue and its inbox, and hears its own inboxes', () => {
    const { publish, subscribe } = serverRights(holderOf({}));
    expect(publish.deny).toEqual(['vak.work.>']);
    expect(subscribe.deny).toEqual(['vak.control.ws.me.*.>', 'vak.control.ws.rooms.>']);
    expect(subscribe.allow).toEqual([
      '_INBOX.ws.me.>',
      'vak.agent.ws.me.inbox',
      'vak.approvals.ws.*.verdict',
      'vak.control.ws.me.*',
      'vak.work.ws.q.task',
    ]);
    for (const right of [
      ...['$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_ws.queue-q', '$JS.ACK.VAK_WORK_ws.queue-q.>', '$KV.VAK_CARDS_ws.me'],
      ...['vak.receipts.ws.*.completed', '$JS.API.CONSUMER.INFO.VAK_WORK_ws.queue-q'],
    ])
      expect(publish.allow).toContain(right);
    expect(publish.allow.filter((one) => one.includes('STREAM.MSG.GET'))).toEqual([]);
  });

  it.for(roles)('A4 no right of a %s reaches beyond the workspace, nor to whatever a stream is named', (role) => {
    const { publish, subscribe } = serverRights(holderOf({ roles: [role], mediaOf: ['other'] }));
    for (const right of [...publish.allow, ...subscribe.allow]) {
      const isOfWorkspace = /(?:^|[._])ws(?:[._]|$)/.test(right) || right === '$JS.API.INFO';
      expect(isOfWorkspace, right).toBe(true);
      expect(right, right).not.toMatch(/^\$JS\.API\.[A-Z.]+\.[*>]|^[*>]/);
    }
  });

  it.for(roles)('A22 what a %s asks of JetStream crosses the border to the streams, and no other call does', (role) => {
    const imports = storeImports('ws', ['me', 'other']).map(({ subject }) => subject);
    const { allow } = serverRights(holderOf({ roles: [role], mediaOf: ['other'] })).publish;
    for (const right of allow.filter((one) => one.startsWith('$')))
      expect(
        imports.some((one) => covers(one, right)),
        right,
      ).toBe(true);
    for (const right of ['STREAM.SNAPSHOT.x', 'STREAM.RESTORE.x', 'STREAM.LIST', 'CONSUMER.DURABLE.CREATE.x.y'])
      expect(imports.filter((one) => covers(one, `$JS.API.${right}`))).toEqual([]);
  });

  it('A4 a deny keeps what lies deeper from a subscription, where no other right holds it', () => {
    const denyOf = (role: (typeof roles)[number]) => serverRights(holderOf({ roles: [role] })).subscribe.deny;
    expect(denyOf('human')).toEqual(['vak.rooms.ws.*.*.>']);
    expect(denyOf('operator')).toEqual([]);
  });

  it('A35 consumers of what is claimed are made by whoever administers them, and consumers of the rest are read through', () => {
    for (const role of roles) {
      const { allow } = serverRights(holderOf({ roles: [role] })).publish;
      const made = allow.flatMap((one) => /CONSUMER\.CREATE\.VAK_([A-Z]+)_ws\.(?!reader-)/.exec(one)?.[1] ?? []);
      const kinds = new Set(made);
      if (role === 'provisioner') expect(kinds.size).toBe(streamsOf('ws').length);
      else expect([...kinds].sort(), role).toEqual(role === 'operator' ? ['ADV', 'INBOX', 'WORK'] : []);
    }
  });

  it('A15 whoever answers requests writes to inboxes of requests alone', () => {
    for (const role of ['worker', 'membershipd'] as const) {
      const { allow } = serverRights(holderOf({ roles: [role] })).publish;
      expect(allow.filter((one) => one.startsWith('_INBOX'))).toEqual(['_INBOX.ws.*.rq.>']);
    }
  });

  it('A4 no role but the provisioner makes streams: one can be made to copy any other', () => {
    for (const role of roles) {
      const { allow } = serverRights(holderOf({ roles: [role] })).publish;
      expect(
        allow.some((one) => /STREAM\.(CREATE|UPDATE)/.test(one)),
        role,
      ).toBe(role === 'provisioner');
    }
  });

  it('A9 a deny of one role holds against the others', () => {
    const { publish } = serverRights(holderOf({ roles: ['worker', 'coordinator'] }));
    expect(publish.allow).toContain('vak.work.ws.*.task');
    expect(publish.deny).toEqual(['vak.work.>']);
  });

  it('I4 grants are written by whoever holds the root, and by no role', () => {
    const grants = '$KV.VAK_GRANTS_ws.>';
    for (const role of roles) expect(serverRights(holderOf({ roles: [role] })).publish.allow).not.toContain(grants);
    expect(serverRights(holderOf({ roles: ['human'], holdsRoot: true })).publish.allow).toContain(grants);
  });

  it('A4 without a role there is nothing but the own inboxes', () => {
    const { publish, subscribe } = serverRights(holderOf({ roles: [], queues: [] }));
    expect([publish.allow, subscribe.allow]).toEqual([[], ['_INBOX.ws.me.>']]);
  });

  it('A4 a name that is no token is refused, as it would widen a right', () => {
    for (const more of [{ peer: '*' }, { workspace: '>' }, { queues: ['*'] }, { mediaOf: ['a.b'] }])
      expect(() => serverRights(holderOf(more))).toThrow(/expected 1–64/);
  });

  it('A4 no two pairs of workspace and peer share the name of a reader', () => {
    expect(readerNames('a-b', 'c')).not.toEqual(readerNames('a', 'b-c'));
    expect(new Set(readerNames('ws', 'me')).size).toBe(4);
  });
});
