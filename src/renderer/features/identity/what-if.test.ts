import { describe, expect, it } from 'vitest';
import { explainAccess } from '../../../shared/protocol/acl.ts';
import { roles } from '../../../shared/protocol/roles.ts';
import { askPolicy, firstQuestion, questionOfDraft, ruleWords, type WhatIfFields } from './what-if.ts';

const nowMs = Date.UTC(2026, 10, 29);
const grant = { peer: 'w1', sign: 'U', roles: ['worker'], queues: ['builds'], serial: 1, notAfter: 0 };
const known = { workspace: 'acme', grants: [grant], nowMs };
const ask = (change: Partial<WhatIfFields>, grants = known.grants) =>
  askPolicy({ ...firstQuestion, ...change }, { ...known, grants });

describe('what if', () => {
  it('A5 says of one role what vak acl explain says, with the command for it', () => {
    const subjects = [
      'vak.work.acme.builds.task',
      'vak.events.acme.s1.status',
      'vak.dlq.acme.w1.failed',
      'vak.work.other.q.task',
    ];
    for (const role of roles) {
      for (const subject of subjects) {
        const what = ask({ roles: [role], peer: 'w1', session: 's1', queues: 'builds', subject });
        const context = { role, workspace: 'acme', peer: 'w1', session: 's1', queue: 'builds' };
        expect(what.answer).toEqual(explainAccess(context, 'publish', subject));
      }
    }
    expect(ask({ peer: 'w1', subject: 'vak.dlq.acme.w1.failed' }).command).toBe(
      "vak acl explain --workspace acme --role worker --peer w1 --action publish --subject 'vak.dlq.acme.w1.failed'",
    );
    expect(ask({ roles: ['worker', 'human'], subject: 'vak.dlq.acme.w1.failed' }).command).toBeUndefined();
  });

  it('A1 a deny of one role holds against what another allows', () => {
    const subject = 'vak.work.acme.builds.task';
    expect(ask({ roles: ['operator'], subject }).answer?.allowed).toBe(true);
    expect(ask({ roles: ['operator', 'worker'], subject }).answer).toEqual({
      allowed: false,
      rule: 'worker: deny work.>',
    });
  });

  it('A5 of a granted peer it takes the roles and queues of its grant, none of which counts once it has ended', () => {
    const question = { who: 'peer', peer: 'w1', action: 'subscribe', subject: 'vak.work.acme.builds.task' } as const;
    expect(ask(question).answer).toEqual({ allowed: true, rule: 'worker: subscribe work of its queue' });
    expect(ask(question, [{ ...grant, notAfter: 5 }])).toMatchObject({
      answer: { allowed: false },
      note: 'the grant of w1 has ended',
    });
    expect(ask(question, [{ ...grant, roles: [] }])).toMatchObject({
      answer: { allowed: false },
      note: expect.stringContaining('revoked'),
    });
    expect(ask({ ...question, peer: 'nobody' })).toMatchObject({
      answer: { allowed: false },
      note: expect.stringContaining('nothing'),
    });
  });

  it('A29 what a server may refuse besides the fabric’s subjects is answered as vak acl explain does', () => {
    const subject = '$JS.API.STREAM.PURGE.VAK_WORK_acme';
    expect(ask({ peer: 'w1', queues: 'builds', subject })).toMatchObject({
      answer: { allowed: false, rule: 'A1 default deny (purge stream.VAK_WORK_acme)' },
      command: expect.stringContaining(`--subject '${subject}'`),
    });
    const pull = '$JS.API.CONSUMER.MSG.NEXT.VAK_WORK_acme.queue-builds';
    expect(ask({ who: 'peer', peer: 'w1', subject: pull }).answer).toEqual({
      ...{ allowed: true, rule: 'worker: pull tasks of its queue' },
    });
    expect(ask({ subject })).toMatchObject({ answer: undefined, errors: { peer: expect.stringContaining('server') } });
    expect(ask({ peer: 'w1', subject: '$JS..x' })).toMatchObject({ answer: undefined, fault: { from: 0, to: 6 } });
  });

  it('A5 what a rule would need is told in the words of the form', () => {
    const { answer } = ask({ subject: 'vak.events.acme.s1.status' });
    expect(ruleWords(answer?.rule ?? '')).toBe('A1 default deny (worker: publish own events needs a session)');
  });

  it.each([
    [{ roles: [] }, { errors: { roles: expect.any(String) }, answer: undefined, reach: [] }],
    [
      { peer: 'a b', subject: 'vak.work.acme.q.task' },
      { errors: { peer: expect.any(String) }, answer: undefined },
    ],
    [{ session: '*' }, { errors: { session: expect.any(String) } }],
    [{ queues: 'a/b' }, { errors: { queues: expect.any(String) } }],
    [{ who: 'peer' as const }, { errors: { peer: expect.stringContaining('granted') } }],
    [{ subject: 'vak.work' }, { fault: { from: 8, to: 8 }, answer: undefined }],
    [{ subject: '' }, { fault: undefined, answer: undefined }],
  ])('A5 asks nothing while something is wrong: %j', (change, expected) => {
    expect(ask(change)).toMatchObject(expected);
  });

  it('A2 what else it reaches is listed before a subject is typed, and marked once it is', () => {
    expect(ask({}).reach.some(({ isTouched }) => isTouched)).toBe(false);
    expect(ask({}).reach.length).toBeGreaterThan(5);
    expect(ask({ subject: 'vak.work.acme.q.task' }).reach.filter(({ isTouched }) => isTouched)).toHaveLength(1);
  });

  it('keeps the question over a restart, and takes nonsense for none', () => {
    const question: WhatIfFields = {
      ...firstQuestion,
      who: 'peer',
      peer: 'w1',
      roles: ['human', 'bot'],
      action: 'subscribe',
      subject: 'vak.>',
    };
    expect(questionOfDraft(JSON.stringify(question))).toEqual({ ...question, roles: ['bot', 'human'] });
    for (const text of [undefined, '', 'nonsense', 'null']) expect(questionOfDraft(text)).toEqual(firstQuestion);
    expect(questionOfDraft('{"roles":["king"],"action":7}')).toMatchObject({ roles: [], action: 'publish' });
  });
});
