import { describe, expect, it } from 'vitest';
import type { Incident } from '../../../shared/contract/operations-contract.ts';
import type { IncidentKind } from '../../../shared/protocol/incident-kinds.ts';
import { groupProblems } from './problem-groups.ts';
import { findProblems, type Problem, type ProblemSources } from './problems.ts';

function incident(kind: IncidentKind, queue: string, more: Partial<Incident> = {}): Incident {
  return {
    ...{ id: `${kind}:${queue}`, kind, tone: 'wait', title: `${queue} ${kind}`, why: 'why.', next: 'next.', queue },
    ...{ place: { kind: 'queue', queue }, firstMs: 10, lastMs: 20, count: 1, weight: 1, isStanding: true },
    ...{ acknowledged: null, isMuted: false, records: [], ...more },
  };
}

const problemsOf = (incidents: readonly Incident[]): readonly Problem[] =>
  findProblems({
    provisioning: undefined,
    ...{ flow: undefined, swarm: undefined, quarantine: undefined, connection: undefined, queues: undefined },
    work: { incidents } as unknown as ProblemSources['work'],
  });

describe('problems of one kind', () => {
  it('W9 of 187 queues stand in one line: how many, the worst, the newest, and every one is a member', () => {
    const many = Array.from({ length: 187 }, (_, at) =>
      incident('no-consumer', `q${at}`, { count: at + 1, weight: at + 1, firstMs: 1000 - at, lastMs: 1000 - at }),
    );
    const entries = groupProblems(problemsOf([...many, incident('stuck', 'render')]));
    expect(entries.map(({ problem }) => problem.id)).toEqual(['incident stuck:render', 'group no-consumer']);
    const group = entries[1];
    expect(group?.problem).toMatchObject({
      ...{ title: 'Nobody works on 187 queues', why: 'The worst: q186 no-consumer. why.', next: 'next.' },
      ...{ atMs: 1000, firstMs: 814, place: { kind: 'queues' }, lasting: { kind: 'standing' } },
    });
    expect(group?.members).toHaveLength(187);
    expect(group?.members[0]?.id).toBe('incident no-consumer:q186');
  });

  it('W9 three stand for themselves, and kinds are not mixed', () => {
    const of = (kind: IncidentKind) => ['a', 'b', 'c'].map((queue) => incident(kind, queue));
    const entries = groupProblems(problemsOf([...of('lag'), ...of('age')]));
    expect(entries.map(({ members }) => members.length)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('W3 many ways to fail of one queue name it and lead to it', () => {
    const [group] = groupProblems(
      problemsOf(['1', '2', '3', '4'].map((id) => incident('dead-letters', 'render', { id }))),
    );
    expect(group?.problem).toMatchObject({
      title: '4 tasks of render failed for good',
      place: { kind: 'letters', filter: 'queue:render' },
    });
  });

  it('W3 failures are counted over their queues, and the group is muted only if all of it is', () => {
    const event = { isStanding: false, count: 3 } as const;
    const failed = ['a', 'b', 'c', 'c2'].map((id) => incident('dead-letters', id.charAt(0), { ...event, id }));
    const [group] = groupProblems(problemsOf(failed));
    expect(group?.problem).toMatchObject({
      ...{ title: '12 tasks of 3 queues failed for good', lasting: { kind: 'event' }, incident: { isMuted: false } },
    });
    const [muted] = groupProblems(problemsOf(failed.map((one) => ({ ...one, isMuted: true }))));
    expect(muted?.problem.incident).toMatchObject({ isMuted: true, queue: null });
  });
});
