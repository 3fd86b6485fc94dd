import { describe, expect, test } from 'vitest';
import { type AccessHolder, explainHolder } from './acl.ts';
import { placesOf, reachOf } from './acl-reach.ts';
import { accessRules } from './acl-rules.ts';
import { roles } from './roles.ts';

const names = (...list: string[]) => new Set(list);
const worker: AccessHolder = {
  workspace: 'acme',
  roles: ['worker'],
  peer: 'w1',
  sessions: names('w1-s'),
  queues: names('builds', 'docs'),
};

describe('what a peer reaches', () => {
  test('A2 A5 every pattern that is listed as allowed is allowed, by that rule, unless a deny stands against it', () => {
    for (const role of roles) {
      const holder = { ...worker, roles: [role] };
      for (const { effect, action, rule, pattern } of reachOf(holder, undefined)) {
        const subject = action === 'publish' ? pattern.replaceAll('*', 'x') : pattern;
        if (effect === 'deny' || /\.x$|>$/.test(subject)) continue;
        const answer = explainHolder(holder, action, subject);
        expect([rule, answer.allowed || answer.rule.includes('deny')]).toEqual([rule, true]);
      }
    }
  });

  test('A2 a worker of two queues has one row for each, and keeps what it does not know by its name', () => {
    const reach = reachOf(worker, undefined);
    expect(
      reach.filter(({ rule }) => rule === 'worker: subscribe work of its queue').map(({ pattern }) => pattern),
    ).toEqual(['vak.work.acme.builds.task', 'vak.work.acme.docs.task']);
    const unknown = reachOf({ workspace: 'acme', roles: ['worker'] }, undefined);
    expect(unknown.find(({ rule }) => rule === 'worker: publish own receipts')).toMatchObject({
      pattern: 'vak.receipts.acme.{session}.completed',
      missing: ['session'],
    });
    expect(unknown).toHaveLength(accessRules.get('worker')?.length ?? -1);
  });

  test('A1 what overlaps the asked pattern is marked, denies too, and only of that action', () => {
    const touched = (action: 'publish' | 'subscribe', text: string) =>
      reachOf(worker, { action, text })
        .filter(({ isTouched }) => isTouched)
        .map(({ rule }) => rule);
    expect(touched('publish', 'vak.work.acme.builds.task')).toEqual(['worker: deny work.>']);
    expect(touched('subscribe', 'vak.work.acme.*.task')).toEqual([
      'worker: subscribe work of its queue',
      'worker: subscribe work of its queue',
    ]);
    expect(touched('subscribe', 'vak.control.acme.>')).toEqual([
      'worker: deny control.rooms.>',
      'worker: subscribe own control',
    ]);
  });

  test('A10 places are listed once, with all that may be done there', () => {
    const places = placesOf({ ...worker, roles: ['worker', 'human'] });
    expect(places.filter(({ place }) => place === 'consumer.VAK_INBOX_acme.inbox-w1')).toEqual([
      { place: 'consumer.VAK_INBOX_acme.inbox-w1', actions: ['make', 'pull'] },
    ]);
    expect(places.map(({ place }) => place)).toContain('consumer.VAK_WORK_acme.queue-docs');
    expect(new Set(places.map(({ place }) => place)).size).toBe(places.length);
  });
});
