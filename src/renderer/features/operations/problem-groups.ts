/**
 * Many problems of one kind as one line: how many, the worst of them, since when. Pure.
 * Law: a group says no more than its members do, and every one of them can be reached through it.
 */
import type { IncidentKind } from '../../../shared/protocol/incident-kinds.ts';
import { formatCount } from '../../ui/format.ts';
import { beganMs, kindOf, type Problem, type ProblemPlace } from './problems.ts';

/** One line of the list: a problem, or so many of one kind that nobody would read them one by one. */
export interface ProblemEntry {
  /** What the line says; of a group what is said of all of them. */
  readonly problem: Problem;
  /** Worst first; one: it stands for itself. */
  readonly members: readonly Problem[];
}

/** Fewer stand for themselves. */
const minMembers = 4;

const tasks = (count: number): string => `${formatCount(count)} ${count === 1 ? 'task' : 'tasks'}`;

interface Counts {
  readonly members: number;
  readonly queues: readonly string[];
  /** What the members count, together. */
  readonly total: number;
}

type Titles = Readonly<Record<string, (counts: Counts) => string>>;

const queuesOf = ({ queues }: Counts): string =>
  queues.length === 1 ? (queues[0] ?? '') : `${formatCount(queues.length)} queues`;

const titles: Titles = {
  lost: (counts) => `${tasks(counts.total)} of ${queuesOf(counts)} are lost`,
  'dead-letters': (counts) => `${tasks(counts.total)} of ${queuesOf(counts)} failed for good`,
  denied: ({ members }) => `${formatCount(members)} peers were refused by the access policy`,
  stuck: (counts) => `${queuesOf(counts)} are stuck`,
  'no-consumer': (counts) => `Nobody works on ${queuesOf(counts)}`,
  age: (counts) => `Tasks of ${queuesOf(counts)} wait too long`,
  lag: (counts) => `The lag of ${queuesOf(counts)} is over its limit`,
  death: ({ members }) => `${formatCount(members)} workers died`,
} satisfies Partial<Record<IncidentKind | 'death', (counts: Counts) => string>>;

const weightOf = (problem: Problem): number => problem.incident?.weight ?? beganMs(problem);
const latest = (times: readonly (number | null)[]): number | null =>
  times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);

function countsOf(members: readonly Problem[]): Counts {
  const queues = new Set(members.flatMap(({ incident }) => incident?.queue ?? []));
  const total = members.reduce((sum, { incident }) => sum + (incident?.count ?? 1), 0);
  return { members: members.length, queues: [...queues], total };
}

/** Where the worst of them leads, for all of them. */
function placeOf(place: ProblemPlace, queues: readonly string[]): ProblemPlace {
  const [queue] = queues;
  if (place.kind === 'letters') return { kind: 'letters', filter: queues.length === 1 ? `queue:${queue}` : '' };
  return place.kind === 'queue' && queues.length > 1 ? { kind: 'queues' } : place;
}

/** The line of a group. */
function groupOf(kind: string, members: readonly Problem[], titleOf: (counts: Counts) => string): ProblemEntry {
  const counts = countsOf(members);
  const title = titleOf(counts);
  const { queues } = counts;
  const sorted = members.toSorted((a, b) => weightOf(b) - weightOf(a) || (a.id < b.id ? -1 : 1));
  const worst = sorted[0] as Problem;
  const { incident } = worst;
  const isMuted = members.every((one) => one.incident?.isMuted === true);
  const began = members.map(beganMs).filter((ms) => ms > 0);
  const problem: Problem = {
    ...worst,
    ...{
      id: `group ${kind}`,
      title,
      why: `${incident === null ? 'The latest' : 'The worst'}: ${worst.title}. ${worst.why}`,
    },
    ...{ atMs: latest(members.map(({ atMs }) => atMs)), firstMs: began.length === 0 ? null : Math.min(...began) },
    place: placeOf(worst.place, queues),
    incident: incident && { ...incident, title, queue: null, isMuted },
  };
  return { problem, members: sorted };
}

/** In the order of the list: a group stands where the first of its members stood. */
export function groupProblems(problems: readonly Problem[]): readonly ProblemEntry[] {
  const byKind = new Map<string, Problem[]>();
  for (const problem of problems) {
    const kind = kindOf(problem);
    const known = byKind.get(kind);
    if (known === undefined) byKind.set(kind, [problem]);
    else known.push(problem);
  }
  const told = new Set<string>();
  return problems.flatMap((problem): ProblemEntry[] => {
    const kind = kindOf(problem);
    const members = byKind.get(kind) ?? [];
    const title = titles[kind];
    if (title === undefined || members.length < minMembers) return [{ problem, members: [problem] }];
    if (told.has(kind)) return [];
    told.add(kind);
    return [groupOf(kind, members, title)];
  });
}
